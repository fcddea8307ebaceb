#include "sources/code/code_parts.h"

#include <stdlib.h>
#include <string.h>

void code_append_name(const char *name, char *names, size_t size)
{
    const size_t length = strlen(names), blank = length > 0;
    if (length + blank + strlen(name) >= size)
        return;
    memcpy(names + length, " ", blank);
    memcpy(names + length + blank, name, strlen(name) + 1);
}

/* Whether one of the functions `wanted` is among `around`; both are separated by blanks. */
static bool shares_function(const char *wanted, const char *around)
{
    while (*wanted != '\0') {
        const size_t length = strcspn(wanted, " ");
        for (const char *at = around; *at != '\0'; at += strspn(at, " ")) {
            const size_t size = strcspn(at, " ");
            if (size == length && memcmp(at, wanted, size) == 0)
                return true;
            at += size;
        }
        wanted += length;
        wanted += strspn(wanted, " ");
    }
    return false;
}

bool code_parts_open(const prof_part *parts, int count, prof_parts *out)
{
    out->part = calloc(2 * (size_t)count + 1, sizeof *out->part);
    if (out->part == NULL)
        return false;
    for (int k = 0; k < count; k++) {
        const prof_part *part = &parts[k];
        out->part[out->count++] = (prof_part_samples){part->stage, part->name, 0};
        if (k + 1 == count || strcmp(part->stage, part[1].stage) != 0)
            out->part[out->count++] = (prof_part_samples){part->stage, NULL, 0};
    }
    return true;
}

const char *code_parts_add(const prof_part *parts, int count, const char *stage, const char *around,
                           int64_t samples, prof_parts *out)
{
    const char *name = NULL;
    for (int k = 0; k < count && name == NULL; k++)
        if (strcmp(parts[k].stage, stage) == 0 && shares_function(parts[k].functions, around))
            name = parts[k].name;
    for (int k = 0; k < out->count; k++)
        if (out->part[k].name == name && strcmp(out->part[k].stage, stage) == 0) {
            out->part[k].samples += samples;
            break;
        }
    return name;
}

int code_parts_close(prof_parts *out)
{
    int count = 0;
    for (int k = 0; k < out->count; k++)
        if (out->part[k].samples > 0)
            out->part[count++] = out->part[k];
    return out->count = count;
}
