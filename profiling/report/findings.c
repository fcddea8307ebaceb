/* The diagnosis: every rule, one after the other. */
#include "report/findings.h"

#include <stdlib.h>
#include <string.h>

#include "report/parts.h"

const char pattern_host_bound[] = "Host-bound: launch overhead";
const char pattern_idle_gaps[] = "GPU idle gaps";
const char pattern_copies[] = "Large copies between host and GPU";
const char pattern_small_kernels[] = "Many small kernels";
const char pattern_few_blocks[] = "Grids too small for the GPU";
const char pattern_low_occupancy[] = "Low occupancy";
const char pattern_spills[] = "Register spills";
const char pattern_busy_machine[] = "Busy machine";
const char pattern_imbalance[] = "Thread imbalance";
const char pattern_waiting[] = "Threads wait to begin and to meet";
const char pattern_dominating[] = "One stage dominates";
const char pattern_below_ceiling[] = "Memory-bound, below the ceiling";
const char pattern_cached[] = "Served by caches";
const char pattern_near_memory[] = "Memory-bound, near the ceiling";
const char pattern_near_compute[] = "Compute-bound, near the ceiling";
const char pattern_output[] = "Output and diagnostics take long";
const char pattern_drops[] = "Dropped records";
const char pattern_more_traffic[] = "More memory traffic than the formulas say";
const char pattern_less_traffic[] = "Less memory traffic than the formulas say";
const char pattern_more_operations[] = "More operations than the formulas say";
const char pattern_fewer_operations[] = "Fewer operations than the formulas say";

const thresholds finding_thresholds = {
    .idle = 0.20,
    .idle_bad = 0.50,
    .launching = 0.50,
    .kernel_small = 5e3,
    .small_launches = 0.50,
    .small_time = 0.25,
    .copies = 0.10,
    .copies_bad = 0.25,
    .pageable = 8e9,
    .dominant = 0.50,
    .dominant_bad = 0.75,
    .dominant_stages = 3,
    .near_ceiling = 0.60,
    .cached = 1.25,
    .cached_share = 0.10,
    .below_ceiling = 0.40,
    .below_share = 0.50,
    .occupancy = 50.0,
    .occupancy_bad = 25.0,
    .occupancy_share = 0.10,
    .few_blocks_share = 0.50,
    .spill_share = 0.01,
    .spill_share_bad = 0.25,
    .imbalance = 0.10,
    .imbalance_bad = 0.25,
    .waiting = 0.10,
    .waiting_bad = 0.25,
    .short_stage = 100e3,
    .on_core = 0.90,
    .on_core_bad = 0.70,
    .output = 0.15,
    .output_bad = 0.40,
    .output_times = 3,
    .counted_off = 0.10,
    .counted_more_bad = 0.50,
    .counted_share = 0.02,
};

/* What explains others comes before them. */
static finding_rule *const rules[] = {
    find_host_bound,   find_idle_gaps,     find_copies,           find_small_kernels,
    find_few_blocks,   find_low_occupancy, find_spills,           find_busy_machine,
    find_imbalance,    find_waiting,       find_dominating_stage, find_below_ceiling,
    find_output,       find_drops,         find_cached,           find_near_ceiling,
    find_more_traffic, find_less_traffic,  find_more_operations,  find_fewer_operations};

enum { RULES = sizeof rules / sizeof rules[0] };

static const prof_finding *told(const prof_report_window *w, const char *pattern)
{
    for (int k = 0; k < w->finding_count; k++)
        if (strcmp(w->findings[k].pattern, pattern) == 0)
            return &w->findings[k];
    return NULL;
}

bool finding_is_told(const prof_report_window *w, const char *pattern)
{
    return told(w, pattern) != NULL;
}

prof_grade finding_severity(const prof_report_window *w, const char *pattern)
{
    const prof_finding *finding = told(w, pattern);
    return finding != NULL ? finding->severity : PROF_GRADE_GOOD;
}

/* Bad ones first; of one severity, in the rules' order. */
static void sort_findings(prof_finding *findings, int count)
{
    for (int k = 1; findings != NULL && k < count; k++)
        for (int j = k; j > 0 && findings[j].severity > findings[j - 1].severity; j--) {
            const prof_finding swapped = findings[j];
            findings[j] = findings[j - 1];
            findings[j - 1] = swapped;
        }
}

void derive_findings(pool *pool, const prof_report *report, prof_report_window *w)
{
    w->findings = pool_array(pool, RULES, sizeof *w->findings);
    for (int k = 0; k < RULES && w->findings != NULL; k++)
        if (rules[k](pool, report, w, &w->findings[w->finding_count]))
            w->finding_count++;
    sort_findings(w->findings, w->finding_count);
}
