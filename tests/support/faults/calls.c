/* System calls from any library. Functions of the same names cannot replace the calls that the C
 * library makes itself, for example in stdio. A filter (seccomp) turns the chosen calls into a
 * signal; its handler makes the call or lets it fail. */
#define _GNU_SOURCE
#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* The sixth argument of calls that the handler makes: they pass. None of those chosen has one. */
enum { PASS = 0x5afe5afe };

static const struct {
    int call;
    faults_kind kind;
} calls[] = {
    {SYS_write, FAULTS_WRITE},      {SYS_pwrite64, FAULTS_WRITE},     {SYS_writev, FAULTS_WRITE},
    {SYS_read, FAULTS_READ},        {SYS_pread64, FAULTS_READ},       {SYS_fsync, FAULTS_SYNC},
    {SYS_fdatasync, FAULTS_SYNC},   {SYS_rename, FAULTS_RENAME},      {SYS_renameat, FAULTS_RENAME},
    {SYS_renameat2, FAULTS_RENAME}, {SYS_open, FAULTS_OPEN},          {SYS_openat, FAULTS_OPEN},
    {SYS_close, FAULTS_CLOSE},      {SYS_ftruncate, FAULTS_TRUNCATE}, {SYS_flock, FAULTS_LOCK}};

enum { CALLS = sizeof calls / sizeof calls[0] };

static faults_kind kind_of(int call)
{
    for (int k = 0; k < CALLS; k++)
        if (calls[k].call == call)
            return calls[k].kind;
    return FAULTS_NONE;
}

/* Files from which a command reads how long its threads waited: how often it does depends on the
 * load of the machine. */
static bool is_of_threads(const char *path)
{
    return strncmp(path, "/proc/", 6) == 0 && strstr(path, "/task") != NULL;
}

/* Whether a call may fail: calls of a file descriptor on the file that FAULTS_PATH names, where it
 * is set, and no call on files of threads. */
static bool is_about(faults_kind kind, const greg_t *at, int call)
{
    char link[64], path[4096];
    const char *wanted = getenv("FAULTS_PATH");
    if (kind == FAULTS_RENAME)
        return true;
    if (kind == FAULTS_OPEN)
        return !is_of_threads((const char *)(call == SYS_open ? at[REG_RDI] : at[REG_RSI]));
    snprintf(link, sizeof link, "/proc/self/fd/%d", (int)at[REG_RDI]);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return !is_of_threads(path) && (wanted == NULL || strstr(path, wanted) != NULL);
}

static long make_call(const greg_t *at, int call)
{
    const long result =
        syscall(call, at[REG_RDI], at[REG_RSI], at[REG_RDX], at[REG_R10], at[REG_R8], (long)PASS);
    return result == -1 ? -errno : result;
}

static void on_call(int signal, siginfo_t *info, void *context)
{
    greg_t *at = ((ucontext_t *)context)->uc_mcontext.gregs;
    const int before = errno, call = info->si_syscall;
    const faults_kind kind = kind_of(call);
    int error = 0;
    (void)signal;
    const bool fails =
        !(kind == FAULTS_WRITE && at[REG_RDI] == STDERR_FILENO) && /* the words are wanted */
        is_about(kind, at, call) && faults_is_due(kind, &error, NULL);
    if (fails && kind == FAULTS_CLOSE)
        make_call(at, call); /* Linux closes in any case */
    at[REG_RAX] = fails ? -error : make_call(at, call);
    errno = before;
}

static void refuse(const char *what)
{
    perror(what);
    _exit(98); /* a test is skipped: the machine does not allow it */
}

static void install(const struct sock_filter *filter, unsigned short length)
{
    const struct sock_fprog program = {length, (struct sock_filter *)filter};
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    action.sa_sigaction = on_call;
    sigfillset(&action.sa_mask);
    sigdelset(&action.sa_mask, SIGSYS);
    if (sigaction(SIGSYS, &action, NULL) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        refuse("faults: seccomp");
}

void faults_trap(faults_kind kind)
{
    struct sock_filter filter[2 * CALLS + 8];
    unsigned short n = 0;
    const unsigned pass = offsetof(struct seccomp_data, args[5]); /* its low half */
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, pass);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PASS, 0, 1);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int k = 0; k < CALLS; k++) {
        if (calls[k].kind != kind)
            continue;
        filter[n++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[k].call, 0, 1);
        filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    }
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    install(filter, n);
}

/* A thread that blocks every signal would be killed by the first call of its own, and crash
 * unheard. */
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    int (*next)(int, const sigset_t *, sigset_t *) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "pthread_sigmask");
    if (set == NULL)
        return next(how, set, old);
    sigset_t without = *set;
    sigdelset(&without, SIGSYS);
    sigdelset(&without, SIGSEGV);
    sigdelset(&without, SIGABRT);
    return next(how, &without, old);
}
