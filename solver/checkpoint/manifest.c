#include "checkpoint/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/version.h"
#include "checkpoint/checkpoint_file.h"
#include "base/clock.h"
#include "base/input_file.h"

/* ---- SHA-256 --------------------------------------------------------------------------------- */

enum { BLOCK_SIZE = 1 << 20 };

/* Digest the rest of a file; false: error in errno. */
static bool update_digest(int file, EVP_MD_CTX *sum, unsigned char *block, long long *size)
{
    for (;;) {
        const ssize_t count = read(file, block, BLOCK_SIZE);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count == 0;
        *size += count;
        if (EVP_DigestUpdate(sum, block, (size_t)count) != 1)
            return false;
    }
}

static bool compute_digest(int file, EVP_MD_CTX *sum, unsigned char *block, long long *size,
                           char digest[SWE_DIGEST_SIZE])
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    *size = 0;
    errno = 0;
    if (EVP_DigestInit_ex(sum, EVP_sha256(), NULL) != 1 || !update_digest(file, sum, block, size) ||
        EVP_DigestFinal_ex(sum, bytes, &length) != 1 || 2 * length + 1 != SWE_DIGEST_SIZE)
        return false;
    for (unsigned k = 0; k < length; k++)
        snprintf(digest + (size_t)2 * k, 3, "%02x", bytes[k]);
    return true;
}

static swe_status digest_of(swe_context *ctx, const char *path, int file, long long *size,
                            char digest[SWE_DIGEST_SIZE])
{
    EVP_MD_CTX *sum = EVP_MD_CTX_new();
    unsigned char *block = malloc(BLOCK_SIZE);
    swe_status status = SWE_OK;
    if (sum == NULL || block == NULL)
        status = swe_fail(ctx, SWE_NO_MEMORY, "out of memory for a digest");
    else if (!compute_digest(file, sum, block, size, digest))
        status = swe_fail(ctx, SWE_IO, "%s: cannot be read: %s", path,
                          errno != 0 ? strerror(errno) : "no SHA-256");
    EVP_MD_CTX_free(sum);
    free(block);
    return status;
}

swe_status swe_digest_file(swe_context *ctx, const char *path, long long *size,
                           char digest[SWE_DIGEST_SIZE])
{
    struct stat info;
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return swe_fail(ctx, SWE_DATA, "%s: %s", path, strerror(errno));
    const bool is_file = fstat(file, &info) == 0 && S_ISREG(info.st_mode);
    const swe_status status = is_file ? digest_of(ctx, path, file, size, digest)
                                      : swe_fail(ctx, SWE_DATA, "%s: no regular file", path);
    close(file);
    return status;
}

/* ---- manifest -------------------------------------------------------------------------------- */

static const char schema[] = "cubeswe-checkpoint";
static const size_t max_bytes = (size_t)1 << 16;

/* A string of JSON; if the text is not UTF-8, its non-ASCII bytes become question marks, as in
 * progress.json. */
static json_t *text_json(const char *text)
{
    char plain[1024];
    snprintf(plain, sizeof plain, "%s", text);
    json_t *out = json_string(plain);
    for (char *byte = plain; out == NULL && *byte != '\0'; byte++)
        if ((unsigned char)*byte >= 0x80)
            *byte = '?';
    return out != NULL ? out : json_string(plain);
}

static json_t *manifest_json(const char *name, long long size, const char *digest,
                             const swe_manifest *m)
{
    char file[256];
    snprintf(file, sizeof file, "%s.h5", name);
    return json_pack("{s:s, s:i, s:s, s:I, s:s, s:I, s:I, s:f, s:s, s:o, s:s, s:s, s:s, s:I}",
                     "schema", schema, "format", SWE_CHECKPOINT_FORMAT, "file", file, "bytes",
                     (json_int_t)size, "sha256", digest, "step", (json_int_t)m->step, "steps",
                     (json_int_t)m->steps, "time", m->time, "run", m->run, "case",
                     text_json(m->case_name), "backend", m->backend, "version", swe_version,
                     "build", swe_build, "written_ns", (json_int_t)swe_clock_ns());
}

swe_status swe_manifest_write(swe_context *ctx, const char *directory, const char *name,
                              long long size, const char digest[SWE_DIGEST_SIZE],
                              const swe_manifest *manifest)
{
    char path[4400];
    swe_output_file out;
    snprintf(path, sizeof path, "%s/%s.json", directory, name);
    json_t *value = manifest_json(name, size, digest, manifest);
    if (value == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the manifest of a checkpoint");
    swe_status status = swe_durable_stream(ctx, path, &out);
    if (status == SWE_OK) {
        if (json_dumpf(value, out.stream, JSON_INDENT(1)) != 0)
            status = swe_fail(ctx, SWE_IO, "%s: cannot be written: %s", path, strerror(errno));
        fputc('\n', out.stream); /* the stream records errors */
        status = swe_durable_end_if(ctx, status, &out);
    }
    json_decref(value);
    return status;
}

/* The members of a manifest that describe its file. */
typedef struct claim {
    const char *schema, *file, *digest;
    json_int_t format, size;
} claim;

static swe_status check_claim(swe_context *ctx, const char *path, const char *name, const claim *c,
                              bool *is_newer)
{
    char file[256];
    snprintf(file, sizeof file, "%s.h5", name);
    if (strcmp(c->schema, schema) != 0)
        return swe_fail(ctx, SWE_DATA, "%s: not of schema %s", path, schema);
    *is_newer = c->format > SWE_CHECKPOINT_FORMAT;
    if (c->format != SWE_CHECKPOINT_FORMAT && c->format != SWE_CHECKPOINT_CHUNKED)
        return swe_fail(ctx, SWE_DATA,
                        "%s: is of format %lld, and this program reads formats %d to %d", path,
                        (long long)c->format, SWE_CHECKPOINT_CHUNKED, SWE_CHECKPOINT_FORMAT);
    if (strcmp(c->file, file) != 0)
        return swe_fail(ctx, SWE_DATA, "%s: describes another file", path);
    return SWE_OK;
}

static swe_status check_file(swe_context *ctx, const char *path, const claim *c)
{
    long long size = 0;
    char digest[SWE_DIGEST_SIZE];
    SWE_TRY(swe_digest_file(ctx, path, &size, digest));
    if (size != c->size)
        return swe_fail(ctx, SWE_DATA, "%s: has %lld bytes, but its manifest records %lld", path,
                        size, (long long)c->size);
    if (strcmp(digest, c->digest) != 0)
        return swe_fail(ctx, SWE_DATA, "%s: its SHA-256 differs from that of its manifest", path);
    return SWE_OK;
}

swe_status swe_manifest_check(swe_context *ctx, const char *directory, const char *name,
                              bool *is_newer)
{
    char path[4400], file[4400], why[SWE_WHY_SIZE];
    swe_load load = SWE_LOADED;
    claim c;
    json_error_t error;
    *is_newer = false;
    snprintf(path, sizeof path, "%s/%s.json", directory, name);
    snprintf(file, sizeof file, "%s/%s.h5", directory, name);
    json_t *value = swe_input_json(path, max_bytes, &load, why);
    if (value == NULL)
        return swe_fail(ctx, SWE_DATA, "%s: %s", path, why);
    swe_status status = SWE_OK;
    if (json_unpack_ex(value, &error, 0, "{s:s, s:I, s:s, s:I, s:s}", "schema", &c.schema, "format",
                       &c.format, "file", &c.file, "bytes", &c.size, "sha256", &c.digest) != 0)
        status = swe_fail(ctx, SWE_DATA, "%s: %s", path, error.text);
    if (status == SWE_OK)
        status = check_claim(ctx, path, name, &c, is_newer);
    if (status == SWE_OK)
        status = check_file(ctx, file, &c);
    json_decref(value);
    return status;
}
