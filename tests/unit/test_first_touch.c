/* The thread that works on a row touches its memory first. Pages are write-protected, and the fault
 * handler records the first writer, for the fused stage and for the clearing of memory. Rows are
 * whole pages here. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, sigaction */
#include "support/bench.h"

#include <omp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N = 511, ROWS = N + 1, FIELDS = 3, PAGES = FIELDS * SWE_PANELS * ROWS, NOBODY = -1 };

static const size_t page = ROWS * sizeof(double);
static char *memory;       /* of a state */
static int toucher[PAGES]; /* the thread that wrote to a page first */

/* First write to a page of `memory`: record the thread, and allow writing. */
static void note_touch(int signal, siginfo_t *info, void *context)
{
    (void)context;
    const size_t at = (size_t)((char *)info->si_addr - memory) / page;
    if ((char *)info->si_addr < memory || at >= PAGES ||
        mprotect(memory + at * page, page, PROT_READ | PROT_WRITE) != 0) {
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
        return; /* the same fault again ends the test */
    }
    toucher[at] = omp_get_thread_num();
}

static void forget_touches(void)
{
    for (int k = 0; k < PAGES; k++)
        toucher[k] = NOBODY;
    assert_int_equal(mprotect(memory, PAGES * page, PROT_READ), 0);
}

static void clear(void *argument)
{
    const bench *t = argument;
    t->stages->clear(t->params, FIELDS * SWE_PANELS, (double *)memory);
}

/* Both sweeps of a step write three work fields. */
static void sweep(void *argument)
{
    const bench *t = argument;
    for (int number = 0; number < 2; number++)
        t->stages->fused(t->execution, t->params, number, 0.01, 0, t->fields.y.h, (double *)memory);
}

static void check_all_clear(void)
{
    const double *values = (const double *)memory;
    for (size_t k = 0; k < PAGES * page / sizeof *values; k++)
        assert_true(values[k] == 0.0);
}

static void check_threads(int threads)
{
    static int cleared[PAGES];
    int touched = 0;
    bench t = bench_of_threads(4, SWE_CLOSURE_MOVED, N, threads);
    t.model->stepper->params.exceeds_cache = 0;
    memset(memory, 0xff, PAGES * page); /* NaN */
    forget_touches();
    t.model->backend->share(&t.model->execution, clear, &t);
    check_all_clear();
    memcpy(cleared, toucher, sizeof cleared);
    forget_touches();
    t.model->backend->share(&t.model->execution, sweep, &t);
    for (int k = 0; k < PAGES; k++) {
        assert_in_range(cleared[k], 0, threads - 1);
        if (toucher[k] != NOBODY)
            assert_int_equal(cleared[k], toucher[k]);
        touched += toucher[k] != NOBODY;
    }
    assert_int_equal(touched, PAGES);
    bench_destroy(&t);
}

static void each_row_is_touched_by_its_worker(void **state)
{
    (void)state;
    if ((size_t)sysconf(_SC_PAGESIZE) != page)
        skip();
    assert_int_equal(swe_layout_of(N).pitch * (ptrdiff_t)sizeof(double), page);
    memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    struct sigaction before;
    const struct sigaction noting = {.sa_sigaction = note_touch, .sa_flags = SA_SIGINFO};
    assert_int_equal(sigaction(SIGSEGV, &noting, &before), 0);
    for (int threads = 1; threads <= 3; threads++)
        check_threads(threads);
    check_threads(7);
    sigaction(SIGSEGV, &before, NULL);
    munmap(memory, PAGES * page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_row_is_touched_by_its_worker)};
    return cmocka_run_group_tests_name("first touch", tests, NULL, NULL);
}
