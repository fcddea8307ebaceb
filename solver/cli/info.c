#include <hdf5.h>
#include <openssl/crypto.h>
#include <protobuf-c/protobuf-c.h>
#include <stdlib.h>
#include <yaml.h>
#include <zlib.h>

#include "base/tuning.h"
#include "base/version.h"
#include "cli/cli.h"
#include "cli/report.h"

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
    return json_pack("{s:s, s:s, s:o, s:s, s:o}", "version", swe_version, "build", swe_build,
                     "backends", backends_json(), "profiler", prof_sources(), "libraries",
                     libraries_json());
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

static swe_status print_build(swe_context *ctx, bool as_json)
{
    json_t *build = build_json();
    char *text = json_dumps(build, JSON_INDENT(1));
    if (text == NULL) {
        json_decref(build);
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the build's description");
    }
    if (as_json) {
        puts(text);
    } else {
        const char *name;
        json_t *version;
        char tuning[256];
        swe_tuning_text(tuning, sizeof tuning);
        printf("cubeswe    %s (%s)\n", swe_version, swe_build);
        print_backends(json_object_get(build, "backends"));
        if (tuning[0] != '\0')
            printf("tuning     %s\n", tuning);
        printf("profiler   %s\n", json_string_value(json_object_get(build, "profiler")));
        json_object_foreach(json_object_get(build, "libraries"), name, version)
            printf("library    %s %s\n", name, json_string_value(version));
    }
    free(text);
    json_decref(build);
    return SWE_OK;
}

/* What the static costs are told of without a case: the size of the main job, and what every flow
 * does at the end of its steps by default. */
static const cli_kernels_size main_job = {
    .n = 384,
    .order = 4,
    .damps = {[SWE_FLOW_NONLINEAR] = true},
    .dissipates = {[SWE_FLOW_NONLINEAR] = true},
};

/* What a case has of it; as if it was of each flow. */
static cli_kernels_size size_of_case(swe_config *config)
{
    cli_kernels_size size = {.n = (int)config->grid.n,
                             .order = (int)config->grid.order,
                             .precision = (swe_precision)config->scheme.precision};
    for (int flow = 0; flow < SWE_FLOWS; flow++) {
        config->physics.model = flow == SWE_FLOW_NONLINEAR ? SWE_NONLINEAR : SWE_LINEAR;
        const swe_physics physics = swe_config_physics(config);
        size.damps[flow] = physics.edge_damping > 0.0;
        size.dissipates[flow] = physics.dissipation > 0.0;
    }
    return size;
}

/* The one that is asked for, if any is. */
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

/* Nothing is run: a GPU need not be there. */
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

/* The manual page of a command; of the program if no name is given. */
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
        return swe_fail(ctx, SWE_USAGE, "--precision goes with --kernels; a case has its own");
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
    if (options->ceilings)
        return cli_info_ceilings(ctx, options);
    if (options->kernels)
        return print_kernels(ctx, options);
    if (options->case_file == NULL)
        return print_build(ctx, options->json);
    if (options->json)
        return swe_fail(ctx, SWE_USAGE, "--json describes the build: give it no case file");
    return cli_info_case(ctx, options);
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
    .is_of_case = true,
    .run = run,
    .options = {{.name = "set"},
                {.name = "backend",
                 .text = "cpu, cuda, cuda:DEVICE or auto (default): a GPU if one works; with "
                         "--kernels the stages of a GPU (default), or with cpu those of a CPU"},
                {.name = "threads"},
                {.name = "kernels",
                 .text = "print bytes and floating-point operations of each stage and CUDA kernel, "
                         "from formulas, at the n, order and precision of the case (without a "
                         "case: 384, 4, double), and what the compiler made of the kernels; run "
                         "nothing"},
                {.name = "precision",
                 .text = "with --kernels: double or single (default: the precision of the case)",
                 .value = "P"},
                {.name = "keys", .text = "print each configuration key, as in config/README.md"},
                {.name = "ceilings",
                 .text = "measure the peak rates of the device in about a second: bytes per "
                         "second of a copy, FP64 and FP32 operations per second of multiply-adds"},
                {.name = "man",
                 .text =
                     "print the manual page of a command or, by default, of the program (roff)"},
                {.name = "json", .text = "print JSON instead"}},
};
