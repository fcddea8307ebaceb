/* cubeswe convert: field files for programs that do not know the cubed sphere. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "conversion/conversion.h"
#include "outputs/folder.h"

enum { PATH_SIZE = 4096 };

static const char help[] =
    "Usage: cubeswe convert FILE... --to latlon|ugrid [options]\n"
    "\n"
    "Write the fields at vertices of field files (fields_*.nc) as netCDF-4 with CF attributes.\n"
    "\n"
    "  --to latlon              a regular grid: six-point Lagrange interpolation within panels\n"
    "  --to ugrid               the grid as a UGRID mesh, values as they are; with cell bounds\n"
    "  --lon N, --lat N         size of the regular grid (default: 4 n and half of --lon)\n"
    "  --fields h,u,v           these fields only (default: all at vertices)\n"
    "  -o, --output FILE.nc     one file for all FILEs, which are in the order of their times\n"
    "  -o, --output DIR         a file for each, of its name (default: FILE's folder/latlon or\n"
    "                           /ugrid)\n"
    "  --overwrite              replace files that are there\n"
    "  --quiet                  print nothing\n";

/* Where files go. */
typedef struct destination {
    const char *single; /* the file for all; NULL: one for each */
    const char *folder; /* for each; NULL: below that of the file */
    const char *grid;   /* the word after --to */
    const char *const *files;
    int count;
} destination;

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* The output of the k-th file. */
static swe_status output_of(swe_context *ctx, const destination *to, int k, char out[PATH_SIZE])
{
    const char *file = to->files[k], *name = name_of(file);
    int length = 0;
    if (to->single != NULL)
        length = snprintf(out, PATH_SIZE, "%s", to->single);
    else if (to->folder != NULL)
        length = snprintf(out, PATH_SIZE, "%s/%s", to->folder, name);
    else
        length = snprintf(out, PATH_SIZE, "%.*s%s/%s", (int)(name - file), file, to->grid, name);
    return length < PATH_SIZE
               ? SWE_OK
               : swe_fail(ctx, SWE_CANNOT_CREATE, "%.200s...: the path is too long", out);
}

static bool is_read(const destination *to, const char *path)
{
    struct stat there, input;
    for (int k = 0; k < to->count; k++)
        if (stat(path, &there) == 0 && stat(to->files[k], &input) == 0 &&
            input.st_dev == there.st_dev && input.st_ino == there.st_ino)
            return true;
    return false;
}

/* Nothing that is read may be replaced, nor anything that is there unless asked. */
static swe_status check_output(swe_context *ctx, const destination *to, const char *path,
                               bool overwrite)
{
    char temporary[PATH_SIZE + 8]; /* what the file is called while it is written */
    struct stat there;
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    if (is_read(to, path) || is_read(to, temporary))
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: would replace a file that is read", path);
    if (lstat(path, &there) != 0)
        return SWE_OK;
    if (!S_ISREG(there.st_mode))
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: is there and no regular file", path);
    return overwrite ? SWE_OK
                     : swe_fail(ctx, SWE_CANNOT_CREATE,
                                "%s: is there already (--overwrite replaces it)", path);
}

/* Before anything is written, all outputs are possible and different. */
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

/* Convert some files to one, whose folder is made; one that stays empty is taken away again. */
static swe_status convert(swe_context *ctx, const swe_conversion *conversion,
                          const char *const *files, int count, const char *output)
{
    char folder[PATH_SIZE] = ".", above[PATH_SIZE];
    const char *name = name_of(output);
    if (name != output)
        snprintf(folder, sizeof folder, "%.*s", (int)(name - output), output);
    SWE_TRY(cli_nearest_folder(ctx, folder, above, sizeof above));
    const bool is_new = access(folder, F_OK) != 0;
    if (!prof_folder_make(folder))
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: cannot be created: %s", folder,
                        strerror(errno));
    const swe_status status = swe_convert(ctx, conversion, files, count, output);
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
            printf("converted   %s\n", path);
    }
    return SWE_OK;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

static swe_status check_options(swe_context *ctx, const cli_options *options)
{
    if (options->file_count == 0)
        return swe_fail(ctx, SWE_USAGE, "convert needs field files (see cubeswe convert --help)");
    if (options->to == NULL)
        return swe_fail(ctx, SWE_USAGE, "convert needs --to latlon or --to ugrid");
    if (strcmp(options->to, "latlon") != 0 && strcmp(options->to, "ugrid") != 0)
        return swe_fail(ctx, SWE_USAGE, "--to %s: expected latlon or ugrid", options->to);
    if (strcmp(options->to, "ugrid") == 0 && (options->lon > 0 || options->lat > 0))
        return swe_fail(ctx, SWE_USAGE, "--lon and --lat are of --to latlon");
    if (options->output != NULL && options->output[0] == '\0')
        return swe_fail(ctx, SWE_CANNOT_CREATE, "'': not the name of a file or directory");
    return SWE_OK;
}

swe_status cli_convert(swe_context *ctx, int argc, char **argv)
{
    cli_options options;
    SWE_TRY(cli_parse(ctx, argc, argv, "*TLlFowq", &options));
    if (options.help) {
        fputs(help, stdout);
        return SWE_OK;
    }
    SWE_TRY(check_options(ctx, &options));
    const bool is_single = options.output != NULL && ends_with(options.output, ".nc");
    const destination to = {.single = is_single ? options.output : NULL,
                            .folder = is_single ? NULL : options.output,
                            .grid = options.to,
                            .files = options.files,
                            .count = options.file_count};
    const swe_conversion conversion = {.to = strcmp(options.to, "latlon") == 0 ? SWE_TO_LATLON
                                                                               : SWE_TO_UGRID,
                                       .nlon = options.lon,
                                       .nlat = options.lat,
                                       .fields = options.fields};
    return convert_all(ctx, &conversion, &to, &options);
}
