#include "base/hint.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void swe_hint_start(swe_hint *hint, const char *word)
{
    *hint = (swe_hint){.best = SWE_HINT_WORD};
    snprintf(hint->word, sizeof hint->word, "%s", word);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Damerau-Levenshtein distance (optimal string alignment), without regard to case. */
static int distance_of(const char *a, const char *b)
{
    enum { ROWS = 3 };
    int row[ROWS][SWE_HINT_WORD + 1]; /* rows i, i-1 and i-2 of the table, by i modulo 3 */
    const int rows = (int)strlen(a), columns = (int)strlen(b);
    for (int j = 0; j <= columns; j++)
        row[0][j] = j;
    for (int i = 1; i <= rows; i++) {
        int *now = row[i % ROWS];
        const int *before = row[(i - 1) % ROWS], *earlier = row[(i + 1) % ROWS];
        now[0] = i;
        for (int j = 1; j <= columns; j++) {
            const int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            now[j] = least(before[j - 1] + (x != y), least(before[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                y == tolower((unsigned char)a[i - 2]))
                now[j] = least(now[j], earlier[j - 2] + 1);
        }
    }
    return row[rows % ROWS][columns];
}

void swe_hint_offer(swe_hint *hint, const char *known, const char *name)
{
    const size_t length = strlen(hint->word);
    if (strlen(known) >= SWE_HINT_WORD || length == 0)
        return;
    /* The largest distance that still counts as near: a short word is close to every other. */
    const int most = length <= 2 ? 0 : length <= 4 ? 1 : length <= 8 ? 2 : 3;
    int distance = distance_of(hint->word, known);
    if (length >= 3 && strncasecmp(known, hint->word, length) == 0)
        distance = least(distance, 1);
    if (distance > most || distance > hint->best)
        return;
    if (distance < hint->best)
        hint->count = 0;
    hint->best = distance;
    const char *suggested = name != NULL ? name : known;
    for (int k = 0; k < hint->count; k++)
        if (strcmp(hint->nearest[k], suggested) == 0)
            return;
    if (hint->count < SWE_HINT_MOST)
        snprintf(hint->nearest[hint->count++], SWE_HINT_WORD, "%s", suggested);
}

void swe_hint_offer_choices(swe_hint *hint, const char *choices)
{
    for (;;) {
        char word[SWE_HINT_WORD];
        const size_t length = strcspn(choices, "|");
        snprintf(word, sizeof word, "%.*s", (int)length, choices);
        swe_hint_offer(hint, word, NULL);
        if (choices[length] == '\0')
            return;
        choices += length + 1;
    }
}

const char *swe_hint_text(swe_hint *hint)
{
    size_t used = 0;
    hint->text[0] = '\0';
    for (int k = 0; k < hint->count; k++) {
        const char *before = k == 0 ? "; did you mean " : k + 1 == hint->count ? " or " : ", ";
        used += (size_t)snprintf(hint->text + used, sizeof hint->text - used, "%s'%s'", before,
                                 hint->nearest[k]);
    }
    if (hint->count > 0)
        snprintf(hint->text + used, sizeof hint->text - used, "?");
    return hint->text;
}
