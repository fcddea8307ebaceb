#define _GNU_SOURCE /* tdestroy */
#include "sources/cupti/cupti_names.h"

#include <search.h>
#include <stdlib.h>

#include "base/library.h"

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = ((const prof_cupti_entry *)a)->key, y = ((const prof_cupti_entry *)b)->key;
    return (x > y) - (x < y);
}

static prof_cupti_entry *find(const prof_cupti_map *map, uint64_t key)
{
    const prof_cupti_entry wanted = {key, NULL};
    prof_cupti_entry *const *found = tfind(&wanted, &map->tree, compare_keys);
    return found != NULL ? *found : NULL;
}

bool prof_cupti_map_set(prof_cupti_map *map, uint64_t key, const void *value)
{
    prof_cupti_entry *entry = find(map, key);
    if (entry == NULL) {
        entry = map->count < PROF_CUPTI_MAP_MOST ? malloc(sizeof *entry) : NULL;
        if (entry == NULL)
            return false;
        entry->key = key;
        if (tsearch(entry, &map->tree, compare_keys) == NULL) {
            free(entry);
            return false;
        }
        map->count++;
    }
    entry->value = value;
    return true;
}

const void *prof_cupti_map_get(const prof_cupti_map *map, uint64_t key, bool *found)
{
    const prof_cupti_entry *entry = find(map, key);
    if (found != NULL)
        *found = entry != NULL;
    return entry != NULL ? entry->value : NULL;
}

void prof_cupti_map_free(prof_cupti_map *map)
{
    tdestroy(map->tree, free);
    *map = (prof_cupti_map){0};
}

void prof_cupti_names_capture(prof_cupti_names *names)
{
    names->steps = names->calls = 0;
}

void prof_cupti_names_push(prof_cupti_names *names, prof_cupti_region region)
{
    names->steps += region.kind == PROF_STEP;
    names->calls += region.kind == PROF_STAGE;
    if (names->depth < PROF_CUPTI_DEPTH)
        names->region[names->depth] = region;
    names->depth++;
}

bool prof_cupti_names_pop(prof_cupti_names *names)
{
    if (names->depth == 0)
        return false;
    names->depth--;
    return names->depth < PROF_CUPTI_DEPTH && names->region[names->depth].linked;
}

/* The label of a node that is created now; NULL in no region, or without memory. */
static const prof_cupti_label *innermost(prof_cupti_names *names)
{
    const int depth = names->depth < PROF_CUPTI_DEPTH ? names->depth : PROF_CUPTI_DEPTH;
    if (depth == 0)
        return NULL;
    const prof_cupti_region *region = &names->region[depth - 1];
    const int32_t step = (int32_t)names->steps;
    const int32_t call = region->kind == PROF_STAGE ? (int32_t)names->calls : 0;
    prof_cupti_label *label = names->labels;
    if (label != NULL && label->name == region->name && label->step == step && label->call == call)
        return label; /* of the node before */
    label = malloc(sizeof *label);
    if (label != NULL) {
        *label = (prof_cupti_label){region->name, step, call, names->labels};
        names->labels = label;
    }
    return label;
}

static void set(prof_cupti_names *names, uint64_t node, const prof_cupti_label *label)
{
    if (node != 0 && !prof_cupti_map_set(&names->nodes, node, label))
        names->nameless++;
}

void prof_cupti_names_node(prof_cupti_names *names, uint64_t node)
{
    set(names, node, innermost(names));
}

void prof_cupti_names_copy(prof_cupti_names *names, uint64_t node, uint64_t original)
{
    set(names, node, prof_cupti_names_of_node(names, original));
}

const prof_cupti_label *prof_cupti_names_of_node(const prof_cupti_names *names, uint64_t node)
{
    return prof_cupti_map_get(&names->nodes, node, NULL);
}

void prof_cupti_names_free(prof_cupti_names *names)
{
    prof_cupti_map_free(&names->nodes);
    while (names->labels != NULL) {
        prof_cupti_label *label = names->labels;
        names->labels = label->next;
        free(label);
    }
}

prof_cupti_demangle *prof_cupti_demangle_find(void)
{
    static const char *const places[] = {NULL, "libstdc++.so.6"}; /* NULL: the process itself */
    for (int k = 0; k < 2; k++) {
        void *handle = dlopen(places[k], RTLD_LAZY);
        prof_cupti_demangle *demangle = NULL;
        if (handle != NULL && swe_library_find(handle, "__cxa_demangle", &demangle))
            return demangle;
    }
    return NULL;
}

const char *prof_cupti_demangled_name(prof_cupti_demangle *demangle, const char *mangled,
                                      prof_trace *trace)
{
    int status = 0;
    char *plain = demangle != NULL ? demangle(mangled, NULL, NULL, &status) : NULL;
    const char *name = prof_trace_intern(trace, plain != NULL ? plain : mangled);
    free(plain);
    return name;
}
