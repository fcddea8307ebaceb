#include "state/file_digest.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ranks/ranks.h"
#include "state/model_ranks.h"
#include "state/shared_file.h"

enum { PIECE = 1 << 20, DIGEST_BYTES = 32, DIGITS = 2 * DIGEST_BYTES };
_Static_assert(DIGITS + 1 == SWE_DIGEST_SIZE, "a digest has another size");

static void write_digits(const unsigned char bytes[DIGEST_BYTES], char out[SWE_DIGEST_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t k = 0; k < DIGEST_BYTES; k++) {
        out[2 * k] = digits[bytes[k] >> 4];
        out[2 * k + 1] = digits[bytes[k] & 15];
    }
    out[DIGITS] = '\0';
}

static swe_status cannot_be_read(swe_context *ctx, const char *path, const char *why)
{
    return swe_fail(ctx, SWE_IO, "%s: cannot be read: %s", path, why);
}

static swe_status open_regular(swe_context *ctx, const char *path, int *file, struct stat *info)
{
    *file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (*file < 0)
        return swe_fail(ctx, SWE_DATA, "%s: %s", path, strerror(errno));
    if (fstat(*file, info) == 0 && S_ISREG(info->st_mode))
        return SWE_OK;
    close(*file);
    return swe_fail(ctx, SWE_DATA, "%s: no regular file", path);
}

/* An open file, and the digests of its pieces number `first` to `last` - 1, one after the other. */
typedef struct pieces {
    const char *path;
    int file;
    long long size; /* of the file [bytes] */
    long first, last;
    unsigned char *digests;
} pieces;

static long count_pieces(long long size)
{
    return (long)(size / PIECE + (size % PIECE != 0));
}

static swe_status read_piece(swe_context *ctx, const pieces *p, long k, unsigned char *out,
                             size_t *bytes)
{
    const long long at = (long long)k * PIECE, rest = p->size - at;
    *bytes = rest < PIECE ? (size_t)rest : PIECE;
    if (swe_shared_file_read(p->file, out, *bytes, at))
        return SWE_OK;
    return cannot_be_read(ctx, p->path, errno == 0 ? "it ends too early" : strerror(errno));
}

swe_status swe_digest_bytes(swe_context *ctx, const void *bytes, size_t size,
                            char digest[SWE_DIGEST_SIZE])
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    if (EVP_Digest(bytes, size, sum, NULL, EVP_sha256(), NULL) != 1)
        return swe_fail(ctx, SWE_INTERNAL, "no SHA-256 of %zu bytes", size);
    write_digits(sum, digest);
    return SWE_OK;
}

/* ---- the whole file -------------------------------------------------------------------------- */

static swe_status add_pieces(swe_context *ctx, const pieces *p, EVP_MD_CTX *sum,
                             unsigned char *room)
{
    size_t bytes = 0;
    bool is_ok = EVP_DigestInit_ex(sum, EVP_sha256(), NULL) == 1;
    for (long k = 0; k < count_pieces(p->size) && is_ok; k++) {
        SWE_TRY(read_piece(ctx, p, k, room, &bytes));
        is_ok = EVP_DigestUpdate(sum, room, bytes) == 1;
    }
    return is_ok ? SWE_OK : cannot_be_read(ctx, p->path, "no SHA-256");
}

static swe_status digest_whole(swe_context *ctx, const pieces *p, char digest[SWE_DIGEST_SIZE])
{
    unsigned char bytes[EVP_MAX_MD_SIZE], *room = malloc(PIECE);
    EVP_MD_CTX *sum = EVP_MD_CTX_new();
    swe_status status = sum != NULL && room != NULL
                            ? add_pieces(ctx, p, sum, room)
                            : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for a digest");
    if (status == SWE_OK && EVP_DigestFinal_ex(sum, bytes, NULL) != 1)
        status = cannot_be_read(ctx, p->path, "no SHA-256");
    else if (status == SWE_OK)
        write_digits(bytes, digest);
    EVP_MD_CTX_free(sum);
    free(room);
    return status;
}

swe_status swe_digest_start(swe_context *ctx, const char *path, long long size,
                            char digest[SWE_DIGEST_SIZE])
{
    pieces p = {.path = path, .size = size};
    struct stat info;
    SWE_TRY(open_regular(ctx, path, &p.file, &info));
    const swe_status status = digest_whole(ctx, &p, digest);
    close(p.file);
    return status;
}

swe_status swe_digest_file(swe_context *ctx, const char *path, long long *size,
                           char digest[SWE_DIGEST_SIZE])
{
    struct stat info;
    *size = stat(path, &info) == 0 ? info.st_size : 0;
    return swe_digest_start(ctx, path, *size, digest);
}

/* ---- its pieces ------------------------------------------------------------------------------ */

/* Number of pieces of each rank; the last ones have fewer. */
static long share_of_rank(long long size)
{
    return (count_pieces(size) + swe_ranks_count() - 1) / swe_ranks_count();
}

static swe_status digest_pieces(swe_context *ctx, const pieces *p)
{
    unsigned char *room = malloc(PIECE);
    size_t bytes = 0;
    swe_status status =
        room != NULL ? SWE_OK : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for a digest");
    for (long k = p->first; k < p->last && status == SWE_OK; k++) {
        status = read_piece(ctx, p, k, room, &bytes);
        if (status == SWE_OK && EVP_Digest(room, bytes, p->digests + (k - p->first) * DIGEST_BYTES,
                                           NULL, EVP_sha256(), NULL) != 1)
            status = cannot_be_read(ctx, p->path, "no SHA-256");
    }
    free(room);
    return status;
}

/* The digest of the lines that sha256sum prints of the pieces. */
static swe_status digest_lines(swe_context *ctx, const pieces *p, char digest[SWE_DIGEST_SIZE])
{
    char digits[SWE_DIGEST_SIZE];
    unsigned char bytes[EVP_MAX_MD_SIZE];
    EVP_MD_CTX *sum = EVP_MD_CTX_new();
    if (sum == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for a digest");
    bool is_ok = EVP_DigestInit_ex(sum, EVP_sha256(), NULL) == 1;
    for (long k = 0; k < p->last && is_ok; k++) {
        write_digits(p->digests + k * DIGEST_BYTES, digits);
        is_ok =
            EVP_DigestUpdate(sum, digits, DIGITS) == 1 && EVP_DigestUpdate(sum, "  -\n", 4) == 1;
    }
    is_ok = is_ok && EVP_DigestFinal_ex(sum, bytes, NULL) == 1;
    EVP_MD_CTX_free(sum);
    if (!is_ok)
        return cannot_be_read(ctx, p->path, "no SHA-256");
    write_digits(bytes, digest);
    return SWE_OK;
}

/* All ranks digest their pieces of the root's file, and the root gathers the digests in `all`.
 * Errors: SWE_UNAVAILABLE (a rank does not see the file), and the errors of digest_pieces. */
static swe_status share_pieces(swe_context *ctx, swe_shared_file *shared, unsigned char *all)
{
    swe_ranks_broadcast(shared, sizeof *shared);
    const long count = count_pieces(shared->size), share = share_of_rank(shared->size),
               first = share * swe_ranks_rank(), last = first + share;
    pieces own = {.path = shared->name,
                  .size = shared->size,
                  .first = first < count ? first : count,
                  .last = last < count ? last : count,
                  .digests = calloc((size_t)share, DIGEST_BYTES)};
    swe_status status = swe_shared_file_open(ctx, shared, O_RDONLY, true, &own.file);
    if (status == SWE_OK && own.digests == NULL)
        status = swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the digests of a file");
    status = swe_ranks_agree(ctx, status);
    if (status == SWE_OK)
        status = swe_ranks_agree(ctx, digest_pieces(ctx, &own));
    if (status == SWE_OK)
        swe_ranks_gather(own.digests, (size_t)share * DIGEST_BYTES, all);
    if (own.file >= 0)
        close(own.file);
    free(own.digests);
    return status;
}

/* The root computes the digests of all pieces; if there are several pieces, all ranks may share
 * them. */
static swe_status digest_all(swe_context *ctx, const pieces *p, const struct stat *info,
                             bool by_all)
{
    if (by_all && swe_ranks_count() > 1 && p->last > 1) {
        swe_shared_file shared = swe_shared_file_of(p->path, p->path, info);
        model_ask(MODEL_DIGEST_FILE, (model_request){.model = NULL});
        const swe_status status = share_pieces(ctx, &shared, p->digests);
        if (status != SWE_UNAVAILABLE)
            return status;
        swe_warn_once("%s; rank 0 computes SHA-256 alone", ctx->message);
    }
    return digest_pieces(ctx, p);
}

static swe_status digest_open(swe_context *ctx, pieces *p, const struct stat *info, bool by_all,
                              char digest[SWE_DIGEST_SIZE])
{
    const long gathered = share_of_rank(p->size) * swe_ranks_count(); /* the last have fewer */
    p->digests = calloc((size_t)gathered + 1, DIGEST_BYTES);
    if (p->digests == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the digests of a file");
    swe_status status = digest_all(ctx, p, info, by_all);
    if (status == SWE_OK)
        status = digest_lines(ctx, p, digest);
    free(p->digests);
    return status;
}

swe_status swe_digest_pieces(swe_context *ctx, const char *path, bool by_all, long long *size,
                             char digest[SWE_DIGEST_SIZE])
{
    pieces p = {.path = path};
    struct stat info = {.st_size = 0};
    swe_shared_file of_root;
    if (path == NULL)
        return share_pieces(ctx, &of_root, NULL);
    SWE_TRY(open_regular(ctx, path, &p.file, &info));
    *size = p.size = info.st_size;
    p.last = count_pieces(p.size);
    const swe_status status = digest_open(ctx, &p, &info, by_all, digest);
    close(p.file);
    return status;
}
