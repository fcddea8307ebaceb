/* How `cubeswe top` shows a job: a page, one line, or JSON. */
#ifndef SWE_CLI_TOP_PAGE_H
#define SWE_CLI_TOP_PAGE_H

#include <stdio.h>

#include "cli/top_job.h"

/* What the reader of the page can show. */
typedef struct top_looks {
    int columns;
    bool is_unicode;
} top_looks;

void top_page_write(FILE *out, const char *directory, const top_job *job, top_looks looks);
void top_line_write(FILE *out, const top_job *job);
/* NULL if there is no memory. */
json_t *top_json(const top_job *job);

/* Pieces of them. A bar of a share, `width` wide; the history of rates, from 0 to the largest; a
 * time as one reads it: "12.3 s", "5 min 03 s", "2 h 07 min". */
void top_bar_write(FILE *out, double share, int width, bool is_unicode);
void top_history_write(FILE *out, const double *rates, int count, bool is_unicode);
void top_duration_write(FILE *out, double seconds);

#endif
