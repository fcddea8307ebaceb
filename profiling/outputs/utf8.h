/* Texts that come from outside, cut or in another encoding. */
#ifndef PROFILING_OUTPUTS_UTF8_H
#define PROFILING_OUTPUTS_UTF8_H

#include <stddef.h>

/* Bytes of the UTF-8 character that a text begins with; 0 if it begins with none. */
int prof_utf8_length(const char *text);

/* Make a text valid UTF-8, without which a reader refuses the whole file: other bytes become '?'.
 */
void prof_make_utf8(char *text);

/* Bytes of the character that a text begins with if a terminal may obey it, or if it hides or
 * reorders what is beside it: control characters of both sets, those of bidirectional text, line
 * separators, byte-order marks, and bytes that are no UTF-8. 0: it may be shown. */
int prof_unsafe_length(const char *text);

/* Make a text one line that may be shown: such characters become '?'. */
void prof_make_printable(char *text);

/* A copy that may be shown, of whole characters that fit; NULL gives "". The same in a buffer of
 * the enclosing block, for what is printed at once. */
const char *prof_copy_printable(char *out, size_t size, const char *text);
#define PROF_SHOWN(text) prof_copy_printable((char[4400]){""}, 4400, text)

#endif
