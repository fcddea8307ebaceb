/* Warnings of the profiler. Profiling never ends a run: what goes wrong is told in one line. */
#ifndef PROFILING_RECORD_LOG_H
#define PROFILING_RECORD_LOG_H

enum { PROF_LOG_MOST = 32, PROF_LOG_LENGTH = 1024 };

typedef void prof_warn_function(void *warner, const char *line);

typedef struct prof_log {
    prof_warn_function *warn; /* NULL: nobody is told */
    void *warner;
    char line[PROF_LOG_MOST][PROF_LOG_LENGTH]; /* the first ones, for reports */
    int count;
    const char *told[PROF_LOG_MOST]; /* formats of what was told */
    int told_count;
} prof_log;

/* Keep one line, and tell it if it is the first of its kind: of windows that come again and again,
 * the same trouble is told once. The format, a literal, is the kind. */
void prof_warn(prof_log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Forget all lines but the first `count`. What was told stays told. */
void prof_log_shorten(prof_log *log, int count);

#endif
