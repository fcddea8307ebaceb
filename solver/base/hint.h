/* "did you mean": the known words nearest to one that is unknown. */
#ifndef SWE_BASE_HINT_H
#define SWE_BASE_HINT_H

#include <stddef.h>

enum { SWE_HINT_WORD = 64, SWE_HINT_MOST = 6 };

/* Start with the unknown word, offer the known ones in turn, then take the text. */
typedef struct swe_hint {
    char word[SWE_HINT_WORD];
    char nearest[SWE_HINT_MOST][SWE_HINT_WORD]; /* all at distance `best`, in order of offering */
    int count, best;
    char text[SWE_HINT_MOST * (SWE_HINT_WORD + 8) + 32];
} swe_hint;

void swe_hint_start(swe_hint *hint, const char *word);

/* Offer a known word; `name` is the form to suggest (NULL: the word itself). A word is near if few
 * letters are inserted, left out, replaced or swapped with a neighbour, or if the unknown word is
 * its beginning; upper and lower case are alike. */
void swe_hint_offer(swe_hint *hint, const char *known, const char *name);

/* Offer each word of "a|b|c". */
void swe_hint_offer_choices(swe_hint *hint, const char *choices);

/* "; did you mean 'a' or 'b'?", or an empty text where nothing is near. */
const char *swe_hint_text(swe_hint *hint);

#endif
