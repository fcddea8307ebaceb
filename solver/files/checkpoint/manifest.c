#include "files/checkpoint/manifest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/input_file.h"
#include "base/json.h"
#include "base/output_file.h"
#include "base/version.h"

static const char schema[] = "cubeswe-checkpoint";
static const size_t max_bytes = (size_t)1 << 16;

static json_t *manifest_json(const char *name, long long size, const char *digest, const char *run,
                             const swe_checkpoint *c)
{
    char file[256];
    snprintf(file, sizeof file, "%s.h5", name);
    return json_pack("{s:s, s:i, s:s, s:I, s:s, s:I, s:I, s:o, s:s, s:o, s:s, s:s, s:s, s:I}",
                     "schema", schema, "format", SWE_CHECKPOINT_FORMAT, "file", file, "bytes",
                     (json_int_t)size, "sha256_of_pieces", digest, "step", (json_int_t)c->step,
                     "steps", (json_int_t)c->steps, "time", swe_json_real((double)c->step * c->dt),
                     "run", run, "case", swe_json_text_or_null(c->case_name), "backend", c->backend,
                     "version", swe_version, "build", swe_build, "written_ns",
                     (json_int_t)swe_clock_wall_ns());
}

swe_status swe_manifest_write(swe_context *ctx, const char *directory, const char *name,
                              long long size, const char digest[SWE_DIGEST_SIZE], const char *run,
                              const swe_checkpoint *checkpoint)
{
    char path[4400];
    swe_output_file out;
    snprintf(path, sizeof path, "%s/%s.json", directory, name);
    json_t *value = manifest_json(name, size, digest, run, checkpoint);
    if (value == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the manifest of a checkpoint");
    swe_status status = swe_durable_stream(ctx, path, &out);
    if (status == SWE_OK) {
        /* the stream records errors of writing */
        if (json_dumpf(value, out.stream, JSON_INDENT(1)) != 0 && ferror(out.stream) == 0)
            status = swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the manifest of a checkpoint");
        fputc('\n', out.stream);
        status = swe_durable_end_if(ctx, status, &out);
    }
    json_decref(value);
    return status;
}

/* The members of a manifest that describe its file. `sha256`, `sha256_of_pieces`: NULL if the
 * manifest lacks this digest. */
typedef struct claim {
    const char *schema, *file, *sha256, *sha256_of_pieces;
    json_int_t format, size;
} claim;

static bool is_of_pieces(const claim *c)
{
    return c->format >= SWE_CHECKPOINT_PIECES;
}

static const char *digest_of(const claim *c)
{
    return is_of_pieces(c) ? c->sha256_of_pieces : c->sha256;
}

static swe_status check_claim(swe_context *ctx, const char *path, const char *name, const claim *c,
                              bool *is_newer)
{
    char file[256];
    snprintf(file, sizeof file, "%s.h5", name);
    if (strcmp(c->schema, schema) != 0)
        return swe_fail(ctx, SWE_DATA, "%s: not of schema %s", path, schema);
    *is_newer = c->format > SWE_CHECKPOINT_FORMAT;
    if (c->format < SWE_CHECKPOINT_CHUNKED || c->format > SWE_CHECKPOINT_FORMAT)
        return swe_fail(ctx, SWE_DATA,
                        "%s: is of format %lld, and this program reads formats %d to %d", path,
                        (long long)c->format, SWE_CHECKPOINT_CHUNKED, SWE_CHECKPOINT_FORMAT);
    if (strcmp(c->file, file) != 0)
        return swe_fail(ctx, SWE_DATA, "%s: describes another file", path);
    if (digest_of(c) == NULL)
        return swe_fail(ctx, SWE_DATA, "%s: has no %s", path,
                        is_of_pieces(c) ? "sha256_of_pieces" : "sha256");
    return SWE_OK;
}

/* Check the size first: the file may be much larger than the size in its manifest. */
static swe_status check_file(swe_context *ctx, const char *path, const claim *c)
{
    struct stat info;
    long long size = 0;
    char digest[SWE_DIGEST_SIZE];
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size != c->size)
        return swe_fail(ctx, SWE_DATA, "%s: has %lld bytes, but its manifest records %lld", path,
                        (long long)info.st_size, (long long)c->size);
    SWE_TRY(is_of_pieces(c) ? swe_digest_pieces(ctx, path, true, &size, digest)
                            : swe_digest_file(ctx, path, &size, digest));
    if (strcmp(digest, digest_of(c)) != 0)
        return swe_fail(ctx, SWE_DATA, "%s: its SHA-256 differs from that of its manifest", path);
    return SWE_OK;
}

swe_status swe_manifest_check(swe_context *ctx, const char *directory, const char *name,
                              bool *is_newer)
{
    char path[4400], file[4400], why[SWE_WHY_SIZE];
    swe_load load = SWE_LOADED;
    claim c = {.sha256 = NULL};
    json_error_t error;
    *is_newer = false;
    snprintf(path, sizeof path, "%s/%s.json", directory, name);
    snprintf(file, sizeof file, "%s/%s.h5", directory, name);
    json_t *value = swe_input_json(path, max_bytes, &load, why);
    if (value == NULL)
        return swe_fail(ctx, SWE_DATA, "%s: %s", path, why);
    swe_status status = SWE_OK;
    if (json_unpack_ex(value, &error, 0, "{s:s, s:I, s:s, s:I, s?s, s?s}", "schema", &c.schema,
                       "format", &c.format, "file", &c.file, "bytes", &c.size, "sha256_of_pieces",
                       &c.sha256_of_pieces, "sha256", &c.sha256) != 0)
        status = swe_fail(ctx, SWE_DATA, "%s: %s", path, error.text);
    if (status == SWE_OK)
        status = check_claim(ctx, path, name, &c, is_newer);
    if (status == SWE_OK)
        status = check_file(ctx, file, &c);
    json_decref(value);
    return status;
}
