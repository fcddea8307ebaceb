#include "report/html/colour.h"

#include <string.h>

int colour_of(const prof_report_window *window, const char *stage)
{
    int before = 0;
    bool is_stage = false;
    for (int k = 0; k < window->stage_count; k++) {
        const int order = strcmp(window->stages[k].name, stage);
        before += order < 0;
        is_stage = is_stage || order == 0;
    }
    return is_stage ? before % COLOUR_STAGES : COLOUR_OTHER;
}

const char *colour_class(int colour)
{
    static const char *const classes[COLOUR_COUNT] = {"c0", "c1", "c2", "c3",    "c4",
                                                      "c5", "c6", "c7", "other", "transfer"};
    return classes[colour];
}
