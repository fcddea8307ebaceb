#include <hdf5.h>
#include <math.h>
#include <openssl/crypto.h>
#include <protobuf-c/protobuf-c.h>
#include <stdlib.h>
#include <yaml.h>
#include <zlib.h>

#include "base/tuning.h"
#include "base/version.h"
#include "cli/cli.h"
#include "cli/machine.h"
#include "cli/results.h"
#include "base/clock.h"
#include "time/exchanges.h"

/* Estimated time of a step. */
typedef struct estimate {
    double step;      /* [s] */
    int n;            /* of the timed grid */
    char backend[16]; /* of the timed steps */
} estimate;

/* Time a few steps on a grid of n cells, at the case's Courant number. */
static swe_status time_steps(swe_context *ctx, const swe_config *config, const cli_options *options,
                             int n, estimate *out)
{
    swe_model_options model_options =
        swe_config_model(config, options->backend, options->threads, NULL);
    double dt = 0.0;
    long all = 0, steps = 0;
    swe_model *model = NULL;
    swe_config_schedule(config, &dt, &all);
    dt *= (double)config->grid.n / n;
    if (model_options.n != n) /* where the case's blocks may not fit */
        model_options.blocks1 = model_options.blocks2 = 1;
    model_options.n = n;
    SWE_TRY(swe_model_create(ctx, &model_options, &model));
    swe_status status = swe_model_advance(ctx, model, dt, 2); /* warm-up */
    const double start = swe_clock_seconds();
    do {
        if (status == SWE_OK)
            status = swe_model_advance(ctx, model, dt, 4);
        steps += 4;
        out->step = (swe_clock_seconds() - start) / (double)steps;
    } while (status == SWE_OK && swe_clock_seconds() - start < 0.2);
    out->n = n;
    snprintf(out->backend, sizeof out->backend, "%s", model->backend->name);
    swe_model_destroy(&model);
    return status;
}

/* Estimate the time of a step in about two seconds: time ever larger grids, up to the case's, and
 * scale the last time with the number of points. */
static swe_status estimate_step(swe_context *ctx, const swe_config *config,
                                const cli_options *options, estimate *out)
{
    const double patience = 2.0; /* [s] */
    const int n = (int)config->grid.n;
    const double start = swe_clock_seconds();
    double before = start;
    for (int size = n < 96 ? n : 96;;) {
        SWE_TRY(time_steps(ctx, config, options, size, out));
        const double now = swe_clock_seconds();
        const double left = fmax(patience - (now - start), 0.0);
        const double affordable = size * sqrt(left / fmax(now - before, 1e-3));
        before = now;
        if (size == n || affordable < 1.25 * size)
            break;
        size = affordable < n ? (int)affordable : n;
    }
    const double ratio = (n + 1.0) / (out->n + 1.0);
    out->step *= ratio * ratio;
    return SWE_OK;
}

static void warn_of_memory(const swe_config *config)
{
    const double gib = 1024.0 * 1024.0 * 1024.0;
    if (!swe_config_fits(config))
        fprintf(stderr,
                "cubeswe: warning: grid.n: %ld needs %.1f GiB of memory, this machine has %.1f: "
                "run will refuse the case here\n",
                config->grid.n, (double)swe_config_bytes(config) / gib,
                swe_config_machine_bytes() / gib);
}

static void print_known(const swe_config *config)
{
    const swe_physics physics = swe_config_physics(config);
    const int n = (int)config->grid.n;
    const double mib = 1024.0 * 1024.0, points = 6.0 * (n + 1) * (n + 1);
    const double unknowns = points + 12.0 * n * (n + 1);
    double dt = 0.0;
    long steps = 0;
    swe_config_schedule(config, &dt, &steps);
    swe_config_write(config, stdout);
    printf("# points         %.0f vertices, %.0f unknowns\n", points, unknowns);
    printf("# memory         %.1f MiB\n", (double)swe_config_bytes(config) / mib);
    printf("# Courant        %.4f (limit %.2f)\n", swe_model_courant(&physics, n, dt),
           swe_sbp_courant_limit((int)config->grid.order, (swe_closure)config->grid.closure));
    fflush(stdout);
}

enum { RANKS_TO_LOOK_AT = 64 };

/* The largest needs of a rank. */
typedef struct rank_needs {
    int ranks;       /* 0: they are not asked for */
    int exchanges;   /* a step */
    size_t bytes;    /* of the model */
    size_t host;     /* of the fields in host memory */
    double received; /* bytes a step */
    int neighbours;  /* ranks that it receives from */
} rank_needs;

static swe_status add_rank(swe_context *ctx, const swe_config *config, const swe_cut *cut,
                           const swe_step_plan *plan, rank_needs *out)
{
    const swe_precision precision = (swe_precision)config->scheme.precision;
    const swe_exchanges exchanges = swe_exchanges_of_step(plan);
    swe_decomposition *d = NULL;
    SWE_TRY(swe_decomposition_list(ctx, cut, &d));
    const size_t bytes = swe_model_bytes_of_blocks(d, plan, precision);
    const swe_host_needs needs = swe_config_host_needs(config, d);
    const size_t host =
        (size_t)needs.fields * (size_t)d->layout.field * sizeof(double) + needs.bytes;
    const double received = swe_exchanges_bytes(&exchanges, d, (int)swe_precision_bytes(precision));
    out->bytes = bytes > out->bytes ? bytes : out->bytes;
    out->host = host > out->host ? host : out->host;
    out->received = fmax(out->received, received);
    out->neighbours = d->neighbour_count > out->neighbours ? d->neighbour_count : out->neighbours;
    swe_decomposition_destroy(&d);
    return SWE_OK;
}

/* Blocks, memory and exchanges of a case on many ranks, by the needs of at most some of them, which
 * are spread over all. */
static swe_status print_ranks(swe_context *ctx, const swe_config *config, int ranks,
                              rank_needs *most)
{
    const double mib = 1024.0 * 1024.0;
    const swe_physics physics = swe_config_physics(config);
    const swe_step_plan plan =
        swe_step_plan_of(&physics, &config->fields, (swe_pipeline)config->scheme.pipeline);
    const swe_exchanges exchanges = swe_exchanges_of_step(&plan);
    swe_cut cut = swe_config_cut(config);
    *most = (rank_needs){.ranks = ranks, .exchanges = exchanges.count};
    cut.ranks = ranks;
    SWE_TRY(swe_decomposition_choose(ctx, &cut));
    const int stride = ranks > RANKS_TO_LOOK_AT ? ranks / RANKS_TO_LOOK_AT : 1;
    for (cut.rank = 0; cut.rank < ranks; cut.rank += stride)
        SWE_TRY(add_rank(ctx, config, &cut, &plan, most));
    printf("# ranks          %d, of %d x %d blocks a panel (along xi1 x xi2)\n", ranks, cut.parts_i,
           cut.parts_j);
    printf(
        "# of a rank      at most %.1f MiB of the model and %.1f MiB of fields on the host; a step "
        "receives %.3f MiB\n",
        (double)most->bytes / mib, (double)most->host / mib, most->received / mib);
    printf("# exchanges      %d a step, of at most %d messages to a rank%s\n", exchanges.count,
           most->neighbours, stride > 1 ? " (of some ranks)" : "");
    return SWE_OK;
}

/* The time of a step on ranks like those of this command, which need `step` together. */
static void print_expected(const rank_needs *needs, double step)
{
    const double micro = 1e6, computing = step * swe_ranks_count() / needs->ranks;
    const swe_ranks_speed speed = swe_model_measure_messages();
    char label[32];
    snprintf(label, sizeof label, "on %d ranks", needs->ranks);
    printf("# %-14s ", label);
    if (speed.bandwidth == 0.0) {
        printf("%.1f us/step and the messages, which two ranks measure (mpirun -n 2)\n",
               micro * computing);
        return;
    }
    const double messages = needs->exchanges * speed.latency + needs->received / speed.bandwidth;
    printf("%.1f us/step: %.1f us computing, %.1f us messages of %.2f us and %.3g GB/s\n",
           micro * (computing + messages), micro * computing, micro * messages,
           micro * speed.latency, 1e-9 * speed.bandwidth);
}

static swe_status print_estimate(swe_context *ctx, const swe_config *config,
                                 const cli_options *options, const rank_needs *needs)
{
    estimate found;
    double dt = 0.0;
    long steps = 0;
    swe_config_schedule(config, &dt, &steps);
    SWE_TRY(estimate_step(ctx, config, options, &found));
    printf("# estimated time %.1f s (%.1f us/step on %s", found.step * (double)steps,
           1e6 * found.step, found.backend);
    if (found.n < (int)config->grid.n)
        printf(", from steps at n = %d", found.n);
    printf(")\n");
    if (needs->ranks > 0)
        print_expected(needs, found.step);
    return SWE_OK;
}

static swe_status describe_case(swe_context *ctx, const cli_options *options)
{
    swe_config *config = NULL;
    SWE_TRY(swe_config_plan(ctx, options->case_file, options->set, options->set_count, &config));
    print_known(config);
    warn_of_memory(config);
    rank_needs needs = {.ranks = 0};
    swe_status status =
        options->ranks > 0 ? print_ranks(ctx, config, options->ranks, &needs) : SWE_OK;
    if (status == SWE_OK && !options->dry_run)
        status = print_estimate(ctx, config, options, &needs);
    swe_config_destroy(&config);
    return status;
}

static json_t *caches_json(const swe_peaks *found)
{
    json_t *all = json_array();
    for (int k = 0; k < found->cache_count; k++)
        swe_json_append(&all, json_pack("{s:s, s:f, s:f}", "name", found->caches[k].name, "bytes",
                                        found->caches[k].bytes, "bandwidth_bytes_per_s",
                                        found->caches[k].bandwidth));
    return all;
}

static json_t *messages_json(const swe_ranks_speed *messages)
{
    if (messages->bandwidth == 0.0)
        return json_null();
    return json_pack("{s:i, s:f, s:f}", "ranks", swe_ranks_count(), "latency_s", messages->latency,
                     "bandwidth_bytes_per_s", messages->bandwidth);
}

static json_t *peaks_json(const cli_device *on, const swe_peaks *found,
                          const swe_ranks_speed *messages)
{
    return json_pack(
        "{s:s, s:s, s:o, s:f, s:f, s:f, s:o, s:o}", "backend", on->backend->name, "device",
        on->name, "threads", on->threads > 0 ? json_integer(on->threads) : json_null(),
        "copy_bandwidth_bytes_per_s", found->copy_bandwidth, "fp64_flops_per_s",
        found->flops[SWE_PRECISION_DOUBLE], "fp32_flops_per_s", found->flops[SWE_PRECISION_SINGLE],
        "caches", caches_json(found), "messages", messages_json(messages));
}

static void print_peaks(const cli_device *on, const swe_peaks *found)
{
    const double giga = 1e9;
    printf("device       %s: %s", on->backend->name, on->name);
    if (on->threads > 0)
        printf(", %d thread%s", on->threads, on->threads > 1 ? "s" : "");
    printf("\ncopy         %.1f GB/s, read and written together\n", found->copy_bandwidth / giga);
    for (int k = 0; k < found->cache_count; k++)
        printf("copy in %-4s %.1f GB/s, cache of %.0f KiB\n", found->caches[k].name,
               found->caches[k].bandwidth / giga, found->caches[k].bytes / 1024.0);
    printf("multiply-add %.1f GFLOP/s, FP64\n", found->flops[SWE_PRECISION_DOUBLE] / giga);
    printf("multiply-add %.1f GFLOP/s, FP32\n", found->flops[SWE_PRECISION_SINGLE] / giga);
}

static void print_messages(const swe_ranks_speed *messages)
{
    if (messages->bandwidth > 0.0)
        printf("messages     %.2f us, and %.2f GB/s of 1 MiB, from rank 0 to rank %d\n",
               1e6 * messages->latency, 1e-9 * messages->bandwidth, swe_ranks_count() - 1);
}

static swe_status describe_device(swe_context *ctx, const cli_options *options)
{
    cli_device on;
    swe_peaks found;
    if (options->case_file != NULL)
        return swe_fail(ctx, SWE_USAGE, "--ceilings describes a device: give it no case file");
    SWE_TRY(cli_device_open(ctx, options, &on));
    const swe_status status = cli_device_peaks(ctx, &on, &found);
    cli_device_close(&on);
    SWE_TRY(status);
    const swe_ranks_speed messages = swe_model_measure_messages();
    if (options->json)
        return cli_json_print(ctx, peaks_json(&on, &found, &messages), JSON_INDENT(1),
                              "the description of the device");
    print_peaks(&on, &found);
    print_messages(&messages);
    return SWE_OK;
}

static json_t *backends_json(void)
{
    json_t *out = json_array();
    for (int k = 0; swe_backend_at(k) != NULL; k++) {
        const swe_backend *backend = swe_backend_at(k);
        swe_context reason = {""};
        json_t *devices = json_array();
        const int count = backend->device_count(&reason);
        for (int index = 0; index < count; index++) {
            char name[256];
            backend->describe(index, name, sizeof name);
            json_array_append_new(devices, json_string(name));
        }
        json_array_append_new(out, json_pack("{s:s, s:o, s:s}", "name", backend->name, "devices",
                                             devices, "note", reason.message));
    }
    return out;
}

static json_t *libraries_json(void)
{
    unsigned major = 0, minor = 0, release = 0;
    char hdf5[32];
    H5get_libversion(&major, &minor, &release);
    snprintf(hdf5, sizeof hdf5, "%u.%u.%u", major, minor, release);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "hdf5", hdf5, "libyaml",
                     yaml_get_version_string(), "jansson", JANSSON_VERSION, "protobuf-c",
                     protobuf_c_version(), "zlib", zlibVersion(), "openssl",
                     OpenSSL_version(OPENSSL_VERSION_STRING));
}

static json_t *build_json(void)
{
    return json_pack("{s:s, s:s, s:o, s:s?, s:s, s:o}", "version", swe_version, "build", swe_build,
                     "backends", backends_json(), "mpi", swe_ranks_library(), "profiler",
                     prof_sources(), "libraries", libraries_json());
}

static void print_backends(json_t *backends)
{
    size_t k, d;
    json_t *backend, *device;
    json_array_foreach(backends, k, backend)
    {
        const char *name = json_string_value(json_object_get(backend, "name"));
        const char *note = json_string_value(json_object_get(backend, "note"));
        json_array_foreach(json_object_get(backend, "devices"), d, device)
            printf("backend    %s:%zu  %s\n", name, d, json_string_value(device));
        if (note[0] != '\0')
            printf("backend    %s    %s\n", name, note);
    }
}

static void print_build(json_t *build)
{
    const char *name;
    json_t *version;
    char tuning[256];
    swe_tuning_text(tuning, sizeof tuning);
    printf("cubeswe    %s (%s)\n", swe_version, swe_build);
    print_backends(json_object_get(build, "backends"));
    if (tuning[0] != '\0')
        printf("tuning     %s\n", tuning);
    if (swe_ranks_library() != NULL)
        printf("mpi        %s\n", swe_ranks_library());
    printf("profiler   %s\n", json_string_value(json_object_get(build, "profiler")));
    json_object_foreach(json_object_get(build, "libraries"), name, version)
        printf("library    %s %s\n", name, json_string_value(version));
}

static swe_status describe_build(swe_context *ctx, bool as_json)
{
    json_t *build = build_json();
    if (as_json || build == NULL)
        return cli_json_print(ctx, build, JSON_INDENT(1), "the description of the build");
    print_build(build);
    json_decref(build);
    return SWE_OK;
}

/* Default size of the static costs, with the default damping and dissipation of every flow. */
static const cli_kernels_size main_job = {
    .n = 384,
    .order = 4,
    .damps = {[SWE_FLOW_NONLINEAR] = true},
    .dissipates = {[SWE_FLOW_NONLINEAR] = true},
};

/* Size of the static costs of a case. The case is varied over all flows, so `config` changes. */
static cli_kernels_size size_of_case(swe_config *config)
{
    cli_kernels_size size = {.n = (int)config->grid.n,
                             .order = (int)config->grid.order,
                             .precision = (swe_precision)config->scheme.precision,
                             .advected = config->fields.count - SWE_FLOW_FIELDS};
    for (int flow = 0; flow < SWE_FLOWS; flow++) {
        config->physics.model = flow == SWE_FLOW_NONLINEAR ? SWE_NONLINEAR : SWE_LINEAR;
        const swe_physics physics = swe_config_physics(config);
        size.damps[flow] = physics.edge_damping > 0.0;
        size.dissipates[flow] = physics.dissipation > 0.0;
    }
    return size;
}

/* Set the requested precision, if there is one. */
static swe_status choose_precision(swe_context *ctx, const bool chosen[SWE_PRECISIONS],
                                   swe_precision *precision)
{
    if (chosen[SWE_PRECISION_DOUBLE] && chosen[SWE_PRECISION_SINGLE])
        return swe_fail(ctx, SWE_USAGE, "--kernels: one --precision at a time");
    for (int k = 0; k < SWE_PRECISIONS; k++)
        if (chosen[k])
            *precision = (swe_precision)k;
    return SWE_OK;
}

/* Costs are computed, not measured: no GPU is required. */
static swe_status choose_backend(swe_context *ctx, const char *name, bool *on_cpu)
{
    const swe_backend *backend = NULL;
    int device = 0;
    if (strcmp(name, "auto") == 0 || strcmp(name, "cuda") == 0)
        return SWE_OK;
    SWE_TRY(swe_backend_find(ctx, name, &backend, &device));
    *on_cpu = backend == &swe_backend_cpu;
    return SWE_OK;
}

static swe_status print_kernels(swe_context *ctx, const cli_options *options)
{
    cli_kernels_size size = main_job;
    if (options->case_file == NULL && options->set_count > 0)
        return swe_fail(ctx, SWE_USAGE, "--set changes a case: give --kernels its file");
    if (options->case_file != NULL) {
        swe_config *config = NULL;
        SWE_TRY(
            swe_config_plan(ctx, options->case_file, options->set, options->set_count, &config));
        size = size_of_case(config);
        swe_config_destroy(&config);
    }
    SWE_TRY(choose_precision(ctx, options->precision, &size.precision));
    SWE_TRY(choose_backend(ctx, options->backend, &size.on_cpu));
    return cli_kernels_print(ctx, &size, options->json);
}

/* Print the manual page of a command; "": of the program. */
static swe_status print_manual(swe_context *ctx, const char *name)
{
    const cli_command *command = NULL;
    if (name[0] != '\0')
        SWE_TRY(cli_find_command(ctx, name, &command));
    cli_manual(command);
    return SWE_OK;
}

static swe_status run(swe_context *ctx, const cli_options *options)
{
    if (!options->kernels && (options->precision[0] || options->precision[1]))
        return swe_fail(ctx, SWE_USAGE, "--precision needs --kernels; a case sets its own");
    if (options->keys && options->kernels)
        return swe_fail(ctx, SWE_USAGE, "--keys or --kernels: one of them at a time");
    if (options->manual != NULL)
        return print_manual(ctx, options->manual);
    if (options->keys) {
        swe_config_write_reference(stdout);
        putchar('\n');
        swe_tuning_write_reference(stdout);
        return SWE_OK;
    }
    if (options->peaks)
        return describe_device(ctx, options);
    if (options->kernels)
        return print_kernels(ctx, options);
    if (options->case_file == NULL)
        return describe_build(ctx, options->json);
    if (options->json)
        return swe_fail(ctx, SWE_USAGE, "--json describes the build: give it no case file");
    return describe_case(ctx, options);
}

const cli_command cli_info = {
    .name = "info",
    .operands = "[CASE.yaml]\n--kernels [CASE.yaml]\n--keys\n--ceilings\n--man[=COMMAND]",
    .summary = "describe the build, or what a case needs",
    .text =
        "Without a case: version, build, backends, devices and libraries. With a case: the "
        "resolved configuration, points, memory, time step and Courant number; then the "
        "estimated time, from about two seconds of steps, for a large case on a smaller grid. A "
        "case that exceeds the memory of this machine gets a warning.",
    .most_operands = 1,
    .accepts_case_name = true,
    .run = run,
    .options =
        {{.name = "set"},
         {.name = "backend",
          .text = "cpu, cuda, cuda:DEVICE or auto (default): a GPU if one works; with "
                  "--kernels the stages of a GPU (default), or with cpu those of a CPU"},
         {.name = "threads"},
         {.name = "kernels",
          .text = "print bytes and floating-point operations of each stage and CUDA kernel, "
                  "from formulas, at the n, order and precision of the case (without a "
                  "case: 384, 4, double), and the registers, memory and occupancy of the "
                  "compiled kernels; run nothing"},
         {.name = "precision",
          .text = "with --kernels: double or single (default: the precision of the case)",
          .value = "P"},
         {.name = "ranks",
          .text = "with a case: the blocks, memory, messages and time of so many ranks (mpirun)"},
         {.name = "dry-run", .text = "with a case: run no steps, estimate no time"},
         {.name = "keys", .text = "print each configuration key, as in config/README.md"},
         {.name = "ceilings",
          .text = "measure the peak rates of the device in about a second: bytes per "
                  "second of copies in its memory and within each cache, FP64 and FP32 "
                  "operations per second of multiply-adds; on several ranks also "
                  "messages between them"},
         {.name = "man",
          .text = "print the manual page of a command or, by default, of the program (roff)"},
         {.name = "json", .text = "print JSON instead"}},
};
