/* How calls report: status codes, the text of a failure, and warnings. */
#ifndef SWE_BASE_CONTEXT_H
#define SWE_BASE_CONTEXT_H

#ifdef __cplusplus
extern "C" {
#endif

/* STATUS(name, exit code, text). Exit codes follow sysexits.h; 1 and 2 are results of a comparison.
 */
#define SWE_STATUS_LIST(STATUS)                                                                    \
    STATUS(SWE_OK, 0, "success")                                                                   \
    STATUS(SWE_SLOWER, 1, "slower than allowed")                                                   \
    STATUS(SWE_INCONCLUSIVE, 2, "inconclusive: the measured spread is too large")                  \
    STATUS(SWE_USAGE, 64, "wrong use of the command line")                                         \
    STATUS(SWE_DATA, 65, "bad data in an input file")                                              \
    STATUS(SWE_NO_INPUT, 66, "an input file cannot be read")                                       \
    STATUS(SWE_UNAVAILABLE, 69, "a backend, device or file is not available")                      \
    STATUS(SWE_INTERNAL, 70, "internal error")                                                     \
    STATUS(SWE_NO_MEMORY, 71, "out of memory")                                                     \
    STATUS(SWE_CANNOT_CREATE, 73, "an output cannot be created")                                   \
    STATUS(SWE_IO, 74, "an input or output failed")                                                \
    STATUS(SWE_STOPPED, 75, "stopped with a checkpoint")                                           \
    STATUS(SWE_CONFIG, 78, "bad configuration")

typedef enum swe_status {
#define SWE_STATUS_ENUM(name, code, text) name,
    SWE_STATUS_LIST(SWE_STATUS_ENUM)
#undef SWE_STATUS_ENUM
} swe_status;

/* Exit code of the process for a status (sysexits.h). */
int swe_status_exit_code(swe_status status);

/* One line of text for a status; static storage. */
const char *swe_status_text(swe_status status);

/* Return from the enclosing function if `call` did not succeed. */
#define SWE_TRY(call)                                                                              \
    do {                                                                                           \
        const swe_status swe_try_status = (call);                                                  \
        if (swe_try_status != SWE_OK)                                                              \
            return swe_try_status;                                                                 \
    } while (0)

/* Receives the text of a failure. The caller owns it; one per thread of control. */
typedef struct swe_context {
    char message[1024]; /* one line that describes the last failure */
} swe_context;

/* Record one line about a failure and return `status`: `return swe_fail(ctx, SWE_IO, "...")`. */
swe_status swe_fail(swe_context *ctx, swe_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Pass warnings to a function, in the place of standard error; NULL: to nobody. */
void swe_warn_to(void (*warn)(const char *line));

/* Print a warning, one line on standard error, the first time that this format (a literal) is used.
 * Thread-safe. */
void swe_warn_once(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif
#endif
