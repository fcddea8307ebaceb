#include "base/former_names.h"

#include <stddef.h>
#include <string.h>

#define STAGE(former, current)                                                                     \
    {                                                                                              \
        SWE_NAMED_STAGE, former, current, "note: the stage " former " is now named " current       \
    }
#define ARRAY(former, current)                                                                     \
    {                                                                                              \
        SWE_NAMED_ARRAY, former, current, "note: the array " former " is now named " current       \
    }

static const struct {
    swe_named what;
    const char *former, *current, *note;
} table[] = {
    /* in profiles up to commit 4e9fa98: summary.json, timeline.json, profile.json */
    STAGE("join", "flux_projection"),
    STAGE("budgets", "integrals"),
    ARRAY("margin", "edge_vorticity"),
    ARRAY("budgets", "integrals"),
    /* grid.closure in cases and configurations up to commit 4b61499 */
    {SWE_NAMED_CLOSURE, "default", "equispaced",
     "note: the closure default is now named equispaced"},
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
