/* Texts that come from outside, cut or in another encoding. */
#ifndef PROFILING_OUTPUTS_XPLANE_UTF8_H
#define PROFILING_OUTPUTS_XPLANE_UTF8_H

/* Make a text valid UTF-8, without which a reader refuses the whole file: other bytes become '?'.
 */
void xplane_make_utf8(char *text);

#endif
