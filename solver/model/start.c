#include "model/start.h"

#include "stages/rhs.h"

swe_status swe_start_bottom(swe_context *ctx, const swe_case *test_case, swe_model *model,
                            double *host)
{
    if (!swe_case_has_bottom(test_case))
        return SWE_OK;
    swe_case_bottom(test_case, model->grid, model->workers.threads, host);
    return swe_model_set_bottom(ctx, model, host);
}

void swe_start_state(const swe_case *test_case, const swe_model *model, double *host)
{
    const swe_fields state = swe_fields_at(&model->grid->layout, host);
    const int threads = model->workers.threads;
    swe_case_height(test_case, model->grid, threads, 0.0, state.h);
    swe_case_velocity(test_case, model->grid, threads, 0.0, state.v1, state.v2);
}

swe_status swe_start_from_case(swe_context *ctx, const swe_case *test_case, swe_model *model,
                               double *host)
{
    SWE_TRY(swe_start_bottom(ctx, test_case, model, host));
    swe_start_state(test_case, model, host);
    return swe_model_set_state(ctx, model, host);
}
