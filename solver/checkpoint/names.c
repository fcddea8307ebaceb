#include "checkpoint/names.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void checkpoint_name(long number, long step, char out[CHECKPOINT_NAME])
{
    snprintf(out, CHECKPOINT_NAME, "checkpoint_%06ld_step_%010ld", number, step);
}

/* Digits of a number that is not negative, at least `least`; NULL if there are none such. */
static const char *take_number(const char *text, size_t least, long *out)
{
    const size_t digits = strspn(text, "0123456789");
    if (digits < least || digits > 18)
        return NULL;
    *out = strtol(text, NULL, 10);
    return text + digits;
}

static bool take_ending(const char *ending, checkpoint_entry *out)
{
    static const struct {
        const char *text;
        checkpoint_part part;
    } endings[] = {{".h5", CHECKPOINT_FILE},
                   {".json", CHECKPOINT_MANIFEST},
                   {".failed", CHECKPOINT_FAILED},
                   {".h5.tmp", CHECKPOINT_UNFINISHED},
                   {".json.tmp", CHECKPOINT_UNFINISHED},
                   {".failed.tmp", CHECKPOINT_UNFINISHED}};
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++)
        if (strcmp(ending, endings[k].text) == 0) {
            out->ending = endings[k].text;
            out->part = endings[k].part;
            return true;
        }
    return false;
}

bool checkpoint_entry_of(const char *file, checkpoint_entry *out)
{
    static const char first[] = "checkpoint_", second[] = "_step_";
    if (strncmp(file, first, strlen(first)) != 0)
        return false;
    const char *rest = take_number(file + strlen(first), 6, &out->number);
    if (rest == NULL || strncmp(rest, second, strlen(second)) != 0)
        return false;
    rest = take_number(rest + strlen(second), 10, &out->step);
    if (rest == NULL || !take_ending(rest, out))
        return false;
    snprintf(out->name, sizeof out->name, "%.*s", (int)(rest - file), file);
    return true;
}

static int compare(const void *a, const void *b)
{
    const checkpoint_entry *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? 1 : -1;
    if (x->step != y->step)
        return x->step < y->step ? 1 : -1;
    return strcmp(x->ending, y->ending);
}

static bool append(checkpoint_entry **all, size_t *count, const checkpoint_entry *entry)
{
    if ((*count & (*count - 1)) == 0) { /* a power of two: full */
        checkpoint_entry *more = realloc(*all, (*count > 0 ? 2 * *count : 1) * sizeof *more);
        if (more == NULL)
            return false;
        *all = more;
    }
    (*all)[(*count)++] = *entry;
    return true;
}

swe_status checkpoint_entries(swe_context *ctx, const char *directory, checkpoint_entry **out,
                              size_t *count)
{
    swe_status status = SWE_OK;
    checkpoint_entry entry;
    *out = NULL;
    *count = 0;
    DIR *folder = opendir(directory);
    if (folder == NULL && errno == ENOENT)
        return SWE_OK;
    if (folder == NULL)
        return swe_fail(ctx, SWE_IO, "%s: %s", directory, strerror(errno));
    for (struct dirent *item; status == SWE_OK && (item = readdir(folder)) != NULL;)
        if (checkpoint_entry_of(item->d_name, &entry) && !append(out, count, &entry))
            status = swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the names of checkpoints");
    closedir(folder);
    if (status != SWE_OK) {
        free(*out);
        *out = NULL;
        *count = 0;
    }
    if (*count > 1)
        qsort(*out, *count, sizeof **out, compare);
    return status;
}
