/* Texts from outside the program: valid UTF-8, and safe to print on a terminal. */
#ifndef SWE_BASE_TEXT_H
#define SWE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the first UTF-8 character of a text; 0 if its first byte starts none. */
int swe_utf8_length(const char *text);

/* Make a text valid UTF-8: invalid bytes become '?'. Readers reject a whole file for one such byte.
 */
void swe_to_utf8(char *text);

/* Whether a word is in a list of words, such as "a|b", with any of the separators between them. */
bool swe_is_listed(const char *list, const char *separators, const char *word);

/* Bytes of the first character of a text if it is unsafe to print; 0 if it is safe. Unsafe are
 * control characters (C0, C1), controls of bidirectional text, line separators, byte-order marks
 * and bytes that are not UTF-8: a terminal may execute them, or they hide or reorder their
 * neighbours. */
int swe_unsafe_length(const char *text);

/* Make a text one printable line: unsafe characters become '?'. */
void swe_to_printable(char *text);

/* Copy a text to `out`, which may be the text itself, as one printable line, cut after the last
 * whole character that fits in `size` bytes; NULL gives "". SWE_SHOWN copies to a buffer that lives
 * until the enclosing block ends. */
const char *swe_copy_printable(char *out, size_t size, const char *text);
#define SWE_SHOWN(text) swe_copy_printable((char[4400]){""}, 4400, text)

/* Read a time [s]: a number of seconds, numbers with units from long to short as in 5d, 12h, 30min,
 * 1d12h or 90s, or H:MM:SS and D-HH:MM:SS as in batch schedulers. Returns whether it is one. */
bool swe_text_time(const char *text, double *seconds);

#endif
