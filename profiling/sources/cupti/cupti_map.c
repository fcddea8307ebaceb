#include "sources/cupti/cupti_map.h"

#include <stdlib.h>

enum { FIRST_SIZE = 64 };

/* Entry of a key, or the free entry for it. Fibonacci hashing spreads addresses and counters. */
static prof_cupti_entry *place_of(const prof_cupti_map *map, uint64_t key)
{
    size_t k = (size_t)((key * 11400714819323198485u) >> 32) & (map->size - 1);
    while (map->entry[k].key != 0 && map->entry[k].key != key)
        k = (k + 1) & (map->size - 1);
    return &map->entry[k];
}

static bool grow(prof_cupti_map *map)
{
    const size_t size = map->size == 0 ? FIRST_SIZE : 2 * map->size;
    prof_cupti_map larger = {calloc(size, sizeof *map->entry), size, map->count};
    if (larger.entry == NULL)
        return false;
    for (size_t k = 0; k < map->size; k++)
        if (map->entry[k].key != 0)
            *place_of(&larger, map->entry[k].key) = map->entry[k];
    free(map->entry);
    *map = larger;
    return true;
}

bool prof_cupti_map_set(prof_cupti_map *map, uint64_t key, const char *text)
{
    if (2 * (map->count + 1) > map->size && !grow(map))
        return false;
    prof_cupti_entry *place = place_of(map, key);
    if (place->key == 0) {
        if (map->count == PROF_CUPTI_MAP_MOST)
            return false;
        map->count++;
    }
    *place = (prof_cupti_entry){key, text};
    return true;
}

bool prof_cupti_map_get(const prof_cupti_map *map, uint64_t key, const char **text)
{
    if (map->size == 0 || key == 0)
        return false;
    const prof_cupti_entry *place = place_of(map, key);
    if (place->key == 0)
        return false;
    *text = place->text;
    return true;
}

void prof_cupti_map_free(prof_cupti_map *map)
{
    free(map->entry);
    *map = (prof_cupti_map){0};
}
