/* Warnings: something works, and not as well as a user may expect. */
#ifndef SWE_BASE_WARN_H
#define SWE_BASE_WARN_H

#ifdef __cplusplus
extern "C" {
#endif

/* Print one line on standard error, the first time that this format, a literal, is used. */
void swe_warn_once(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif
#endif
