/* `cubeswe info`: the build. */
#include <hdf5.h>
#include <openssl/crypto.h>
#include <protobuf-c/protobuf-c.h>
#include <yaml.h>
#include <zlib.h>

#include "base/tuning.h"
#include "base/version.h"
#include "cli/info.h"
#include "cli/results.h"

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

swe_status cli_info_build(swe_context *ctx, const cli_options *options)
{
    json_t *build = json_pack("{s:s, s:s, s:o, s:s?, s:s, s:o}", "version", swe_version, "build",
                              swe_build, "backends", backends_json(), "mpi", swe_ranks_library(),
                              "profiler", prof_sources(), "libraries", libraries_json());
    if (options->json || build == NULL)
        return cli_json_print(ctx, build, JSON_INDENT(1), "the description of the build");
    print_build(build);
    json_decref(build);
    return SWE_OK;
}
