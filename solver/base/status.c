#include "base/status.h"

#include <stddef.h>

static const struct {
    int exit_code;
    const char *text;
} status_table[] = {
#define SWE_STATUS_ROW(name, code, text) {code, text},
    SWE_STATUS_LIST(SWE_STATUS_ROW)
#undef SWE_STATUS_ROW
};

int swe_status_exit_code(swe_status status)
{
    return status_table[status].exit_code;
}

const char *swe_status_text(swe_status status)
{
    return status_table[status].text;
}
