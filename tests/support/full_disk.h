/* A full disk: while the disk is full, no file grows, and writes fail with EFBIG. */
#ifndef TESTS_SUPPORT_FULL_DISK_H
#define TESTS_SUPPORT_FULL_DISK_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

static inline bool set_disk_full(bool is_full)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0)
        return false;
    limit.rlim_cur = is_full ? 0 : limit.rlim_max;
    return signal(SIGXFSZ, SIG_IGN) != SIG_ERR && setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

#endif
