/* Suggestions for an unknown word: the known words nearest to it ("did you mean"). */
#ifndef SWE_BASE_HINT_H
#define SWE_BASE_HINT_H

#include <stddef.h>

enum { SWE_HINT_WORD = 64, SWE_HINT_MOST = 6 };

/* Use: start with the unknown word, offer every known word, then read the text. */
typedef struct swe_hint {
    char word[SWE_HINT_WORD];
    char nearest[SWE_HINT_MOST][SWE_HINT_WORD]; /* all at distance `best`, in the order offered */
    int count, best;
    char text[SWE_HINT_MOST * (SWE_HINT_WORD + 8) + 32];
} swe_hint;

void swe_hint_start(swe_hint *hint, const char *word);

/* Offer a known word; `name` is the form to suggest (NULL: the word itself). Nearness is the
 * Damerau-Levenshtein distance without regard to case; a word that starts with the unknown one is
 * at distance 1 at most. */
void swe_hint_offer(swe_hint *hint, const char *known, const char *name);

/* Offer each word of "a|b|c". */
void swe_hint_offer_choices(swe_hint *hint, const char *choices);

/* "; did you mean 'a' or 'b'?", or "" if no known word is near. Valid as long as the hint. */
const char *swe_hint_text(swe_hint *hint);

#endif
