#include "base/context.h"

#include <stdarg.h>
#include <stdio.h>

swe_status swe_fail(swe_context *ctx, swe_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(ctx->message, sizeof ctx->message, format, arguments);
    va_end(arguments);
    return status;
}
