/* Tables: a caption, headings with units, numbers at the right. */
#ifndef PROFILING_REPORT_HTML_TABLE_H
#define PROFILING_REPORT_HTML_TABLE_H

#include <stdint.h>

#include "report/html/number.h"
#include "html/page.h"

typedef struct column {
    const char *heading;
    const char *unit; /* below the heading; NULL: none */
    const char *hint; /* what it is; NULL: clear by itself */
    bool is_text;     /* at the left; numbers are at the right */
} column;

/* The table's id is "table-<name>". A sortable one gets buttons in its headings. */
void table_begin(page *p, const char *name, bool is_sortable, const char *caption);
void table_columns(page *p, const column *columns, int count);
void table_end(page *p);

void table_row_begin(page *p);
void table_row_end(page *p);

/* What a row is about, its first cell; of a stage with its colour. */
void table_heading(page *p, const char *text);
void table_stage(page *p, const char *stage, int colour);

void table_text(page *p, const char *text);
void table_code(page *p, const char *text); /* a name of a program: may be cut by the page */
void table_number(page *p, scale s, double value);
void table_count(page *p, int64_t count);
/* A number that is part of a whole, with a bar behind it. */
void table_share(page *p, double share);

#endif
