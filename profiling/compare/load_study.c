/* profile.json: components, each timed alone. */
#include <stdio.h>
#include <string.h>

#include "compare/reading.h"

typedef struct component {
    const char *name;
    double median_us, low_us, high_us, share;
    int64_t samples;
} component;

/* What a component is: the file does not say, but a step and what holds several have these names.
 */
static prof_kind kind_of(const char *name)
{
    static const char *const steps[] = {"step", "loop", "captured", "other step", "other loop"};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        if (strcmp(name, steps[k]) == 0)
            return PROF_STEP;
    return strcmp(name, "rhs") == 0 ? PROF_PART : PROF_STAGE;
}

static bool add_component(const component *c, prof_measured *measured)
{
    prof_quantity named = {.kind = kind_of(c->name), .share = c->share};
    snprintf(named.name, sizeof named.name, "%s", c->name);
    const measured_value value = {c->median_us, c->low_us, c->high_us, (long)c->samples};
    return measured_add(measured, &named, value);
}

static bool note_study(reader *r, const node *study, prof_measured *measured)
{
    static const struct {
        const char *key;
        bool is_task;
    } keys[] = {{"case", true},      {"n", true},          {"order", true},      {"version", false},
                {"build", false},    {"backend", false},   {"device", false},    {"threads", false},
                {"pipeline", false}, {"precision", false}, {"loop_steps", false}};
    bool noted = measured_note(measured, "measured", "components, timed alone", true);
    for (size_t k = 0; noted && k < sizeof keys / sizeof *keys; k++)
        noted = measured_note(measured, keys[k].key,
                              reader_text(r, json_object_get(study->value, keys[k].key)),
                              keys[k].is_task);
    return noted;
}

void measured_read_study(reader *r, const node *study, prof_measured *measured)
{
    static const field fields[] = {{"name", FIELD_TEXT, offsetof(component, name)},
                                   {"median_us", FIELD_NUMBER, offsetof(component, median_us)},
                                   {"low_quartile_us", FIELD_NUMBER, offsetof(component, low_us)},
                                   {"high_quartile_us", FIELD_NUMBER, offsetof(component, high_us)},
                                   {"samples", FIELD_COUNT, offsetof(component, samples)},
                                   {"share", FIELD_NUMBER, offsetof(component, share)}};
    int count = 0;
    const node list = read_array(r, study, "components");
    read_unique(r, &list, UNIQUE("name"));
    const component *components =
        read_list(r, study, "components", FIELDS(fields), sizeof *components, &count);
    if (read_size(&list) == 0)
        reader_refuse(r, &list, "is a profile without components");
    bool noted = r->status != PROF_LOADED || note_study(r, study, measured);
    for (int k = 0; noted && k < count; k++)
        noted = add_component(&components[k], measured);
    if (!noted)
        r->status = PROF_LOAD_NO_MEMORY;
}
