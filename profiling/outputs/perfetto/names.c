#include "outputs/perfetto/names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct prof_name {
    const char *text; /* NULL where free */
    uint64_t number;
} prof_name;

enum { FIRST_SIZE = 256 };

/* djb2 */
static size_t hash_of(const char *text)
{
    size_t hash = 5381;
    for (; *text != '\0'; text++)
        hash = 33 * hash + (unsigned char)*text;
    return hash;
}

/* The place of a text, or the free one where it belongs. */
static prof_name *place_of(const prof_names *names, const char *text)
{
    size_t k = hash_of(text) % names->size;
    while (names->name[k].text != NULL && strcmp(names->name[k].text, text) != 0)
        k = (k + 1) % names->size;
    return &names->name[k];
}

static bool grow(prof_names *names)
{
    prof_names larger = {.size = names->size == 0 ? FIRST_SIZE : 2 * names->size,
                         .count = names->count};
    larger.name = calloc(larger.size, sizeof *larger.name);
    if (larger.name == NULL)
        return false;
    for (size_t k = 0; k < names->size; k++)
        if (names->name[k].text != NULL)
            *place_of(&larger, names->name[k].text) = names->name[k];
    free(names->name);
    *names = larger;
    return true;
}

uint64_t prof_names_number(prof_names *names, const char *text)
{
    if (2 * names->count >= names->size && !grow(names))
        return 0;
    prof_name *place = place_of(names, text);
    if (place->text == NULL)
        *place = (prof_name){text, ++names->count};
    return place->number;
}

void prof_names_destroy(prof_names *names)
{
    free(names->name);
    *names = (prof_names){0};
}
