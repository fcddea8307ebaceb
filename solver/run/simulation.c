#include <math.h>
#include <stdlib.h>

#include "run/forcing.h"
#include "run/simulation_internal.h"
#include "run/start.h"
#include "stages/regions.h"

/* Read the state of a checkpoint. Setting it keeps every bit: its copies of shared points agree, so
 * that the projection changes nothing. */
static swe_status read_checkpoint(swe_context *ctx, swe_simulation *s)
{
    swe_checkpoint_number numbers[SWE_TALLIES];
    const swe_restart *from = s->options.restart;
    swe_tallies_of(&s->resumed, numbers);
    s->first_step = from->head.step;
    const swe_checkpoint_content wanted = {s->model->grid->layout, s->model->precision,
                                           &s->model->fields, numbers, SWE_TALLIES};
    return swe_checkpoint_file_read(ctx, from->path, &wanted, swe_host_fields_panels(s->host));
}

static swe_status set_initial_state(swe_context *ctx, swe_simulation *s)
{
    SWE_TRY(swe_host_fields_create(ctx, s->model, s->model->fields.count, &s->host));
    SWE_TRY(swe_start_bottom(ctx, s->config, s->test_case, s->model, &s->bottom));
    if (s->options.restart != NULL)
        SWE_TRY(read_checkpoint(ctx, s));
    else
        SWE_TRY(
            swe_start_state(ctx, s->config, s->test_case, s->model, s->bottom, s->host, &s->note));
    /* a step whose output comes again comes before the changes of forcing */
    const bool is_before = s->first_step > 0 && s->options.restart->head.is_before_output;
    const swe_start start = {s->config, s->test_case, s->model, s->bottom, NULL};
    SWE_TRY(swe_forcing_start(ctx, &start, s->first_step - is_before));
    s->model->clock = (swe_clock){0.0, s->first_step, s->schedule.dt};
    /* keep the bottom where field files contain it; it is zero if flat */
    if (!s->options.keeps_bottom &&
        !swe_outputs_need(s->config->output.fields.chosen, SWE_FROM_BOTTOM))
        swe_host_fields_destroy(&s->bottom);
    else if (s->bottom == NULL)
        SWE_TRY(swe_host_fields_create(ctx, s->model, 1, &s->bottom));
    return swe_host_fields_set_state(ctx, s->host, s->resumed.v_lag);
}

swe_status swe_simulation_describe(swe_context *ctx, const swe_simulation *s, char *state,
                                   char **out)
{
    static char none[] = "";
    swe_config config = *s->config;
    config.start.state = state;
    config.checkpoint.dir = none;
    config.profile.dir = none;
    config.parallel.blocks_1 = config.parallel.blocks_2 = 1;
    config.parallel.transport = SWE_TRANSPORT_AUTO;
    config.checkpoint.writers = SWE_WRITERS_AUTO;
    return swe_config_text(ctx, &config, out);
}

static swe_status create(swe_context *ctx, swe_simulation *s)
{
    const swe_config *config = s->config;
    if (config->start.state[0] != '\0' && s->options.restart == NULL)
        return swe_fail(ctx, SWE_CONFIG,
                        "start.state: there is no checkpoint of this state: name one by --restart "
                        "of cubeswe run, or leave the key out");
    swe_model_options model =
        swe_config_model(config, s->options.backend, s->options.threads, s->options.profiler);
    model.all_arrays = s->options.all_arrays;
    if (s->options.has_own_forcing) {
        model.physics.has_source = model.physics.has_stirring = true;
        model.physics.density = HUGE_VAL;          /* the source has no stress */
        if (model.physics.equations == SWE_LINEAR) /* Horner's substeps are not at states of RK4 */
            model.pipeline = SWE_PIPELINE_STAGED;
    }
    SWE_TRY(swe_model_create(ctx, &model, &s->model));
    s->model->backend->describe(s->model->device_index, s->device, sizeof s->device);
    const swe_initial initial = swe_config_initial(config);
    if (initial.kind != SWE_INITIAL_FILE) {
        SWE_TRY(swe_case_create(ctx, &initial, &s->model->physics, &s->test_case));
        s->reference = swe_case_reference(&initial, &s->model->physics);
    }
    SWE_TRY(swe_simulation_describe(ctx, s, config->start.state, &s->configuration));
    s->schedule = swe_schedule_of(config, s->reference != SWE_REFERENCE_NONE);
    SWE_TRY(set_initial_state(ctx, s));
    if (s->options.restart != NULL || config->physics.model != SWE_NONLINEAR)
        return SWE_OK;
    /* the initial flow is not too fast for the time step, before anything is written */
    swe_integrals integrals;
    SWE_TRY(swe_integrals_measure(ctx, s->model, &integrals));
    return swe_config_check_flow(ctx, config, integrals.fastest.value);
}

swe_status swe_simulation_create(swe_context *ctx, const swe_config *config,
                                 const swe_simulation_options *options, swe_simulation **out)
{
    *out = NULL;
    swe_simulation *s = calloc(1, sizeof *s);
    if (s == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the run");
    s->config = config;
    s->options = *options;
    s->checkpoint_step = -1;
    prof_begin(options->profiler, SWE_REGION_setup);
    const swe_status status = create(ctx, s);
    prof_end(options->profiler);
    if (status != SWE_OK) {
        swe_simulation_destroy(&s);
        return status;
    }
    *out = s;
    return SWE_OK;
}

void swe_simulation_destroy(swe_simulation **pointer)
{
    swe_simulation *s = *pointer;
    if (s == NULL)
        return;
    swe_case_destroy(&s->test_case);
    swe_host_fields_destroy(&s->bottom);
    swe_host_fields_destroy(&s->host);
    swe_model_destroy(&s->model);
    free(s->configuration);
    free(s);
    *pointer = NULL;
}

swe_model *swe_simulation_model(swe_simulation *simulation)
{
    return simulation->model;
}

const swe_input_note *swe_simulation_note(const swe_simulation *simulation)
{
    return &simulation->note;
}

const char *swe_simulation_device(const swe_simulation *simulation)
{
    return simulation->device;
}
