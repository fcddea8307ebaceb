/* profile_ranks DIR COUNT virtual|real: profile COUNT ranks, processes that this one starts, into
 * windows of DIR. Every rank runs 12 steps of two stages, with an exchange in a ring: a rank gets a
 * message from the one before it and sends one to the next. Two ranks share a machine. The clock of
 * rank r is 7 r ms ahead. Virtual clocks stand still but for the times below.
 *
 * It prints the number of windows that each rank knows of. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "profiler.h"

enum { MOST = 128, MILLISECOND = 1000000, START = 1795190400 };
enum { GRADIENT, RK4, STEP, WAIT, REGIONS };

static const prof_region regions[REGIONS] = {[GRADIENT] = {"gradient", PROF_STAGE},
                                             [RK4] = {"rk4", PROF_STAGE},
                                             [STEP] = {"step", PROF_STEP},
                                             [WAIT] = {"messages", PROF_WAIT}};

/* This rank, and its socket to each other rank (only rank 0 has several). */
static struct {
    int own, count, line[MOST];
    bool is_virtual;
    long passed; /* by the virtual clock [ns] */
} me;

/* ---- what the profiler asks of the system ---------------------------------------------------- */

/* The clocks of ranks differ; the virtual one stands still unless the rank lets time pass. */
int clock_gettime(clockid_t clock, struct timespec *out)
{
    const long ahead = 7L * MILLISECOND * me.own;
    if (!me.is_virtual) {
        const int result = (int)syscall(SYS_clock_gettime, clock, out);
        out->tv_nsec += clock == CLOCK_REALTIME ? ahead : 0;
        out->tv_sec += out->tv_nsec / 1000000000;
        out->tv_nsec %= 1000000000;
        return result;
    }
    out->tv_sec = clock == CLOCK_REALTIME ? START : 0;
    out->tv_nsec = (clock == CLOCK_REALTIME ? ahead : 0) + me.passed;
    return 0;
}

int gethostname(char *name, size_t size)
{
    snprintf(name, size, "node-%d", me.own / 2);
    return 0;
}

static void move(int descriptor, char *data, size_t bytes, ssize_t (*part)(int, void *, size_t))
{
    for (ssize_t done = 0; bytes > 0; data += done, bytes -= (size_t)done)
        if ((done = part(descriptor, data, bytes)) <= 0)
            _exit(3); /* the other rank has ended */
}

static ssize_t write_part(int descriptor, void *data, size_t bytes)
{
    return write(descriptor, data, bytes);
}

static void send_to(int to, const void *data, size_t bytes)
{
    move(me.line[to], (char *)data, bytes, write_part);
}

static void receive_from(int from, void *data, size_t bytes)
{
    move(me.line[from], data, bytes, read);
}

/* ---- a rank ---------------------------------------------------------------------------------- */

/* Each rank calls prof_at_step and prof_finish itself. */
static void follow_step(int64_t step)
{
    (void)step;
}

static void follow_finish(void)
{
}

/* No rank begins a step before rank 0 may. */
static void wait_for_root(void)
{
    char asked = 0;
    for (int rank = 1; rank < me.count && me.own == 0; rank++)
        send_to(rank, &asked, sizeof asked);
    if (me.own > 0)
        receive_from(0, &asked, sizeof asked);
}

static void work(long nanoseconds)
{
    me.passed += nanoseconds;
}

static void exchange(prof_profiler *p)
{
    const int before = (me.own + me.count - 1) % me.count, next = (me.own + 1) % me.count;
    if (prof_exchange_begin(p)) {
        prof_exchange_add(p, before, 1000 * ((size_t)before + 1), false);
        prof_exchange_add(p, next, 1000 * ((size_t)me.own + 1), true);
    }
    prof_begin(p, WAIT);
    work(MILLISECOND / 2 * (me.count - me.own));
    prof_end(p);
}

static void run_step(prof_profiler *p)
{
    prof_begin(p, STEP);
    prof_begin(p, GRADIENT);
    work(MILLISECOND * (me.own + 1));
    exchange(p);
    prof_end(p);
    prof_begin(p, RK4);
    work(MILLISECOND / 4);
    prof_end(p);
    prof_end(p);
}

static void warn(void *unused, const char *line)
{
    (void)unused;
    fprintf(stderr, "%s\n", line);
}

static void run_rank(const char *directory)
{
    static const prof_access accesses[] = {{"h", 8e6, false}};
    static const prof_cost costs[] = {{"rk4", NULL, 4e6, accesses, 1, 0}};
    const prof_ranks ranks = {.own = me.own,
                              .count = me.count,
                              .send = send_to,
                              .receive = receive_from,
                              .at_step = follow_step,
                              .finish = follow_finish};
    const bool is_root = me.own == 0;
    const prof_options options = {.mode = PROF_TRACE,
                                  .directory = is_root ? directory : NULL,
                                  .start_step = 3,
                                  .duration = 2,
                                  .interval = 5,
                                  .last_step = 12,
                                  .max_events = 1000,
                                  .files = PROF_FILE_PERFETTO | PROF_FILE_XPLANE | PROF_FILE_JSON,
                                  .counters = PROF_COUNTERS_OFF,
                                  .case_name = is_root ? "case" : NULL,
                                  .version = is_root ? "0" : NULL,
                                  .costs = is_root ? costs : NULL,
                                  .cost_count = is_root,
                                  .regions = regions,
                                  .region_count = REGIONS,
                                  .ranks = &ranks,
                                  .warn = is_root ? warn : NULL};
    prof_profiler *p = prof_create(&options);
    prof_attach(p, &(prof_device){.name = "Sample CPU", .threads = 1});
    prof_set_share(p, (me.own + 1.0) / (me.count * (me.count + 1) / 2.0));
    if (me.own == 1)
        prof_add_warning(p, "a warning of one rank");
    if (me.own > 0)
        prof_add_warning(p, "a warning of some ranks");
    for (int step = 0; step < 12; step++) {
        prof_at_step(p, step);
        wait_for_root();
        run_step(p);
    }
    prof_at_step(p, 12);
    prof_finish(p);
    printf("%d: %d\n", me.own, prof_window_count(p));
    prof_destroy(&p);
}

int main(int argc, char **argv)
{
    int status = 0;
    bool all = true;
    me.count = argc == 4 ? atoi(argv[2]) : 0;
    if (me.count < 2 || me.count > MOST)
        return 64;
    me.is_virtual = strcmp(argv[3], "virtual") == 0;
    for (int rank = 1; rank < me.count; rank++) {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
            return 71;
        if (fork() == 0) {
            me.own = rank;
            me.line[0] = pair[1];
            close(pair[0]);
            run_rank(argv[1]);
            return 0;
        }
        me.line[rank] = pair[0];
        close(pair[1]);
    }
    run_rank(argv[1]);
    while (wait(&status) > 0)
        all = all && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return all ? 0 : 1;
}
