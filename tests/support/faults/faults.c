/* Which call fails: FAULTS_CALL, FAULTS_AT, FAULTS_THEN, FAULTS_ERRNO, FAULTS_OWN, FAULTS_FILL,
 * FAULTS_TOLD: README.md. */
#define _GNU_SOURCE
#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* Outcome that a test reads when the process has ended, in whatever way. */
typedef struct outcome {
    _Atomic uint64_t count;  /* calls of the kind */
    _Atomic uint64_t failed; /* calls that failed */
    char library[240];       /* library that made the first failed call, if known */
    char crashed[256];       /* the library in which the process crashed; none if it did not */
} outcome;

/* Loading the library sets all this up, before there is a second thread. */
static struct {
    bool is_ready, fills, is_always, is_own_only;
    faults_kind kind;
    uint64_t at;
    int error;
    outcome own, *shared;
    const void *program, *c_library, *self; /* where each begins */
} faults;

static const struct {
    const char *name;
    faults_kind kind;
    int error;
} kinds[] = {{"write", FAULTS_WRITE, ENOSPC},    {"read", FAULTS_READ, EIO},
             {"fsync", FAULTS_SYNC, EIO},        {"rename", FAULTS_RENAME, EIO},
             {"open", FAULTS_OPEN, EMFILE},      {"close", FAULTS_CLOSE, EIO},
             {"truncate", FAULTS_TRUNCATE, EIO}, {"flock", FAULTS_LOCK, ENOLCK},
             {"memory", FAULTS_MEMORY, ENOMEM}};

static void refuse(const char *name, const char *value)
{
    fprintf(stderr, "faults: %s=%s cannot be read\n", name, value);
    _exit(99);
}

static void choose_kind(const char *name)
{
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (strcmp(kinds[k].name, name) == 0) {
            faults.kind = kinds[k].kind;
            faults.error = kinds[k].error;
            return;
        }
    refuse("FAULTS_CALL", name);
}

static uint64_t number(const char *name, uint64_t fallback)
{
    char *end = NULL;
    const char *text = getenv(name);
    if (text == NULL)
        return fallback;
    const uint64_t value = strtoull(text, &end, 10);
    if (*text == '\0' || *end != '\0')
        refuse(name, text);
    return value;
}

/* Counts lie in a file that is mapped: they stay if the process is killed. */
static void map_outcome(const char *path)
{
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0 || ftruncate(file, sizeof(outcome)) != 0)
        refuse("FAULTS_TOLD", path);
    void *room = mmap(NULL, sizeof(outcome), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (room == MAP_FAILED)
        refuse("FAULTS_TOLD", path);
    close(file);
    faults.shared = room;
}

/* The innermost library of a stack that is not the C library's or this one; its path. */
static void name_library(void *const *stack, int depth, char *out, size_t size)
{
    Dl_info info, own;
    if (dladdr((void *)&faults, &own) == 0)
        return;
    for (int k = 0; k < depth; k++)
        if (dladdr(stack[k], &info) != 0 && info.dli_fbase != own.dli_fbase &&
            strstr(info.dli_fname, "/libc.so") == NULL) {
            snprintf(out, size, "%s", info.dli_fname);
            return;
        }
}

/* Where the program or the library begins that contains an address. */
static const void *start_of(const void *address)
{
    struct dl_find_object found;
    return _dl_find_object((void *)address, &found) == 0 ? found.dlfo_map_start : NULL;
}

static bool is_between(const void *start)
{
    return start == faults.c_library || start == faults.self;
}

/* Whether the program requests memory, itself or through the C library. Many thousands of requests
 * are the libraries' own: no symbol is looked up. */
static bool is_own(const void *caller)
{
    void *stack[12];
    const void *start = start_of(caller);
    const int depth = is_between(start) ? backtrace(stack, 12) : 0;
    for (int k = 0; k < depth && is_between(start); k++)
        start = start_of(stack[k]);
    return start == faults.program;
}

/* Not what a handler may do in general; the process is lost, and a test reports where. */
static void on_crash(int number)
{
    void *stack[32];
    name_library(stack, backtrace(stack, 32), faults.shared->crashed,
                 sizeof faults.shared->crashed);
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_crashes(void)
{
    void *stack[2];
    static char room[1 << 16]; /* for the main thread's stack that has run over */
    const stack_t other = {.ss_sp = room, .ss_size = sizeof room};
    struct sigaction action = {.sa_flags = SA_ONSTACK};
    action.sa_handler = on_crash;
    sigaltstack(&other, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGABRT, &action, NULL);
    backtrace(stack, 2); /* loads what it needs, which allocates memory */
}

__attribute__((constructor)) static void set_up(void)
{
    const char *call = getenv("FAULTS_CALL"), *fill = getenv("FAULTS_FILL");
    const char *then = getenv("FAULTS_THEN"), *path = getenv("FAULTS_TOLD");
    faults.shared = &faults.own;
    if (call != NULL)
        choose_kind(call);
    faults.at = number("FAULTS_AT", 0);
    faults.error = (int)number("FAULTS_ERRNO", (uint64_t)faults.error);
    faults.is_always = then != NULL && strcmp(then, "always") == 0;
    if (then != NULL && !faults.is_always && strcmp(then, "once") != 0)
        refuse("FAULTS_THEN", then);
    faults.fills = fill != NULL && strcmp(fill, "nan") == 0;
    if (fill != NULL && !faults.fills)
        refuse("FAULTS_FILL", fill);
    if (path != NULL)
        map_outcome(path);
    faults.is_own_only = getenv("FAULTS_OWN") != NULL;
    faults.program = start_of((void *)getauxval(AT_ENTRY));
    faults.c_library = start_of(dlsym(RTLD_NEXT, "abort"));
    faults.self = start_of(&faults);
    catch_crashes();
    if (call != NULL && faults.kind != FAULTS_MEMORY)
        faults_trap(faults.kind);
}

/* Calls count from main on: what a program's constructors do is not ours (the CUDA runtime, linked
 * into it, has some, and does not survive them). */

typedef int main_function(int argc, char **argv, char **environment);
static main_function *program_main;

static int counted_main(int argc, char **argv, char **environment)
{
    faults.is_ready = true;
    return program_main(argc, argv, environment);
}

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    void *const next = dlsym(RTLD_NEXT, "__libc_start_main");
    __typeof__(&__libc_start_main) start = NULL;
    memcpy(&start, &next, sizeof start);
    program_main = main;
    return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

static void record_library(const void *caller)
{
    Dl_info info;
    if (caller != NULL && dladdr(caller, &info) != 0 && info.dli_fname != NULL)
        snprintf(faults.shared->library, sizeof faults.shared->library, "%s", info.dli_fname);
}

bool faults_is_due(faults_kind kind, int *error, const void *caller)
{
    if (!faults.is_ready || kind != faults.kind)
        return false;
    if (kind == FAULTS_MEMORY && faults.is_own_only && !is_own(caller))
        return false;
    const uint64_t count = atomic_fetch_add(&faults.shared->count, 1) + 1;
    if (faults.at == 0 || (faults.is_always ? count < faults.at : count != faults.at))
        return false;
    *error = faults.error;
    if (atomic_fetch_add(&faults.shared->failed, 1) == 0)
        record_library(caller);
    return true;
}

bool faults_fills(void)
{
    return faults.fills;
}
