/* cubeswe convert: field files for programs that do not know the cubed sphere. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/folders.h"
#include "cli/results.h"
#include "files/conversion/conversion.h"
#include "base/output_file.h"
#include "base/text.h"

enum { PATH_SIZE = 4096 };

/* Paths of the output files. */
typedef struct destination {
    const char *single; /* one output for all files; NULL: one each */
    const char *folder; /* folder of one output each; NULL: a folder beside each file */
    const char *format; /* name of the default folder */
    const char *ending; /* of the outputs */
    const char *const *files;
    int count;
} destination;

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* Path of the k-th output. The ending of the format replaces the ending .nc. */
static swe_status output_of(swe_context *ctx, const destination *to, int k, char out[PATH_SIZE])
{
    const char *file = to->files[k], *name = name_of(file);
    const bool is_netcdf = strcmp(to->ending, ".nc") == 0;
    const int stem = (int)(strlen(name) - (!is_netcdf && cli_ends_with(name, ".nc") ? 3 : 0));
    const char *ending = is_netcdf ? "" : to->ending;
    int length = 0;
    if (to->single != NULL)
        length = snprintf(out, PATH_SIZE, "%s", to->single);
    else if (to->folder != NULL)
        length = snprintf(out, PATH_SIZE, "%s/%.*s%s", to->folder, stem, name, ending);
    else
        length = snprintf(out, PATH_SIZE, "%.*s%s/%.*s%s", (int)(name - file), file, to->format,
                          stem, name, ending);
    return length < PATH_SIZE
               ? SWE_OK
               : swe_fail(ctx, SWE_CANNOT_CREATE, "%.200s...: the path is too long", out);
}

static bool is_input(const destination *to, const char *path)
{
    for (int k = 0; k < to->count; k++)
        if (swe_file_is_same(path, to->files[k]))
            return true;
    return false;
}

/* Refuse to replace an input, and an existing file without --overwrite. */
static swe_status check_output(swe_context *ctx, const destination *to, const char *path,
                               bool overwrite)
{
    char temporary[PATH_SIZE + 8]; /* name of the file while it is written */
    struct stat existing;
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    if (is_input(to, path) || is_input(to, temporary))
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: would replace an input", path);
    if (lstat(path, &existing) != 0)
        return SWE_OK;
    if (!S_ISREG(existing.st_mode))
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: exists and is not a regular file", path);
    return overwrite ? SWE_OK
                     : swe_fail(ctx, SWE_CANNOT_CREATE,
                                "%s: exists already (--overwrite replaces it)", path);
}

/* Check all outputs before the first is written. No two may be the same file. */
static swe_status check_outputs(swe_context *ctx, const destination *to, bool overwrite)
{
    char path[PATH_SIZE], other[PATH_SIZE];
    for (int k = 0; k < to->count; k++) {
        SWE_TRY(output_of(ctx, to, k, path));
        SWE_TRY(check_output(ctx, to, path, overwrite));
        for (int m = 0; m < k && to->single == NULL; m++) {
            SWE_TRY(output_of(ctx, to, m, other));
            if (strcmp(path, other) == 0)
                return swe_fail(ctx, SWE_USAGE, "%s and %s would both become %s", to->files[m],
                                to->files[k], path);
        }
    }
    return SWE_OK;
}

/* Convert some files to one. Creates its folder, and removes it again if nothing was written. */
static swe_status convert(swe_context *ctx, const swe_conversion *conversion,
                          const char *const *files, int count, const char *output)
{
    char folder[PATH_SIZE] = ".", above[PATH_SIZE];
    const char *name = name_of(output);
    if (name != output)
        snprintf(folder, sizeof folder, "%.*s", (int)(name - output), output);
    SWE_TRY(cli_nearest_folder(ctx, folder, above, sizeof above));
    const bool is_new = access(folder, F_OK) != 0;
    if (!swe_folder_create(folder))
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: cannot be created: %s", folder,
                        strerror(errno));
    swe_folder_lock lock = {.file = 0};
    /* so that no result of a running program is replaced */
    if (access(output, F_OK) == 0 && access(CLI_PATH(folder, "run.lock"), F_OK) == 0)
        SWE_TRY(cli_folder_lock(ctx, folder, &lock));
    const swe_status status = swe_convert(ctx, conversion, files, count, output);
    swe_folder_lock_release(&lock, true);
    if (status != SWE_OK && is_new)
        rmdir(folder);
    return status;
}

static swe_status convert_all(swe_context *ctx, const swe_conversion *conversion,
                              const destination *to, const cli_options *options)
{
    char path[PATH_SIZE];
    SWE_TRY(check_outputs(ctx, to, options->overwrite));
    const int outputs = to->single != NULL ? 1 : to->count;
    for (int k = 0; k < outputs; k++) {
        SWE_TRY(output_of(ctx, to, k, path));
        SWE_TRY(convert(ctx, conversion, to->files + k, to->single != NULL ? to->count : 1, path));
        if (!options->quiet)
            printf("converted   %s\n", SWE_SHOWN(path));
    }
    return cli_check_results(ctx, SWE_OK);
}

static const char *const formats[] = {
    [SWE_TO_LATLON] = "latlon", [SWE_TO_UGRID] = "ugrid", [SWE_TO_VTU] = "vtu"};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static const char *ending_of(swe_conversion_format format)
{
    return format == SWE_TO_VTU ? ".vtu" : ".nc";
}

/* Refuse an output with the ending of another format. */
static swe_status check_ending(swe_context *ctx, const cli_options *options,
                               swe_conversion_format format)
{
    const bool is_vtu = format == SWE_TO_VTU;
    const char *output = options->output == NULL ? "" : options->output;
    if (cli_ends_with(output, is_vtu ? ".nc" : ".vtu"))
        return swe_fail(ctx, SWE_USAGE, "--output %s: --to %s writes files that end in %s", output,
                        options->to, ending_of(format));
    if (is_vtu && cli_ends_with(output, ".vtu") && options->file_count > 1)
        return swe_fail(ctx, SWE_USAGE,
                        "--output %s: a .vtu file has one time; name a folder for %d files", output,
                        options->file_count);
    return SWE_OK;
}

static swe_status check_options(swe_context *ctx, const cli_options *options,
                                swe_conversion_format *format)
{
    int k = 0;
    if (options->to == NULL)
        return swe_fail(ctx, SWE_USAGE, "convert needs --to latlon, --to ugrid or --to vtu");
    while (k < FORMATS && strcmp(options->to, formats[k]) != 0)
        k++;
    if (k == FORMATS)
        return swe_fail(ctx, SWE_USAGE, "--to %s: expected latlon, ugrid or vtu", options->to);
    *format = (swe_conversion_format)k;
    if (*format != SWE_TO_LATLON && (options->lon > 0 || options->lat > 0))
        return swe_fail(ctx, SWE_USAGE, "--lon and --lat apply to --to latlon only");
    if (options->output != NULL && options->output[0] == '\0')
        return swe_fail(ctx, SWE_CANNOT_CREATE, "'': not the name of a file or directory");
    return check_ending(ctx, options, *format);
}

static swe_status run(swe_context *ctx, const cli_options *options)
{
    swe_conversion_format format = SWE_TO_LATLON;
    SWE_TRY(check_options(ctx, options, &format));
    const char *ending = ending_of(format);
    const bool is_single = options->output != NULL && cli_ends_with(options->output, ending);
    const destination to = {.single = is_single ? options->output : NULL,
                            .folder = is_single ? NULL : options->output,
                            .format = options->to,
                            .ending = ending,
                            .files = options->files,
                            .count = options->file_count};
    const swe_conversion conversion = {
        .to = format, .nlon = options->lon, .nlat = options->lat, .fields = options->fields};
    return convert_all(ctx, &conversion, &to, options);
}

const cli_command cli_convert = {
    .name = "convert",
    .operands = "FILE... --to=latlon|ugrid|vtu",
    .summary = "write fields for programs that do not know the cubed sphere",
    .text =
        "Write the vertex fields of field files (fields_*.nc) for other programs: netCDF-4 with CF "
        "attributes, or VTK.",
    .least_operands = 1,
    .most_operands = INT_MAX,
    .needs = "field files",
    .run = run,
    .options =
        {{.name = "to",
          .text = "latlon: a regular grid, by six-point Lagrange interpolation within panels\n"
                  "ugrid: the grid as a UGRID mesh with cell bounds; values stay as they are\n"
                  "vtu: the same mesh on the sphere, in x, y, z, for VTK and ParaView"},
         {.name = "lon", .text = "number of longitudes of the regular grid (default: 4 n)"},
         {.name = "lat", .text = "number of latitudes (default: half of --lon)"},
         {.name = "fields", .text = "only these fields, as in h,u,v (default: all at vertices)"},
         {.name = "output",
          .text = "DIR: one file for each FILE, of its name (default: FILE's folder/latlon, /ugrid "
                  "or /vtu)\n"
                  "FILE.nc: one file for all FILEs, in the order of their times\n"
                  "FILE.vtu: one file for one FILE, with --to=vtu",
          .value = "PATH"},
         {.name = "overwrite"},
         {.name = "quiet"}},
};
