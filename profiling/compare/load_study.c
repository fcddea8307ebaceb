/* profile.json: components, each timed alone. */
#include "compare/loading.h"

#include <stdio.h>
#include <string.h>

/* What a component is: the file does not say, but a step and what holds several have these names.
 */
static prof_kind kind_of(const char *name)
{
    static const char *const steps[] = {"step", "loop", "captured"};
    for (int k = 0; k < 3; k++)
        if (strcmp(name, steps[k]) == 0)
            return PROF_STEP;
    return strcmp(name, "rhs") == 0 ? PROF_PART : PROF_STAGE;
}

static prof_load read_component(const loading *file, const json_t *component,
                                prof_measured *measured)
{
    double median = 0.0, low = 0.0, high = 0.0, samples = 0.0;
    prof_quantity named = {0};
    const char *name = loading_text(file, component, "name");
    if (name == NULL || !loading_number(file, component, "median_us", &median) ||
        !loading_number(file, component, "low_quartile_us", &low) ||
        !loading_number(file, component, "high_quartile_us", &high) ||
        !loading_number(file, component, "samples", &samples) ||
        !loading_number(file, component, "share", &named.share))
        return PROF_LOAD_BAD;
    snprintf(named.name, sizeof named.name, "%s", name);
    named.kind = kind_of(name);
    const measured_value value = {median, low, high, (long)samples};
    return measured_add(measured, &named, value) ? PROF_LOADED : PROF_LOAD_NO_MEMORY;
}

prof_load measured_read_study(const loading *file, const json_t *study, prof_measured *measured)
{
    static const struct {
        const char *key;
        bool is_task;
    } keys[] = {{"case", true},      {"n", true},          {"order", true},   {"version", false},
                {"build", false},    {"backend", false},   {"device", false}, {"threads", false},
                {"pipeline", false}, {"loop_steps", false}};
    size_t k;
    json_t *component, *kind = json_string("components, timed alone");
    bool noted = kind != NULL && measured_note(measured, "measured", kind, true);
    json_decref(kind);
    for (k = 0; noted && k < sizeof keys / sizeof *keys; k++)
        noted = measured_note(measured, keys[k].key, json_object_get(study, keys[k].key),
                              keys[k].is_task);
    if (!noted)
        return PROF_LOAD_NO_MEMORY;
    json_array_foreach(json_object_get(study, "components"), k, component)
    {
        const prof_load status = read_component(file, component, measured);
        if (status != PROF_LOADED)
            return status;
    }
    return measured->quantity_count > 0
               ? PROF_LOADED
               : loading_fails(file, PROF_LOAD_BAD, "a profile without components");
}
