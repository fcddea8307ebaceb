/* write_empty_memory DIR: the memory profiles of an empty trace. */
#include "outputs/output.h"

int main(int argc, char **argv)
{
    swe_log log = {0};
    prof_trace *trace = argc == 2 ? prof_trace_create() : NULL;
    if (trace == NULL)
        return 64;
    const bool written = prof_write_memory(trace, argv[1], &log);
    prof_trace_destroy(&trace);
    return written ? 0 : 1;
}
