#include "outputs/dataflow/on_chip.h"

#include <math.h>
#include <string.h>

const int flow_block_rows[FLOW_BLOCKS] = {1, 4, 16, 64};

/* A number that the program told; `missing` if it did not. */
static double fact_of(const prof_trace *trace, const char *name, double missing)
{
    for (int32_t k = 0; k < trace->fact_count; k++)
        if (strcmp(trace->facts[k].name, name) == 0 && trace->facts[k].text == NULL)
            return trace->facts[k].number;
    return missing;
}

flow_shape flow_shape_of(const prof_trace *trace)
{
    const double n = fact_of(trace, "n", 0.0), order = fact_of(trace, "order", -1.0);
    return (flow_shape){n > 0.0 ? n + 1.0 : 0.0, order >= 0.0 ? order / 2.0 : -1.0};
}

static bool is_same_buffer(const prof_access *a, const prof_access *b)
{
    return strcmp(a->buffer, b->buffer) == 0;
}

/* Bytes of the buffers when of each the given fraction of what is read, and of what is written, is
 * held: the larger of both, as they are the same values. */
static double held_bytes(const prof_cost *cost, double of_read, double of_written)
{
    double sum = 0.0;
    for (int k = 0; k < cost->access_count; k++) {
        const prof_access *access = &cost->accesses[k];
        double most = 0.0;
        bool seen = false;
        for (int j = 0; j < cost->access_count && !seen; j++) {
            const prof_access *other = &cost->accesses[j];
            if (!is_same_buffer(access, other))
                continue;
            seen = j < k;
            most = fmax(most, other->bytes * (other->writes ? of_written : of_read));
        }
        sum += seen ? 0.0 : most;
    }
    return sum;
}

double flow_whole_bytes(const prof_cost *cost)
{
    return held_bytes(cost, 1.0, 1.0);
}

double flow_block_bytes(const prof_cost *cost, flow_shape shape, int rows)
{
    const double row = 1.0 / (FLOW_PANELS * shape.rows);
    return held_bytes(cost, row * fmin(rows + 2.0 * shape.halo, shape.rows), row * rows);
}
