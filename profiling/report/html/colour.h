/* The colours of stages: the same for the same stage everywhere. */
#ifndef PROFILING_REPORT_HTML_COLOUR_H
#define PROFILING_REPORT_HTML_COLOUR_H

#include "report/report.h"

/* Stages have the colours 0, 1, ..., by their names' order, so that runs of one solver agree;
 * with more stages than colours they come again. */
enum { COLOUR_STAGES = 8, COLOUR_OTHER = COLOUR_STAGES, COLOUR_TRANSFER, COLOUR_COUNT };

/* Of a region or of what a stage launched; COLOUR_OTHER for what is no stage. */
int colour_of(const prof_report_window *window, const char *stage);

/* The class of page.css that sets it. */
const char *colour_class(int colour);

#endif
