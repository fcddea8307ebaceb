/* Warnings of the profiler. Profiling never ends a run: every failure becomes a warning of one
 * line, which is printed and kept for the reports. */
#ifndef PROFILING_RECORD_LOG_H
#define PROFILING_RECORD_LOG_H

enum { PROF_LOG_MOST = 32, PROF_LOG_LENGTH = 1024 };

typedef void prof_warn_function(void *warner, const char *line);

/* Zero-initialised apart from the callback. The main thread owns it. */
typedef struct prof_log {
    prof_warn_function *warn;                  /* prints a line; NULL: nothing is printed */
    void *warner;                              /* first argument of `warn` */
    char line[PROF_LOG_MOST][PROF_LOG_LENGTH]; /* the first warnings, for the reports */
    int count;
    const char *printed[PROF_LOG_MOST]; /* formats of the warnings that were printed */
    int printed_count;
} prof_log;

/* Keep a line. It is printed only the first time its format, a literal, occurs: a problem that
 * recurs in every window is printed once. */
void prof_warn(prof_log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Keep and print a line unless it is kept already. */
void prof_log_once(prof_log *log, const char *line);

/* Keep only the first `count` lines. Formats that were printed stay recorded as printed. */
void prof_log_truncate(prof_log *log, int count);

#endif
