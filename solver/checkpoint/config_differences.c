#include "checkpoint/restart.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cases/case.h"

/* Sections, keys, and names of keys in any section that do not change the solution. */
static const char *const other_sections[] = {"time",       "output",  "diagnostics",
                                             "checkpoint", "profile", "parallel"};
static const char *const excluded[] = {"scheme.pipeline", "initial.variable_h",
                                       "initial.variable_u", "initial.variable_v", "initial.time"};
static const char *const excluded_names[] = {"path"};

bool swe_config_key_next(swe_config_key *k)
{
    while (*k->next != '\0') {
        const char *line = k->next, *end = line + strcspn(line, "\n");
        const char *colon = memchr(line, ':', (size_t)(end - line));
        k->next = *end == '\n' ? end + 1 : end;
        if (colon == NULL)
            continue;
        if (line[0] != ' ') {
            k->section = line;
            k->section_length = (int)(colon - line);
            k->entry = 0;
            continue;
        }
        k->entry += line[strspn(line, " ")] == '-';
        k->name = line + strspn(line, " -");
        k->name_length = (int)(colon - k->name);
        k->value = colon + (colon + 1 < end ? 2 : 1);
        k->value_length = (int)(end - k->value);
        return k->section != NULL && k->name_length > 0 && k->value_length >= 0;
    }
    return false;
}

static bool is_text(const char *text, int length, const char *other, int other_length)
{
    return length == other_length && memcmp(text, other, (size_t)length) == 0;
}

static bool is_one_of(const char *text, int length, const char *const *words, size_t count)
{
    bool is_there = false;
    for (size_t k = 0; k < count; k++)
        is_there |= is_text(text, length, words[k], (int)strlen(words[k]));
    return is_there;
}

#define COUNT(words) (sizeof(words) / sizeof(words)[0])

static bool is_compared(const swe_config_key *k)
{
    char path[128];
    const int length = snprintf(path, sizeof path, "%.*s.%.*s", k->section_length, k->section,
                                k->name_length, k->name);
    return !is_one_of(k->section, k->section_length, other_sections, COUNT(other_sections)) &&
           !is_one_of(k->name, k->name_length, excluded_names, COUNT(excluded_names)) &&
           (length >= (int)sizeof path || !is_one_of(path, length, excluded, COUNT(excluded)));
}

static bool is_same_key(const swe_config_key *a, const swe_config_key *b)
{
    return a->entry == b->entry &&
           is_text(a->section, a->section_length, b->section, b->section_length) &&
           is_text(a->name, a->name_length, b->name, b->name_length);
}

/* Find the same key in another text, behind the one that `out` has found there before, then from
 * the beginning: texts of many keys, in one order, are compared in one pass. */
static bool find_after(const char *text, const swe_config_key *target, swe_config_key *out)
{
    const swe_config_key before = *out;
    while (swe_config_key_next(out))
        if (is_same_key(out, target))
            return true;
    *out = (swe_config_key){.next = text};
    while (out->next != before.next && swe_config_key_next(out))
        if (is_same_key(out, target))
            return true;
    *out = before;
    return false;
}

static bool find_key(const char *text, const swe_config_key *target, swe_config_key *out)
{
    *out = (swe_config_key){.next = text};
    return find_after(text, target, out);
}

/* The key of a path, such as "time.end". */
static swe_config_key key_of(const char *path)
{
    const char *dot = strchr(path, '.');
    return (swe_config_key){.section = path,
                            .section_length = (int)(dot - path),
                            .name = dot + 1,
                            .name_length = (int)strlen(dot + 1)};
}

bool swe_config_key_agrees(const swe_config_key *a, const swe_config_key *b)
{
    return is_text(a->value, a->value_length, b->value, b->value_length);
}

/* Whether the initial state of a configuration depends on a key of section `initial`. */
static bool is_read(const char *text, const swe_config_key *k)
{
    const swe_config_key target = key_of("initial.kind");
    char kind[64], name[64];
    swe_config_key found;
    if (!is_text(k->section, k->section_length, target.section, target.section_length) ||
        !find_key(text, &target, &found))
        return true;
    snprintf(kind, sizeof kind, "%.*s", found.value_length, found.value);
    snprintf(name, sizeof name, "%.*s", k->name_length, k->name);
    return swe_initial_reads(kind, name);
}

/* Collects differences. */
typedef struct list {
    char *out;
    size_t size;
    int count;
} list;

static void add(list *l, const swe_config_key *k, const swe_config_key *earlier,
                const swe_config_key *new)
{
    const size_t used = strlen(l->out);
    const char *none = "not known";
    char entry[16] = "";
    if (k->entry > 0)
        snprintf(entry, sizeof entry, "[%d]", k->entry - 1);
    snprintf(l->out + used, l->size - used, "%s%.*s%s.%.*s is %.*s there and %.*s here",
             l->count > 0 ? "; " : "", k->section_length, k->section, entry, k->name_length,
             k->name, earlier != NULL ? earlier->value_length : (int)strlen(none),
             earlier != NULL ? earlier->value : none,
             new != NULL ? new->value_length : (int)strlen(none), new != NULL ? new->value : none);
    l->count++;
}

static bool is_full(const list *l)
{
    return strlen(l->out) + 1 >= l->size;
}

/* Whether a key has the value of an unset one. */
static bool is_unset(const swe_config_key *k)
{
    return is_text(k->value, k->value_length, "''", 2);
}

int swe_config_differences(const char *earlier, const char *new, char *out, size_t size)
{
    list l = {out, size, 0};
    swe_config_key of_new = {.next = new}, of_earlier = {.next = earlier};
    out[0] = '\0';
    while (!is_full(&l) && swe_config_key_next(&of_new)) {
        if (!is_compared(&of_new) || (!is_read(new, &of_new) && !is_read(earlier, &of_new)))
            continue;
        if (!find_after(earlier, &of_new, &of_earlier)) {
            if (!is_unset(&of_new))
                add(&l, &of_new, NULL, &of_new);
        } else if (!swe_config_key_agrees(&of_new, &of_earlier)) {
            add(&l, &of_new, &of_earlier, &of_new);
        }
    }
    of_earlier = (swe_config_key){.next = earlier};
    of_new = (swe_config_key){.next = new};
    while (!is_full(&l) && swe_config_key_next(&of_earlier))
        if (is_compared(&of_earlier) && !is_unset(&of_earlier) &&
            !find_after(new, &of_earlier, &of_new))
            add(&l, &of_earlier, &of_earlier, NULL);
    return l.count;
}

bool swe_config_agrees(const char *earlier, const char *new, const char *path)
{
    const swe_config_key target = key_of(path);
    swe_config_key a, b;
    return find_key(earlier, &target, &a) && find_key(new, &target, &b) &&
           swe_config_key_agrees(&a, &b);
}
