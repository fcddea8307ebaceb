/* Texts that come from outside, cut or in another encoding. */
#ifndef PROFILING_OUTPUTS_UTF8_H
#define PROFILING_OUTPUTS_UTF8_H

/* Bytes of the UTF-8 character that a text begins with; 0 if it begins with none. */
int prof_utf8_length(const char *text);

/* Make a text valid UTF-8, without which a reader refuses the whole file: other bytes become '?'.
 */
void prof_make_utf8(char *text);

#endif
