/* LOG OF WARNINGS: a failure that must not end a run becomes a warning of one line, which is
 * printed and kept for reports. */
#ifndef SWE_BASE_LOG_H
#define SWE_BASE_LOG_H

enum { SWE_LOG_MOST = 32, SWE_LOG_LENGTH = 1024 };

typedef void swe_warn_function(void *warner, const char *line);

/* Zero-initialised apart from the callback. The main thread owns it. */
typedef struct swe_log {
    swe_warn_function *warn;                 /* prints a line; NULL: nothing is printed */
    void *warner;                            /* first argument of `warn` */
    char line[SWE_LOG_MOST][SWE_LOG_LENGTH]; /* the first warnings, for the reports */
    int count;
    const char *printed[SWE_LOG_MOST]; /* formats of the warnings that were printed */
    int printed_count;
} swe_log;

/* Keep a line. It is printed only the first time its format, a literal, occurs: a problem that
 * recurs in every window is printed once. */
void swe_warn(swe_log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Keep and print a line unless it is kept already. */
void swe_log_once(swe_log *log, const char *line);

/* Keep only the first `count` lines. Formats that were printed stay recorded as printed. */
void swe_log_truncate(swe_log *log, int count);

#endif
