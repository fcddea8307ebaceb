/* Included by every C test: cmocka, and checks of numbers that print the numbers. A NaN fails all
 * of them. */
#ifndef SUPPORT_CHECK_H
#define SUPPORT_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"

/* Whether clang compiles this test with a sanitizer. It is ten times as slow, and looks for wrong
 * accesses or races alone: combinations of the same accesses run without it. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define CHECKS_ADDRESSES 1
#elif __has_feature(thread_sanitizer)
#define CHECKS_RACES 1
#endif
#endif
#ifndef CHECKS_ADDRESSES
#define CHECKS_ADDRESSES 0
#endif
#ifndef CHECKS_RACES
#define CHECKS_RACES 0
#endif

/* |value - expected| <= tolerance. */
#define CHECK_CLOSE(value, expected, tolerance)                                                    \
    check_close(value, expected, tolerance, #value, __FILE__, __LINE__)

/* least <= value <= most. */
#define CHECK_WITHIN(value, least, most)                                                           \
    check_within(value, least, most, #value, __FILE__, __LINE__)

/* `call` succeeds; otherwise the test shows the message in `ctx`. */
#define CHECK_OK(ctx, call) check_ok(ctx, call, #call, __FILE__, __LINE__)

/* `count` doubles are the same to the last bit. */
#define CHECK_SAME_BITS(a, b, count) assert_memory_equal(a, b, (size_t)(count) * sizeof(double))

static inline void check_close(double value, double expected, double tolerance, const char *what,
                               const char *file, int line)
{
    if (fabs(value - expected) <= tolerance)
        return;
    print_error("%s = %.17g, expected %.17g within %g, is %g off\n", what, value, expected,
                tolerance, fabs(value - expected));
    _fail(file, line);
}

static inline void check_within(double value, double least, double most, const char *what,
                                const char *file, int line)
{
    if (value >= least && value <= most)
        return;
    print_error("%s = %.17g is not in [%.17g, %.17g]\n", what, value, least, most);
    _fail(file, line);
}

static inline void check_ok(const swe_context *ctx, swe_status status, const char *call,
                            const char *file, int line)
{
    if (status == SWE_OK)
        return;
    print_error("%s: %s: %s\n", call, swe_status_text(status), ctx->message);
    _fail(file, line);
}

#endif
