/* ANSWERS to the questions that profiling guides ask, from the data of a window. */
#ifndef PROFILING_REPORT_CHECKS_H
#define PROFILING_REPORT_CHECKS_H

#include "report/pool.h"
#include "report/report.h"

/* The data that an answer is made of, and the answer. */
typedef struct check_case {
    pool *pool;
    const prof_report *report;
    const prof_report_window *window;
    const char *text;
} check_case;

/* Answers in `text` and grades it. */
typedef prof_grade check_answer(check_case *c);

/* Whether a GPU computed; and whether nothing is known of what it did, which is then the text. */
bool check_on_gpu(const check_case *c);
bool check_no_gpu_data(check_case *c);
/* The grade of an indicator; unknown if the device has none of that name. */
prof_grade check_grade(const check_case *c, const char *indicator);

check_answer check_bandwidth, check_intensity, check_roofline, check_throughput, check_pinned,
    check_size, check_precision, check_occupancy, check_memory_rate, check_flop_rate;

#endif
