#include <stdio.h>
#include <string.h>

#include "cli/info.h"
#include "config/config.h"

/* The arguments of each stage as the list of stages has them: of a `substep` s of time/step.c. */
static const char *const arguments[SWE_STAGE_COUNT] = {
#define PLAN_ARGUMENTS(name, what, parameters, arguments) #arguments,
    SWE_STAGE_LIST(PLAN_ARGUMENTS)
#undef PLAN_ARGUMENTS
};

/* A member of the substep, and what stands for it. */
typedef struct word {
    const char *member, *meaning;
} word;

static const char *form_of(const swe_step_plan *plan)
{
    return plan->leaps                             ? "leapfrog of order 4, in two sweeps"
           : swe_plan_substeps(plan) == SWE_SWEEPS ? "RK4 by derivatives of h, in two sweeps"
           : swe_plan_is_horner(plan)              ? "RK4 in Horner's form"
                                                   : "classical RK4";
}

/* Print the arguments with each member of the substep replaced. */
static void print_arguments(const char *text, const word *words, int count)
{
    while (*text != '\0') {
        int k = 0;
        while (k < count && strncmp(text, words[k].member, strlen(words[k].member)) != 0)
            k++;
        if (k < count) {
            fputs(words[k].meaning, stdout);
            text += strlen(words[k].member);
        } else {
            putchar(*text++);
        }
    }
}

static void print_call(const swe_step_plan *plan, const swe_planned *call, int number,
                       const char *field)
{
    static const char *const states[] = {"y", "Y1", "Y2", "Y3"};
    const bool is_nonlinear = plan->flow == SWE_FLOW_NONLINEAR;
    static const char *const projections[] = {[SWE_PROJECTS_DH] = "dh",
                                              [SWE_PROJECTS_HEAD] = "head",
                                              [SWE_PROJECTS_VORTICITY] = "vorticity"};
    const char *projected = projections[call->projected]; /* NULL: a field of a state */
    char at[8], h[8], result[64], digit[12], weight[24];
    snprintf(at, sizeof at, "%s.", states[number]);
    snprintf(h, sizeof h, "%s.h", states[number]);
    snprintf(result, sizeof result, "next.%s", field);
    snprintf(digit, sizeof digit, "%d", number);
    /* dt, dt/2, ... or dt^2/12 */
    const double parts = 1.0 / swe_plan_weight(plan, number, 1.0);
    const bool is_square = swe_plan_weight(plan, number, 2.0) * parts > 3.0;
    snprintf(weight, sizeof weight, parts == 1.0 ? "dt%s" : "dt%s/%g", is_square ? "^2" : "",
             parts);
    if (projected == NULL)
        projected = call->projected == SWE_PROJECTS_RESULT ? result : h;
    const word words[] = {{"s->number", digit},
                          {"s->sweep", digit},
                          {"s->weight", weight},
                          {"s->dt * s->params->", "dt "},
                          {"s->lags", "v lags"},
                          {"s->y.h, s->next", "y, next"},
                          {"s->at.", at},
                          {"s->k.", "d"},
                          {"s->work.", ""},
                          {"s->field", field},
                          {"s->projected", projected},
                          {"s->head", is_nonlinear ? "head" : h},
                          {"s->", ""}};
    printf("    %s", swe_stage_name(call->stage));
    print_arguments(arguments[call->stage], words, sizeof words / sizeof *words);
    putchar('\n');
}

static void print_calls(const swe_step_plan *plan, const swe_planned *calls, int number,
                        const swe_field_set *fields)
{
    for (const swe_planned *call = calls; call->stage != SWE_STAGE_COUNT; call++)
        for (int k = 0; k < swe_plan_times(plan, call); k++)
            print_call(plan, call, number,
                       call->times != NULL && plan->advected > 0 &&
                               (calls != swe_plan_end || call->stage == SWE_STAGE_limiter)
                           ? fields->field[SWE_FLOW_FIELDS + k].name
                           : "h");
}

swe_status cli_info_plan(swe_context *ctx, const cli_options *options)
{
    swe_config *config = NULL;
    SWE_TRY(swe_config_plan(ctx, options->case_file, options->set, options->set_count, &config));
    const swe_physics physics = swe_config_physics(config);
    const swe_step_plan plan =
        swe_step_plan_of(&physics, &config->fields, (swe_pipeline)config->scheme.pipeline);
    printf("A step of %s (%s flow, %s pipeline):\n", form_of(&plan), swe_flow_name(plan.flow),
           swe_pipeline_name(plan.pipeline));
    for (int number = 0; number < swe_plan_substeps(&plan); number++) {
        printf("%s %d\n", swe_plan_substeps(&plan) == SWE_SWEEPS ? "sweep" : "substep", number);
        print_calls(&plan, swe_plan_substep(&plan), number, &config->fields);
    }
    if (plan.damps || plan.dissipates || plan.limits) {
        puts("end");
        print_calls(&plan, swe_plan_end, 0, &config->fields);
    }
    swe_config_destroy(&config);
    return SWE_OK;
}
