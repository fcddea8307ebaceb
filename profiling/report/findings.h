/* Rules of the diagnosis. A rule detects one pattern and reports it with its numbers. */
#ifndef PROFILING_REPORT_FINDINGS_H
#define PROFILING_REPORT_FINDINGS_H

#include "base/json_reader.h"
#include "report/report.h"

/* Thresholds of the patterns. Shares are 0..1. */
typedef struct thresholds {
    double idle, idle_bad;           /* of the window in which the GPU was idle */
    double launch_share;             /* of the steps, that the host was in calls that launch */
    double kernel_small;             /* ns: less is small */
    double small_launches;           /* of all launches that are of small kernels, and ... */
    double small_time;               /* ... of all kernels' time */
    double copies, copies_bad;       /* of the window, in copies between host and device */
    double pageable;                 /* B/s: a copy that is slower was hardly from pinned memory */
    double dominant, dominant_bad;   /* of the step, in one stage; */
    int dominant_min_stages;         /* of at least so many */
    double near_peak;                /* fraction of the roofline that counts as optimal */
    double cached;                   /* fraction of the bandwidth that only caches give, and ... */
    double cached_share;             /* ... of the stages' time where it is */
    double below_peak;               /* fraction of the bandwidth that is poor, and ... */
    double below_share;              /* ... of the stages' time where it is */
    double occupancy, occupancy_bad; /* percent, of kernels that have ... */
    double occupancy_share;          /* ... so much of all kernels' time */
    double few_blocks_share;         /* of the kernels' time, with fewer blocks than processors */
    double spill_share;              /* of the kernels' time, in kernels that use local memory */
    double spill_share_bad;
    double imbalance, imbalance_bad; /* of the steps */
    double waiting, waiting_bad;
    double short_stage;          /* ns: beginning it on all threads takes a good part of less */
    double on_core, on_core_bad; /* of the threads' time; less is a busy machine */
    double output, output_bad;   /* of the run without its setup, ... */
    int output_count;            /* ... if there was so often one */
    double counter_tolerance;    /* of what the formulas say, that counters say more or less */
    double
        counter_min_share; /* of a step's bytes or operations: what differs by less is left out */
    double excess_traffic_bad; /* of a step's bytes, that device memory moved besides */
} thresholds;

extern const thresholds finding_thresholds;

/* A rule fills the finding and is true if the pattern is there. Of equal patterns the first counts:
 * rules may ask whether an earlier one was found. */
typedef bool finding_rule(pool *pool, const prof_report *report, const prof_report_window *window,
                          prof_finding *finding);

finding_rule find_host_bound, find_idle_gaps, find_copies, find_small_kernels, find_few_blocks,
    find_low_occupancy, find_spills;
finding_rule find_more_traffic, find_less_traffic, find_more_operations, find_fewer_operations;

/* The patterns' names. */
extern const char pattern_host_bound[], pattern_idle_gaps[], pattern_copies[],
    pattern_small_kernels[], pattern_few_blocks[], pattern_low_occupancy[], pattern_spills[],
    pattern_busy_machine[], pattern_imbalance[], pattern_waiting[], pattern_dominating[],
    pattern_below_peak[], pattern_cached[], pattern_near_memory[], pattern_near_compute[],
    pattern_output[], pattern_drops[], pattern_more_traffic[], pattern_less_traffic[],
    pattern_more_operations[], pattern_fewer_operations[];

/* Whether a pattern was found already; and its severity, good if it was not found. */
bool finding_exists(const prof_report_window *window, const char *pattern);
prof_grade finding_severity(const prof_report_window *window, const char *pattern);

#endif
