#include "outputs/xplane/xplane_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

/* FNV-1a. */
static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261u;
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

/* The slot of a text, or the free slot for it. */
static int32_t *slot_of(const xplane_names *names, const char *text)
{
    const uint32_t mask = (uint32_t)names->size - 1;
    uint32_t k = hash_of(text) & mask;
    while (names->slot[k] != 0 && strcmp(names->name[names->slot[k] - 1].text, text) != 0)
        k = (k + 1) & mask;
    return &names->slot[k];
}

/* Double the table; at most half of its slots are used. */
static bool grow(xplane_names *names)
{
    const int32_t size = names->size == 0 ? FIRST_SLOTS : 2 * names->size;
    xplane_name *name = realloc(names->name, (size_t)size / 2 * sizeof *name);
    if (name == NULL)
        return false;
    names->name = name;
    int32_t *slot = calloc((size_t)size, sizeof *slot);
    if (slot == NULL)
        return false;
    free(names->slot);
    names->slot = slot;
    names->size = size;
    for (int32_t k = 0; k < names->count; k++)
        *slot_of(names, name[k].text) = k + 1;
    return true;
}

int32_t xplane_names_find(xplane_names *names, const char *text, const char *display)
{
    if (2 * names->count >= names->size && !grow(names))
        return 0;
    int32_t *slot = slot_of(names, text);
    if (*slot != 0)
        return *slot;
    char *copy = strdup(text);
    if (copy == NULL)
        return 0;
    names->name[names->count++] = (xplane_name){copy, display};
    return *slot = names->count;
}

void xplane_names_destroy(xplane_names *names)
{
    for (int32_t k = 0; k < names->count; k++)
        free(names->name[k].text);
    free(names->name);
    free(names->slot);
    *names = (xplane_names){NULL, 0, NULL, 0};
}

enum { NAME_LENGTH = 120 }; /* longest part of one name */

/* Append a name without the separators '/' and ':'. A type has only lower-case letters, digits and
 * '_': XProf does not count operations with other types. */
static size_t append_name(char *text, size_t at, const char *name, bool is_type)
{
    if (is_type && !isalpha((unsigned char)name[0]))
        text[at++] = '_';
    for (int k = 0; k < NAME_LENGTH && name[k] != '\0'; k++) {
        const unsigned char c = (unsigned char)name[k];
        if (is_type)
            text[at++] = isalnum(c) ? (char)tolower(c) : '_';
        else
            text[at++] = c == '/' || c == ':' ? '_' : (char)c;
    }
    return at;
}

static size_t append_scopes(const prof_trace *trace, int32_t span, char *text)
{
    if (span < 0 || trace->spans[span].kind == PROF_STEP || trace->spans[span].kind == PROF_PHASE)
        return 0;
    size_t at = append_scopes(trace, trace->spans[span].parent, text);
    if (at + 3 * (NAME_LENGTH + 2) >= XPLANE_OP_NAME_SIZE)
        return at; /* no room for deeper scopes: keep the outer ones */
    at = append_name(text, at, trace->spans[span].name, false);
    text[at++] = '/';
    return at;
}

void xplane_op_name(const prof_trace *trace, int32_t span, const char *stage,
                    char text[XPLANE_OP_NAME_SIZE])
{
    size_t at = span >= 0 ? append_scopes(trace, trace->spans[span].parent, text) : 0;
    at = append_name(text, at, stage, false);
    text[at++] = ':';
    at = append_name(text, at, stage, true);
    text[at] = '\0';
}
