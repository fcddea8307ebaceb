/* Checklist: answers to the questions of profiling guides from the data of a window. */
#ifndef PROFILING_REPORT_CHECKS_H
#define PROFILING_REPORT_CHECKS_H

#include "base/json_reader.h"
#include "report/report.h"

/* Input and output of one answer. */
typedef struct check_case {
    pool *pool;
    const prof_report *report;
    const prof_report_window *window;
    const char *text;
} check_case;

/* Stores the answer in `text` and returns its grade. */
typedef prof_grade check_answer(check_case *c);

/* Whether the run used a GPU; whether no GPU operation was recorded, which becomes the text. */
bool check_on_gpu(const check_case *c);
bool check_no_gpu_data(check_case *c);
/* The grade of an indicator; unknown if the device has none of that name. */
prof_grade check_grade(const check_case *c, const char *indicator);

check_answer check_bandwidth, check_intensity, check_roofline, check_throughput, check_pinned,
    check_size, check_precision, check_occupancy, check_memory_rate, check_flop_rate;

#endif
