#include "checkpoint/restart.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cases/case.h"

bool swe_config_key_next(swe_config_key *k)
{
    const int most = sizeof k->path / 3 - 2; /* of a name, which is cut */
    while (*k->next != '\0') {
        const char *line = k->next, *end = line + strcspn(line, "\n");
        const char *colon = memchr(line, ':', (size_t)(end - line));
        const char *name = line[0] != ' ' ? line : line + strspn(line, " -");
        k->next = *end == '\n' ? end + 1 : end;
        if (colon == NULL)
            continue;
        const int length = colon - name < most ? (int)(colon - name) : most;
        if (line[0] != ' ') {
            k->section_length = snprintf(k->path, sizeof k->path, "%.*s.", length, name) - 1;
            k->map_length = k->section_length;
            k->entry = 0;
            continue;
        }
        k->entry += line[strspn(line, " ")] == '-';
        k->value = colon + (colon + 1 < end ? 2 : 1);
        k->value_length = (int)(end - k->value);
        if (k->path[0] == '\0' || length <= 0 || k->value_length < 0)
            return false;
        const bool is_in_map = k->entry == 0 && strncmp(line, "    ", 4) == 0;
        const bool is_map = k->entry == 0 && !is_in_map && colon + 1 == end;
        const int before = (is_in_map ? k->map_length : k->section_length) + 1;
        snprintf(k->path + before, (size_t)most + 1, "%.*s%s", length, name, is_map ? "." : "");
        if (!is_map)
            return true;
        k->map_length = before + length;
    }
    return false;
}

static bool is_same_key(const swe_config_key *a, const swe_config_key *b)
{
    return a->entry == b->entry && strcmp(a->path, b->path) == 0;
}

bool swe_config_key_agrees(const swe_config_key *a, const swe_config_key *b)
{
    return a->value_length == b->value_length &&
           memcmp(a->value, b->value, (size_t)a->value_length) == 0;
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

static bool find_key(const char *text, const char *path, swe_config_key *out)
{
    swe_config_key target = {.entry = 0};
    snprintf(target.path, sizeof target.path, "%s", path);
    *out = (swe_config_key){.next = text};
    return find_after(text, &target, out);
}

/* Whether the solution depends on a key. */
static bool is_compared(const swe_config_key *k)
{
    static const char *const others[] = {"time.",
                                         "output.",
                                         "diagnostics.",
                                         "checkpoint.",
                                         "profile.",
                                         "parallel.",
                                         "scheme.pipeline",
                                         "initial.variable_h",
                                         "initial.variable_u",
                                         "initial.variable_v",
                                         "initial.time"};
    bool is = strcmp(k->path + k->section_length, ".path") != 0;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const size_t length = strlen(others[i]);
        is = is && (strncmp(k->path, others[i], length) != 0 ||
                    (others[i][length - 1] != '.' && k->path[length] != '\0'));
    }
    return is;
}

/* Whether the initial state of a configuration depends on a key of section `initial`. */
static bool is_read(const char *text, const swe_config_key *k)
{
    char kind[64];
    swe_config_key found;
    if (strncmp(k->path, "initial.", 8) != 0 || !find_key(text, "initial.kind", &found))
        return true;
    snprintf(kind, sizeof kind, "%.*s", found.value_length, found.value);
    return swe_initial_reads(kind, k->path + 8);
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
    char entry[16] = "";
    if (k->entry > 0)
        snprintf(entry, sizeof entry, "[%d]", k->entry - 1);
    snprintf(l->out + used, l->size - used, "%s%.*s%s%s is %.*s there and %.*s here",
             l->count > 0 ? "; " : "", k->section_length, k->path, entry,
             k->path + k->section_length, earlier->value_length, earlier->value, new->value_length,
             new->value);
    l->count++;
}

/* Go through one of two texts, the new one or the earlier one, and find its keys in the other.
 * Different values are differences of the new text alone; a key that the other text lacks is one
 * of both, unless it is an empty text. */
static void compare(list *l, const char *text, const char *other, bool is_new)
{
    static const swe_config_key unknown = {.value = "not known", .value_length = 9};
    static const swe_config_key unset = {.value = "''", .value_length = 2};
    swe_config_key k = {.next = text}, found = {.next = other};
    while (strlen(l->out) + 1 < l->size && swe_config_key_next(&k)) {
        if (!is_compared(&k) || (is_new && !is_read(text, &k) && !is_read(other, &k)))
            continue;
        const bool is_there = find_after(other, &k, &found);
        const swe_config_key *const its = is_there ? &found : &unknown;
        if (is_there ? is_new && !swe_config_key_agrees(&k, its)
                     : !swe_config_key_agrees(&k, &unset))
            add(l, &k, is_new ? its : &k, is_new ? &k : its);
    }
}

int swe_config_differences(const char *earlier, const char *new, char *out, size_t size)
{
    list l = {out, size, 0};
    out[0] = '\0';
    compare(&l, new, earlier, true);
    compare(&l, earlier, new, false);
    return l.count;
}

bool swe_config_agrees(const char *earlier, const char *new, const char *path)
{
    swe_config_key a, b;
    return find_key(earlier, path, &a) && find_key(new, path, &b) && swe_config_key_agrees(&a, &b);
}
