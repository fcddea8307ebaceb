#include "cli/bench.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/report.h"
#include "model/components.h"

static const char help[] =
    "Usage: cubeswe bench [CASE.yaml] [options]\n"
    "\n"
    "Time the steps of a case (default: the pulse that all keys' defaults make) at several sizes\n"
    "against what the device reaches at most, measured in the same run; write bench.json, .csv,\n"
    ".md and .svg. Samples of all sizes are taken in turn.\n"
    "\n"
    "  --n LIST                 cells along a panel side, ascending (default: 24, 48 and so on, "
    "as\n"
    "                           far as there is memory and a size takes no longer than a minute)\n"
    "  --pipeline LIST          fused, staged or fused,staged (default: that of the case)\n"
    "  --precision LIST         double, single or double,single (default: that of the case)\n"
    "  --order LIST             orders (default: that of the case)\n"
    "  --repeats R              samples of every size, 30 to 1000 (default: 30)\n"
    "  --set section.key=value  override a key of the case (config/README.md); may be repeated\n"
    "  --backend NAME           cpu, cuda, cuda:<device>, or auto: a GPU if one works (default)\n"
    "  --threads T              CPU threads (default: as many as pay off)\n"
    "  -o, --output DIR         where results go (default: output/<case>_bench)\n"
    "  --overwrite              replace results that are there\n"
    "  --quiet                  no table\n";

/* The ways of this build to compute a step. */
static const cli_bench_way ways[] = {
#define WAY(pipeline_number, pipeline, precision_number, precision)                                \
    {                                                                                              \
        pipeline_number, precision_number,                                                         \
        {                                                                                          \
            "scheme.pipeline=" pipeline, "scheme.precision=" precision, NULL                       \
        }                                                                                          \
    }
    WAY(SWE_PIPELINE_FUSED, "fused", SWE_PRECISION_DOUBLE, "double"),
    WAY(SWE_PIPELINE_FUSED, "fused", SWE_PRECISION_SINGLE, "single"),
    WAY(SWE_PIPELINE_STAGED, "staged", SWE_PRECISION_DOUBLE, "double"),
    WAY(SWE_PIPELINE_STAGED, "staged", SWE_PRECISION_SINGLE, "single")};
#undef WAY
enum { WAYS = sizeof ways / sizeof ways[0] };

/* A bench on its way. */
typedef struct job {
    const cli_options *options;
    cli_options decided; /* as to the backend */
    const swe_backend *backend;
    cli_list n, order;       /* order 0: that of the case */
    swe_pipeline pipeline;   /* of the case */
    swe_precision precision; /* likewise */
    const char *directory;
    char standard[4096];
    cli_bench_study bench;
} job;

/* ---- what is asked for ----------------------------------------------------------------------- */

/* Whether one of two words is asked for: if none is chosen, that of the case. */
static bool is_chosen(const bool chosen[2], int word, int of_the_case)
{
    return chosen[0] || chosen[1] ? chosen[word] : word == of_the_case;
}

/* The first way from `first` on that is asked for; WAYS: there is no more. */
static int next_way(const job *j, int first)
{
    int way = first;
    while (way < WAYS && !(is_chosen(j->options->pipeline, ways[way].pipeline, j->pipeline) &&
                           is_chosen(j->options->precision, ways[way].precision, j->precision)))
        way++;
    return way;
}

static swe_status check_lists(swe_context *ctx, const cli_options *options)
{
    for (int k = 1; k < options->n.count; k++)
        if (options->n.value[k] <= options->n.value[k - 1])
            return swe_fail(ctx, SWE_USAGE, "--n: the list must ascend");
    for (int k = 1; k < options->order.count; k++)
        if (options->order.value[k] <= options->order.value[k - 1])
            return swe_fail(ctx, SWE_USAGE, "--order: the list must ascend");
    return SWE_OK;
}

static swe_status add_row(swe_context *ctx, job *j, const cli_bench_way *way, int order, int n)
{
    cli_bench_row *row = &j->bench.rows[j->bench.count];
    swe_config *config = NULL;
    SWE_TRY(cli_bench_load(ctx, j->options, way, order, n, &config));
    *row = (cli_bench_row){.way = way, .order = (int)config->grid.order, .n = n};
    row->bytes = swe_config_model_bytes(config);
    const swe_physics physics = swe_config_physics(config);
    swe_config_destroy(&config);
    row->seconds = calloc((size_t)j->bench.repeats, sizeof *row->seconds);
    row->starting = calloc((size_t)j->bench.repeats, sizeof *row->starting);
    j->bench.count++; /* it is released with the others now */
    if (row->seconds == NULL || row->starting == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the bench");
    swe_costs costs;
    const swe_step_plan plan = swe_step_plan_of(&physics, way->pipeline);
    swe_costs_count(&(swe_cost_case){n, row->order, plan.flow, way->pipeline, way->precision,
                                     j->backend->inner_first},
                    &costs);
    const swe_step_cost step = swe_step_cost_of(&costs, &plan);
    row->step_bytes = step.read + step.written;
    row->step_flops = step.flops;
    return SWE_OK;
}

/* All rows, each of them sound before the first is measured. */
static swe_status plan(swe_context *ctx, job *j)
{
    const size_t most = (size_t)WAYS * (size_t)j->order.count * (size_t)j->n.count;
    j->bench.rows = calloc(most, sizeof *j->bench.rows);
    if (j->bench.rows == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the bench");
    for (int way = next_way(j, 0); way < WAYS; way = next_way(j, way + 1))
        for (int o = 0; o < j->order.count; o++)
            for (int k = 0; k < j->n.count; k++)
                SWE_TRY(add_row(ctx, j, &ways[way], j->order.value[o], j->n.value[k]));
    return SWE_OK;
}

static swe_status form_groups(swe_context *ctx, const cli_device *device, cli_bench_study *bench)
{
    const double gib = 1073741824.0;
    size_t memory = 0;
    SWE_TRY(device->backend->memory(ctx, device->device, &memory));
    const cli_bench_row *large = cli_bench_form_groups(bench->rows, bench->count, memory);
    if (large == NULL)
        return SWE_OK;
    return swe_fail(ctx, SWE_NO_MEMORY, "n = %d takes %.1f GiB of memory, there are %.1f", large->n,
                    (double)large->bytes / gib, (double)memory / gib);
}

/* ---- measuring ------------------------------------------------------------------------------- */

/* Warm a row's model up. */
static swe_status start_row(swe_context *ctx, const job *j, cli_bench_row *row,
                            swe_step_times *times)
{
    swe_config *config = NULL;
    SWE_TRY(cli_bench_load(ctx, j->options, row->way, row->order, row->n, &config));
    const swe_physics physics = swe_config_physics(config);
    const swe_status status = cli_bench_start(ctx, config, j->options, times);
    swe_config_destroy(&config);
    SWE_TRY(status);
    const bool is_asynchronous = swe_step_times_asynchronous(times->model);
    row->threads = is_asynchronous ? 0 : times->model->workers.threads;
    row->dt = times->dt;
    row->courant = swe_model_courant(&physics, row->n, row->dt);
    row->batch = times->batch;
    row->host_batch = is_asynchronous ? times->host_batch : 0;
    if (!j->options->quiet) {
        printf("%s, %s, order %d, n = %d: about %.1f us/step, %d samples of %ld step%s\n",
               swe_pipeline_name(row->way->pipeline), swe_precision_name(row->way->precision),
               row->order, row->n, 1e6 * times->guess, j->bench.repeats, row->batch,
               row->batch == 1 ? "" : "s");
        fflush(stdout);
    }
    return SWE_OK;
}

static swe_status sample_row(swe_context *ctx, cli_bench_row *row, swe_step_times *times,
                             int repeat)
{
    SWE_TRY(swe_step_times_sample(ctx, times, &row->seconds[repeat]));
    return row->host_batch > 0 ? swe_step_times_sample_host(ctx, times, &row->starting[repeat])
                               : SWE_OK;
}

/* A loop that has gone wrong must not count: what it leaves is finite. */
static swe_status check_state(swe_context *ctx, cli_bench_row *row, const swe_step_times *times)
{
    const swe_layout *layout = &times->model->grid->layout;
    double *host = calloc(swe_model_state_size(times->model), sizeof *host);
    if (host == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for a state");
    const swe_status status = swe_model_get_state(ctx, times->model, host);
    double sum = 0.0; /* of h: NaN and infinity stay */
    row->max_h = 0.0;
    for (int p = 0; p < SWE_PANELS; p++)
        for (int at_j = 0; at_j <= row->n; at_j++)
            for (int i = 0; i <= row->n; i++) {
                const double h = host[swe_at(layout, p, at_j, i)];
                sum += h;
                row->max_h = fmax(row->max_h, fabs(h));
            }
    free(host);
    SWE_TRY(status);
    return isfinite(sum) ? SWE_OK
                         : swe_fail(ctx, SWE_INTERNAL,
                                    "order %d, n = %d: the state is not finite after %ld steps",
                                    row->order, row->n, times->steps);
}

static swe_status sample_rows(swe_context *ctx, cli_bench_study *bench, int first, int count,
                              swe_step_times *times)
{
    for (int repeat = 0; repeat < bench->repeats; repeat++)
        for (int k = 0; k < count; k++)
            SWE_TRY(sample_row(ctx, &bench->rows[first + k], &times[k], repeat));
    for (int k = 0; k < count; k++) {
        cli_bench_row *row = &bench->rows[first + k];
        SWE_TRY(check_state(ctx, row, &times[k]));
        row->steps = times[k].steps;
    }
    return SWE_OK;
}

static swe_status measure_group(swe_context *ctx, job *j, int first, int count)
{
    swe_step_times *times = calloc((size_t)count, sizeof *times);
    if (times == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the bench");
    swe_status status = SWE_OK;
    for (int k = 0; k < count && status == SWE_OK; k++)
        status = start_row(ctx, j, &j->bench.rows[first + k], &times[k]);
    if (status == SWE_OK)
        status = sample_rows(ctx, &j->bench, first, count, times);
    for (int k = 0; k < count; k++)
        swe_model_destroy(&times[k].model);
    free(times);
    return status;
}

static swe_status measure_groups(swe_context *ctx, job *j)
{
    for (int first = 0, end; first < j->bench.count; first = end) {
        for (end = first; end < j->bench.count; end++)
            if (j->bench.rows[end].group != j->bench.rows[first].group)
                break;
        SWE_TRY(measure_group(ctx, j, first, end - first));
    }
    return SWE_OK;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Ceilings before and after, since a machine may be faster at one end than at the other. */
static swe_status measure_on(swe_context *ctx, job *j, const cli_device *device)
{
    cli_bench_study *b = &j->bench;
    b->backend = device->backend->name;
    b->threads = device->threads;
    snprintf(b->device, sizeof b->device, "%s", device->name);
    SWE_TRY(form_groups(ctx, device, b));
    SWE_TRY(cli_device_ceilings(ctx, device, &b->before));
    SWE_TRY(measure_groups(ctx, j));
    SWE_TRY(cli_device_ceilings(ctx, device, &b->after));
    b->ceilings.copy_bandwidth = larger(b->before.copy_bandwidth, b->after.copy_bandwidth);
    for (int k = 0; k < SWE_PRECISIONS; k++)
        b->ceilings.flops[k] = larger(b->before.flops[k], b->after.flops[k]);
    return SWE_OK;
}

static swe_status measure(swe_context *ctx, job *j)
{
    cli_device device;
    SWE_TRY(cli_device_open(ctx, j->options, &device));
    const swe_status status = measure_on(ctx, j, &device);
    cli_device_close(&device);
    return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* The command as it was called and the time of day; bytes that are no ASCII become '?'. */
static void describe_call(cli_bench_study *bench, int argc, char **argv)
{
    const time_t now = time(NULL);
    struct tm utc;
    size_t length = (size_t)snprintf(bench->command, sizeof bench->command, "cubeswe");
    for (int k = 0; k < argc && length < sizeof bench->command; k++)
        length += (size_t)snprintf(bench->command + length, sizeof bench->command - length, " %s",
                                   argv[k]);
    for (char *c = bench->command; *c != '\0'; c++)
        if ((unsigned char)*c >= 0x80 || iscntrl((unsigned char)*c))
            *c = '?';
    strftime(bench->started, sizeof bench->started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}

/* Find what to measure and make the place of results; nothing is left if that fails. */
static swe_status prepare(swe_context *ctx, job *j, const swe_config *config)
{
    cli_bench_study *b = &j->bench;
    j->decided = *j->options;
    SWE_TRY(cli_backend_decide(ctx, &j->decided, &j->backend));
    j->options = &j->decided;
    if (config->profile.mode != PROF_OFF)
        fputs("cubeswe: warning: profile.mode is of run and profile: a bench records nothing\n",
              stderr);
    snprintf(b->case_name, sizeof b->case_name, "%s", config->case_name);
    snprintf(j->standard, sizeof j->standard, "output/%s_bench", config->case_name);
    j->directory = j->options->output != NULL ? j->options->output : j->standard;
    j->order = j->options->order.count > 0 ? j->options->order : (cli_list){{0}, 1};
    j->n = j->options->n;
    SWE_TRY(cli_directory_check(ctx, j->directory, config, j->options->overwrite));
    if (j->n.count == 0) /* the last order is the slowest */
        SWE_TRY(cli_bench_sizes(ctx, j->options, &ways[next_way(j, 0)],
                                j->order.value[j->order.count - 1], &j->n, b->stopped,
                                sizeof b->stopped));
    SWE_TRY(plan(ctx, j));
    SWE_TRY(swe_config_text(ctx, config, &b->configuration));
    return SWE_OK;
}

static swe_status bench_case(swe_context *ctx, job *j, const swe_config *config)
{
    SWE_TRY(prepare(ctx, j, config));
    if (!j->options->quiet && j->bench.stopped[0] != '\0')
        printf("up to n = %d: %s\n", j->n.value[j->n.count - 1], j->bench.stopped);
    SWE_TRY(measure(ctx, j));
    SWE_TRY(cli_directory_create(ctx, j->directory, config, j->options->overwrite));
    SWE_TRY(cli_bench_write(ctx, &j->bench, j->directory));
    if (!j->options->quiet) {
        putchar('\n');
        cli_bench_print(&j->bench, stdout);
        printf("results in %s\n", j->directory);
    }
    return SWE_OK;
}

static void release(job *j)
{
    for (int k = 0; k < j->bench.count; k++) {
        free(j->bench.rows[k].seconds);
        free(j->bench.rows[k].starting);
    }
    free(j->bench.rows);
    free(j->bench.configuration);
    free(j);
}

static swe_status bench(swe_context *ctx, job *j)
{
    const cli_options *options = j->options;
    const int n = options->n.count > 0 ? options->n.value[0] : 0;
    swe_config *config = NULL;
    j->bench.repeats = options->repeats;
    SWE_TRY(cli_bench_load(ctx, options, NULL, 0, n, &config));
    j->pipeline = (swe_pipeline)config->scheme.pipeline;
    j->precision = (swe_precision)config->scheme.precision;
    const swe_status status = bench_case(ctx, j, config);
    swe_config_destroy(&config);
    return status;
}

swe_status cli_bench(swe_context *ctx, int argc, char **argv)
{
    cli_options options;
    job *j = calloc(1, sizeof *j); /* large for a stack */
    if (j == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the bench");
    j->options = &options;
    describe_call(&j->bench, argc, argv); /* parsing sorts the arguments */
    swe_status status = cli_parse(ctx, argc, argv, "sbtonrwqRPS", &options);
    if (status == SWE_OK && options.help)
        fputs(help, stdout);
    else if (status == SWE_OK)
        status = check_lists(ctx, &options);
    if (status == SWE_OK && !options.help)
        status = bench(ctx, j);
    release(j);
    return status;
}
