/* TABLES OF THE MEMBERS of the records (record.h), to write and to read them; each table ends with
 * FIELD_END. */
#ifndef PROFILING_WINDOW_FIELDS_H
#define PROFILING_WINDOW_FIELDS_H

#include "base/json.h"
#include "window/record.h"

extern const field prof_run_fields[], prof_summary_fields[];                        /* read */
extern const field prof_phase_fields[], prof_tracing_fields[], prof_drops_fields[]; /* both */
extern const field prof_gpu_time_fields[], prof_cost_fields[], prof_launches_fields[];
extern const field prof_gpu_fields[], prof_gpu_state_fields[], prof_gpu_sampled_fields[]; /* both */
extern const field prof_counters_fields[], prof_ranks_fields[];
extern const field prof_log_state_fields[], prof_window_fields[],
    prof_report_fields[]; /* written */

#endif
