#include "checkpoint/config_differences.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cases/case.h"

/* Sections, keys, and names of keys in any section that do not change the solution. */
static const char *const other_sections[] = {"time", "output", "diagnostics", "checkpoint",
                                             "profile"};
static const char *const excluded[] = {"scheme.pipeline", "initial.variable_h",
                                       "initial.variable_u", "initial.variable_v"};
static const char *const excluded_names[] = {"path"};

/* A key in the text of a configuration, as slices of the text. */
typedef struct key {
    const char *next; /* the next line */
    const char *section, *name, *value;
    int section_length, name_length, value_length;
    int entry; /* of a section that is a list, from 1; 0: the section is a map */
} key;

/* Advance to the next key; false: no more keys. */
static bool next_key(key *k)
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

static bool is_compared(const key *k)
{
    char path[128];
    const int length = snprintf(path, sizeof path, "%.*s.%.*s", k->section_length, k->section,
                                k->name_length, k->name);
    return !is_one_of(k->section, k->section_length, other_sections, COUNT(other_sections)) &&
           !is_one_of(k->name, k->name_length, excluded_names, COUNT(excluded_names)) &&
           (length >= (int)sizeof path || !is_one_of(path, length, excluded, COUNT(excluded)));
}

/* Find the same key in another text. */
static bool find_key(const char *text, const key *target, key *out)
{
    *out = (key){.next = text};
    while (next_key(out))
        if (out->entry == target->entry &&
            is_text(out->section, out->section_length, target->section, target->section_length) &&
            is_text(out->name, out->name_length, target->name, target->name_length))
            return true;
    return false;
}

/* Whether the initial state of a configuration depends on a key of section `initial`. */
static bool is_read(const char *text, const key *k)
{
    const key target = {
        .section = "initial", .section_length = 7, .name = "kind", .name_length = 4};
    char kind[64], name[64];
    key found;
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

static void add(list *l, const key *k, const key *there, const key *here)
{
    const size_t used = strlen(l->out);
    const char *none = "not known";
    char entry[16] = "";
    if (k->entry > 0)
        snprintf(entry, sizeof entry, "[%d]", k->entry - 1);
    snprintf(l->out + used, l->size - used, "%s%.*s%s.%.*s is %.*s there and %.*s here",
             l->count > 0 ? "; " : "", k->section_length, k->section, entry, k->name_length,
             k->name, there != NULL ? there->value_length : (int)strlen(none),
             there != NULL ? there->value : none,
             here != NULL ? here->value_length : (int)strlen(none),
             here != NULL ? here->value : none);
    l->count++;
}

/* Whether a key has the value of an unset one. Texts written before the key existed lack it. */
static bool is_unset(const key *k)
{
    return is_text(k->value, k->value_length, "''", 2);
}

int swe_config_differences(const char *there, const char *here, char *out, size_t size)
{
    list l = {out, size, 0};
    key of_here = {.next = here}, of_there;
    out[0] = '\0';
    while (next_key(&of_here)) {
        if (!is_compared(&of_here) || (!is_read(here, &of_here) && !is_read(there, &of_here)))
            continue;
        if (!find_key(there, &of_here, &of_there)) {
            if (!is_unset(&of_here))
                add(&l, &of_here, NULL, &of_here);
        } else if (!is_text(of_here.value, of_here.value_length, of_there.value,
                            of_there.value_length)) {
            add(&l, &of_here, &of_there, &of_here);
        }
    }
    of_there = (key){.next = there};
    while (next_key(&of_there))
        if (is_compared(&of_there) && !is_unset(&of_there) && !find_key(here, &of_there, &of_here))
            add(&l, &of_there, &of_there, NULL);
    return l.count;
}

bool swe_config_agrees(const char *there, const char *here, const char *path)
{
    const char *dot = strchr(path, '.');
    const key target = {.section = path,
                        .section_length = (int)(dot - path),
                        .name = dot + 1,
                        .name_length = (int)strlen(dot + 1)};
    key a, b;
    return find_key(there, &target, &a) && find_key(here, &target, &b) &&
           is_text(a.value, a.value_length, b.value, b.value_length);
}
