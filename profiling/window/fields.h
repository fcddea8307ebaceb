/* TABLES OF THE MEMBERS of the records (record.h), to write and to read them; each table ends with
 * FIELD_END. */
#ifndef PROFILING_WINDOW_FIELDS_H
#define PROFILING_WINDOW_FIELDS_H

#include "base/json.h"
#include "window/record.h"

extern const field prof_summary_fields[]; /* of prof_summary; read and recorded */
extern const field prof_phase_fields[], prof_tracing_fields[], prof_drops_fields[];
extern const field prof_peaks_fields[], prof_ranks_fields[];
extern const field prof_gpu_fields[], prof_gpu_state_fields[], prof_sampled_fields[];
extern const field prof_log_state_fields[], prof_window_fields[],
    prof_report_fields[]; /* written to report.json */

#endif
