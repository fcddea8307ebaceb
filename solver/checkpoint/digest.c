#include "checkpoint/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

/* False with errno. */
static bool take_all(int file, EVP_MD_CTX *sum, unsigned char *piece, long long *size)
{
    for (;;) {
        const ssize_t count = read(file, piece, PIECE);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count == 0;
        *size += count;
        if (EVP_DigestUpdate(sum, piece, (size_t)count) != 1)
            return false;
    }
}

static bool make_digest(int file, EVP_MD_CTX *sum, unsigned char *piece, long long *size,
                        char digest[SWE_DIGEST])
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    *size = 0;
    errno = 0;
    if (EVP_DigestInit_ex(sum, EVP_sha256(), NULL) != 1 || !take_all(file, sum, piece, size) ||
        EVP_DigestFinal_ex(sum, bytes, &length) != 1 || 2 * length + 1 != SWE_DIGEST)
        return false;
    for (unsigned k = 0; k < length; k++)
        snprintf(digest + (size_t)2 * k, 3, "%02x", bytes[k]);
    return true;
}

static swe_status digest_of(swe_context *ctx, const char *path, int file, long long *size,
                            char digest[SWE_DIGEST])
{
    EVP_MD_CTX *sum = EVP_MD_CTX_new();
    unsigned char *piece = malloc(PIECE);
    swe_status status = SWE_OK;
    if (sum == NULL || piece == NULL)
        status = swe_fail(ctx, SWE_NO_MEMORY, "out of memory for a digest");
    else if (!make_digest(file, sum, piece, size, digest))
        status = swe_fail(ctx, SWE_IO, "%s: cannot be read: %s", path,
                          errno != 0 ? strerror(errno) : "no SHA-256");
    EVP_MD_CTX_free(sum);
    free(piece);
    return status;
}

swe_status swe_digest_file(swe_context *ctx, const char *path, long long *size,
                           char digest[SWE_DIGEST])
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
