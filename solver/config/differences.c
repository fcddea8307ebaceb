#include <stdio.h>
#include <string.h>

#include "cases/case.h"
#include "config/internal.h"
#include "config/keys.h"

static bool is_equal(const swe_value *a, const swe_value *b)
{
    const swe_reals *x = a->at, *y = b->at;
    switch (a->key->type) {
    case SWE_KEY_REAL:
        return *(double *)a->at == *(double *)b->at;
    case SWE_KEY_INTEGER:
        return *(long *)a->at == *(long *)b->at;
    case SWE_KEY_CHOICE:
        return *(int *)a->at == *(int *)b->at;
    case SWE_KEY_TEXT:
        return strcmp(*(char **)a->at, *(char **)b->at) == 0;
    case SWE_KEY_REALS:
        return x->count == y->count && memcmp(x->value, y->value, x->count * sizeof(double)) == 0;
    default:
        return ((swe_words *)a->at)->chosen == ((swe_words *)b->at)->chosen;
    }
}

/* Whether the solution depends on a key. */
static bool is_compared(const swe_key *key)
{
    static const char *const sections[] = {"time.",       "output.",  "diagnostics.",
                                           "checkpoint.", "profile.", "parallel."};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (strncmp(key->path, sections[i], strlen(sections[i])) == 0)
            return false;
    return swe_config_index(key->path,
                            "scheme.pipeline|initial.path|initial.time|initial.variable_h|"
                            "initial.variable_u|initial.variable_v|bottom.path|forcing.path") < 0;
}

/* Whether the initial state of a configuration depends on a key of section `initial`. */
static bool is_read(const swe_config *config, const swe_key *key)
{
    return strncmp(key->path, "initial.", 8) != 0 ||
           swe_initial_reads(swe_initial_name(config->initial.kind), key->path + 8);
}

/* The value of a key in an entry of its list, as text; "not known": the list is shorter. */
static void write_text(const swe_config *config, const swe_key *key, unsigned entry,
                       char out[SWE_VALUE_TEXT])
{
    snprintf(out, SWE_VALUE_TEXT, "not known");
    if (swe_key_is_of_list(key) && entry >= config->tracers.count)
        return;
    const swe_value value = swe_value_of(config, key, entry);
    FILE *stream = fmemopen(out, SWE_VALUE_TEXT, "w");
    if (stream != NULL) {
        swe_config_write_value(stream, &value);
        fclose(stream);
    }
}

/* Compare a value in two configurations, of which one has it. False: it is equal; otherwise its
 * path and both texts. */
static bool is_different(const swe_config *there, const swe_config *here, const swe_value *value,
                         swe_difference *out)
{
    const unsigned k = value->entry;
    if (!swe_key_is_of_list(value->key) || (k < there->tracers.count && k < here->tracers.count)) {
        const swe_value a = swe_value_of(there, value->key, k),
                        b = swe_value_of(here, value->key, k);
        if (is_equal(&a, &b))
            return false;
    }
    swe_value_path(value, out->path);
    write_text(there, value->key, k, out->there);
    write_text(here, value->key, k, out->here);
    return true;
}

static const swe_config *with_more_entries(const swe_config *a, const swe_config *b)
{
    return a->tracers.count > b->tracers.count ? a : b;
}

int swe_config_differences(const swe_config *earlier, const swe_config *new, char *out, size_t size)
{
    const swe_config there = swe_config_resolved(earlier), here = swe_config_resolved(new),
                     *all = with_more_entries(&there, &here);
    swe_difference d;
    int count = 0;
    size_t used = 0;
    out[0] = '\0';
    for (swe_value value = {.key = NULL}; used + 1 < size && swe_value_next(all, &value);) {
        const swe_key *key = value.key;
        if (!is_compared(key) || (!is_read(&there, key) && !is_read(&here, key)) ||
            !is_different(&there, &here, &value, &d))
            continue;
        snprintf(out + used, size - used, "%s%s is %s there and %s here", count > 0 ? "; " : "",
                 d.path, d.there, d.here);
        used += strlen(out + used);
        count++;
    }
    return count;
}

bool swe_config_find_difference(const swe_config *earlier, const swe_config *new,
                                bool (*is_ignored)(const void *of, const char *key), const void *of,
                                swe_difference *out)
{
    const swe_config there = swe_config_resolved(earlier), here = swe_config_resolved(new),
                     *all = with_more_entries(&there, &here);
    for (swe_value value = {.key = NULL}; swe_value_next(all, &value);)
        if (!is_ignored(of, value.key->path) && is_different(&there, &here, &value, out))
            return true;
    return false;
}

bool swe_config_agrees(const swe_config *a, const swe_config *b, const char *path)
{
    const swe_config x = swe_config_resolved(a), y = swe_config_resolved(b);
    for (const swe_key *key = swe_keys; key->path != NULL; key++)
        if (strcmp(key->path, path) == 0) {
            const swe_value at_x = swe_value_of(&x, key, 0), at_y = swe_value_of(&y, key, 0);
            return is_equal(&at_x, &at_y);
        }
    return false;
}
