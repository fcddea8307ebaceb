#include "diagnostics/comparison.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { HEIGHT_FIELDS = 2, VELOCITY_FIELDS = 4 };

int swe_comparison_fields(const swe_initial *initial, const swe_physics *physics)
{
    if (swe_case_reference(initial, physics) == SWE_REFERENCE_NONE)
        return 0;
    return HEIGHT_FIELDS + (swe_case_has_velocity(initial) ? VELOCITY_FIELDS : 0);
}

swe_status swe_comparison_create(swe_context *ctx, const swe_case *test_case, bool has_velocity,
                                 const swe_quadrature *q, swe_comparison *out)
{
    const size_t field = (size_t)q->grid->layout.field;
    const size_t fields = HEIGHT_FIELDS + (has_velocity ? VELOCITY_FIELDS : 0);
    *out = (swe_comparison){.test_case = test_case, .q = q, .has_velocity = has_velocity};
    SWE_TRY(swe_memory_doubles(ctx, fields * field, &out->h));
    out->h_error = out->h + field;
    if (has_velocity) {
        out->v1 = out->h_error + field;
        out->v2 = out->v1 + field;
        out->speed = out->v2 + field;
        out->length = out->speed + field;
    }
    return SWE_OK;
}

void swe_comparison_destroy(swe_comparison *comparison)
{
    free(comparison->h);
    *comparison = (swe_comparison){0};
}

void swe_comparison_measure(const swe_comparison *comparison, double t, const double *h,
                            const double *v1, const double *v2, swe_errors *errors,
                            swe_velocity_errors *velocity)
{
    const swe_comparison *c = comparison;
    const swe_grid *grid = c->q->grid;
    swe_case_height(c->test_case, grid, c->q->threads, t, c->h);
    swe_errors_measure(c->q, h, c->h, c->h_error, errors);
    *velocity = (swe_velocity_errors){NAN, NAN, NAN, NAN};
    if (!c->has_velocity)
        return;
    swe_case_velocity(c->test_case, grid, c->q->threads, t, c->v1, c->v2);
    swe_case_speed(c->test_case, grid, c->q->threads, t, c->speed);
    swe_errors_measure_velocity(c->q, v1, v2, c->speed, c->v1, c->v2, c->length, velocity);
}
