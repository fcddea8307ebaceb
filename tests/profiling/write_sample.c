/* write_sample OUTPUT gpu|cpu DIR: write the sample trace with one output (its name as in the list
 * below) to DIR, and the trace itself to DIR/sample.json. For tests that read files back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outputs/output.h"
#include "sample_trace.h"

static void print(void *unused, const char *line)
{
    (void)unused;
    fprintf(stderr, "%s\n", line);
}

static const struct {
    const char *name;
    prof_output *write;
} outputs[] = {
#ifdef WRITE_SAMPLE_OUTPUTS
    WRITE_SAMPLE_OUTPUTS
#endif
    {NULL, NULL}};

int main(int argc, char **argv)
{
    swe_log log = {.warn = print};
    if (argc != 4)
        return 64;
    prof_trace *trace = sample_trace(strcmp(argv[2], "gpu") == 0);
    char path[4096];
    snprintf(path, sizeof path, "%s/sample.json", argv[3]);
    json_t *json = sample_trace_json(trace);
    if (json == NULL || json_dump_file(json, path, JSON_INDENT(1)) != 0)
        return 70;
    json_decref(json);
    int code = 64;
    for (int k = 0; outputs[k].name != NULL; k++)
        if (strcmp(outputs[k].name, argv[1]) == 0)
            code = outputs[k].write(trace, argv[3], &log) ? 0 : 1;
    prof_trace_destroy(&trace);
    return code;
}
