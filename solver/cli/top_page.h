/* The display of a job in `cubeswe top`: a page, one line or JSON. */
#ifndef SWE_CLI_TOP_PAGE_H
#define SWE_CLI_TOP_PAGE_H

#include <stdio.h>

#include "cli/top_job.h"

/* What the output can display. */
typedef struct top_style {
    int columns;
    bool is_unicode;
} top_style;

void top_page_write(FILE *out, const char *directory, const top_job *job, top_style style);
void top_line_write(FILE *out, const top_job *job);
/* The state as JSON (schema cubeswe-top), which the caller owns; NULL: out of memory. */
json_t *top_json(const top_job *job);

/* A bar of a share in [0, 1], `width` columns wide. */
void top_bar_write(FILE *out, double share, int width, bool is_unicode);
/* One character per rate, its height from 0 to the largest rate. */
void top_history_write(FILE *out, const double *rates, int count, bool is_unicode);
/* "12.3 s", "5 min 03 s", "2 h 07 min". */
void top_duration_write(FILE *out, double seconds);

#endif
