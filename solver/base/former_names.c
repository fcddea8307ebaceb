#include "base/former_names.h"

#include <stddef.h>
#include <string.h>

#define ROW(what, noun, former, current)                                                           \
    {                                                                                              \
        what, former, current, "note: the " noun " " former " is now named " current               \
    }

static const struct {
    swe_named what;
    const char *former, *current, *note;
} table[] = {
    /* in profiles up to commit 4e9fa98: summary.json, timeline.json, profile.json */
    ROW(SWE_NAMED_STAGE, "stage", "join", "flux_projection"),
    ROW(SWE_NAMED_STAGE, "stage", "budgets", "integrals"),
    ROW(SWE_NAMED_ARRAY, "array", "margin", "edge_vorticity"),
    ROW(SWE_NAMED_ARRAY, "array", "budgets", "integrals"),
    /* grid.closure in cases and configurations up to commit 4b61499 */
    ROW(SWE_NAMED_CLOSURE, "closure", "default", "equispaced"),
};

const char *swe_current_name(swe_named what, const char *name, const char **note)
{
    *note = NULL;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].what == what && strcmp(table[k].former, name) == 0) {
            *note = table[k].note;
            return table[k].current;
        }
    return name;
}
