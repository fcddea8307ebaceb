/* The rows of the timeline picture: regions of the main thread by depth, what each CPU thread did
 * of them, streams of the GPU. */
#ifndef PROFILING_REPORT_HTML_TIMELINE_ROWS_H
#define PROFILING_REPORT_HTML_TIMELINE_ROWS_H

#include "report/report.h"

/* What events are called: they share it. */
typedef struct row_name {
    const char *text;
    int64_t step;      /* a step's number; -1: it is no step */
    const char *stage; /* of operations; "": none */
    double bytes;      /* of copies and fills */
    int colour;
} row_name;

typedef struct row_event {
    int64_t start, end;
    int32_t row, name;
} row_event;

typedef struct row_label {
    char text[64];
    bool begins_group; /* a little apart from the row above */
    double y;          /* its place in the picture */
} row_label;

typedef struct timeline_rows {
    row_label *labels;
    int64_t *first; /* row r has the events first[r] to first[r + 1] - 1, in order of their start */
    int count;
    row_event *events;
    int64_t event_count;
    row_name *names;
    int name_count, name_room;
} timeline_rows;

/* False, with nothing to destroy, if there is no memory. */
bool timeline_rows_create(const prof_report_window *window, timeline_rows *rows);
void timeline_rows_destroy(timeline_rows *rows);

#endif
