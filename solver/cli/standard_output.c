#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"

/* Whether standard output is a pipe or a socket whose reader has closed it, as `head` does. */
static bool has_lost_its_reader(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

swe_status cli_output_flush(swe_context *ctx, bool *is_read)
{
    const bool has_failed = fflush(stdout) != 0 || ferror(stdout) != 0;
    *is_read = !has_failed;
    return !has_failed || has_lost_its_reader()
               ? SWE_OK
               : swe_fail(ctx, SWE_IO, "standard output cannot be written");
}
