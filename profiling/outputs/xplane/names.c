#include "outputs/xplane/names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 64 };

/* FNV-1a. */
static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261u;
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

/* The place of a text, or the free one where it belongs. */
static int32_t *place_of(const xplane_names *names, const char *text)
{
    const uint32_t mask = (uint32_t)names->size - 1;
    uint32_t k = hash_of(text) & mask;
    while (names->place[k] != 0 && strcmp(names->name[names->place[k] - 1].text, text) != 0)
        k = (k + 1) & mask;
    return &names->place[k];
}

/* Room for twice as many; at most half of the places are taken. */
static bool grow(xplane_names *names)
{
    const int32_t size = names->size == 0 ? FIRST_SIZE : 2 * names->size;
    xplane_name *name = realloc(names->name, (size_t)size / 2 * sizeof *name);
    if (name == NULL)
        return false;
    names->name = name;
    int32_t *place = calloc((size_t)size, sizeof *place);
    if (place == NULL)
        return false;
    free(names->place);
    names->place = place;
    names->size = size;
    for (int32_t k = 0; k < names->count; k++)
        *place_of(names, name[k].text) = k + 1;
    return true;
}

int32_t xplane_names_find(xplane_names *names, const char *text, const char *display)
{
    if (2 * names->count >= names->size && !grow(names))
        return 0;
    int32_t *place = place_of(names, text);
    if (*place != 0)
        return *place;
    char *copy = strdup(text);
    if (copy == NULL)
        return 0;
    names->name[names->count++] = (xplane_name){copy, display};
    return *place = names->count;
}

void xplane_names_destroy(xplane_names *names)
{
    for (int32_t k = 0; k < names->count; k++)
        free(names->name[k].text);
    free(names->name);
    free(names->place);
    *names = (xplane_names){NULL, 0, NULL, 0};
}
