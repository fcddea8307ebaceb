/* Benchmarks of the peaks, on every backend of the build that has a device: that they do the
 * operations that are counted, and that measuring leaves nothing behind. Built twice: over the
 * emulation layer, and for a real GPU (skipped without one). No test checks a rate. */
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>

#include "backend/peaks.h"
#include "base/memory.h"
#include "support/random.h"
#include "support/whole_state.h"

#ifdef SWE_TEST_EMULATED
#include "cuda_emulation.h"
#endif

enum { SKIPPED = 77 };

/* A device that is open, and its execution. */
typedef struct bench {
    const swe_backend *backend;
    swe_device *device;
    swe_execution execution;
} bench;

static void for_all_backends(int threads, void (*check)(bench *b))
{
    int checked = 0;
    for (int k = 0; swe_backend_at(k) != NULL; k++) {
        swe_context ctx = {""};
        bench b = {.backend = swe_backend_at(k)};
        if (b.backend->device_count(&ctx) == 0)
            continue;
        CHECK_OK(&ctx, b.backend->open(&ctx, 0, threads, &b.device));
        b.backend->bind(b.device, &(swe_layout){.n = 0}, &b.execution);
        check(&b);
        b.backend->close(&b.device);
        checked++;
    }
    assert_true(checked >= 2);
#ifdef SWE_TEST_EMULATED
    assert_int_equal(cuda_emulation_live_blocks(), 0);
#endif
}

static double *array_of(bench *b, size_t count)
{
    swe_context ctx = {""};
    void *array = NULL;
    CHECK_OK(&ctx, b->backend->allocate(&ctx, b->device, count, sizeof(double), PROF_HERE("test"),
                                        &array));
    return array;
}

static double *fetch(bench *b, const double *array, size_t count)
{
    swe_context ctx = {""};
    double *host = NULL;
    CHECK_OK(&ctx, swe_memory_doubles(&ctx, count, &host));
    CHECK_OK(&ctx, b->backend->download(&ctx, b->device, array, host, count * sizeof(double)));
    return host;
}

typedef void start_copy(const bench *b, size_t values, const double *from, double *to);

static void start_once(const bench *b, size_t values, const double *from, double *to)
{
    b->backend->copy_benchmark->copy(&b->execution, values, from, to);
}

static void start_in_cache(const bench *b, size_t values, const double *from, double *to)
{
    b->backend->copy_benchmark->copy_in_cache(&b->execution, values, 3, from, to);
}

/* Whole blocks are copied, all of them, and nothing beyond. */
static void check_start(bench *b, start_copy *start)
{
    const size_t values = 5 * SWE_COPY_BLOCK, room = 7 * SWE_COPY_BLOCK;
    double *from = array_of(b, room), *to = array_of(b, room);
    b->backend->copy_benchmark->fill(&b->execution, values, from);
    start(b, values, from, to);
    double *host = fetch(b, to, room);
    for (size_t i = 0; i < room; i++)
        assert_true(host[i] == (i < values ? (double)i : 0.0));
    free(host);
    b->backend->release(b->device, from);
    b->backend->release(b->device, to);
}

static void check_copy(bench *b)
{
    check_start(b, start_once);
    check_start(b, start_in_cache);
}

static void test_copy(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++)
        for_all_backends(threads, check_copy);
}

/* Where `length` multiply-adds lead from `start`. */
static double chain_of_doubles(double start, double a, long length)
{
    double x = start;
    for (long m = 0; m < length; m++)
        x = a * x + (1.0 - a);
    return x;
}

static double chain_of_floats(double start, double a, long length)
{
    const float factor = (float)a, summand = (float)(1.0 - a);
    float x = (float)start;
    for (long m = 0; m < length; m++)
        x = factor * x + summand;
    return x;
}

/* Chain `number` after `length` multiply-adds: by the recurrence, to the last bit where nothing is
 * fused, and by its closed form. */
static void check_chain(swe_precision precision, size_t number, long length, double found)
{
    const bool single = precision == SWE_PRECISION_SINGLE;
    const double start = 2.0 + (double)number / 16777216.0, a = 1.0 - 1.0 / 1048576.0;
    const double rounding = single ? 1.2e-7 : 2.3e-16;
    const double x =
        single ? chain_of_floats(start, a, length) : chain_of_doubles(start, a, length);
#ifdef SWE_TEST_REPRODUCIBLE
    CHECK_SAME_BITS(&found, &x, 1);
#else
    CHECK_CLOSE(found, x, (double)length * rounding);
#endif
    CHECK_CLOSE(found, 1.0 + (start - 1.0) * pow(a, (double)length),
                (double)(length + 4) * rounding);
}

static double value_at(swe_precision precision, const void *host, size_t at)
{
    return precision == SWE_PRECISION_SINGLE ? (double)((const float *)host)[at]
                                             : ((const double *)host)[at];
}

static void check_chains_of(bench *b, swe_precision precision, int width, size_t groups,
                            long length)
{
    const size_t count = groups * (size_t)width; /* and room for more, which stays zero */
    double *last = array_of(b, count + 1);
    b->backend->fma_benchmark[precision]->run(&b->execution, width, groups, length, last);
    double *host = fetch(b, last, count + 1);
    for (size_t k = 0; k < count; k++)
        check_chain(precision, k, length, value_at(precision, host, k));
    assert_true(value_at(precision, host, count) == 0.0);
    free(host);
    b->backend->release(b->device, last);
}

static void check_chains(bench *b)
{
    for (int precision = 0; precision < SWE_PRECISIONS; precision++) {
        const int *widths = b->backend->fma_benchmark[precision]->widths;
        assert_true(widths[0] > 0);
        for (int k = 0; k < SWE_MOST_WIDTHS && widths[k] > 0; k++) {
            check_chains_of(b, (swe_precision)precision, widths[k], 1, 0);
            check_chains_of(b, (swe_precision)precision, widths[k], 3, 1);
            check_chains_of(b, (swe_precision)precision, widths[k], 257, 50);
            check_chains_of(b, (swe_precision)precision, widths[k], 2, 20001);
        }
    }
}

static void test_chains(void **state)
{
    (void)state;
    for_all_backends(2, check_chains);
}

static void check_sizes(bench *b)
{
    swe_context ctx = {""};
    swe_benchmark_sizes sizes = {.values = 0};
    CHECK_OK(&ctx, b->backend->copy_benchmark->sizes(&ctx, &b->execution, &sizes));
    assert_true(sizes.values > 0 && sizes.values % SWE_COPY_BLOCK == 0);
    assert_true(sizes.groups >= (size_t)b->execution.threads);
    for (int k = 0; k < sizes.cache_count; k++) {
        assert_true(sizes.caches[k].name[0] == 'L' && sizes.caches[k].bandwidth == 0.0);
        assert_true(sizes.caches[k].bytes > (k > 0 ? sizes.caches[k - 1].bytes : 0.0));
        assert_true(sizes.caches[k].bytes <= (double)sizes.values * sizeof(double));
    }
}

static void test_sizes(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++)
        for_all_backends(threads, check_sizes);
}

/* The peaks of a model's device; its state stays what it was. */
static void check_measure(bench *b)
{
    const swe_model_options options = {.n = 12,
                                       .order = 4,
                                       .physics = {.gravity = 9.8, .depth = 3.0, .radius = 2.0},
                                       .backend = b->backend->name,
                                       .threads = 2};
    swe_context ctx = {""};
    swe_model *model = NULL;
    swe_peaks peaks = {.cache_count = 0};
    random_source random = {1};
    CHECK_OK(&ctx, swe_model_create(&ctx, &options, &model));
    const size_t size = model_state_size(model);
    double *given = NULL;
    CHECK_OK(&ctx, swe_memory_doubles(&ctx, size, &given));
    random_fill(&random, (int)size, given);
    CHECK_OK(&ctx, model_set_state(&ctx, model, given));
    CHECK_OK(&ctx, model_get_state(&ctx, model, given));
    CHECK_OK(&ctx, swe_peaks_measure(&ctx, model->backend, model->device, &model->execution,
                                     (1 << SWE_PRECISIONS) - 1, false, &peaks));
    assert_true(isfinite(peaks.copy_bandwidth) && peaks.copy_bandwidth > 0.0);
    for (int k = 0; k < SWE_PRECISIONS; k++)
        assert_true(isfinite(peaks.flops[k]) && peaks.flops[k] > 0.0);
    for (int k = 0; k < peaks.cache_count; k++)
        assert_true(isfinite(peaks.caches[k].bandwidth) && peaks.caches[k].bandwidth > 0.0);
    double *kept = NULL;
    CHECK_OK(&ctx, swe_memory_doubles(&ctx, size, &kept));
    CHECK_OK(&ctx, model_get_state(&ctx, model, kept));
    CHECK_SAME_BITS(kept, given, size);
    free(kept);
    free(given);
    swe_model_destroy(&model);
}

static void test_measure(void **state)
{
    (void)state;
    for_all_backends(2, check_measure);
}

/* A backend that has no memory for array number `fails_at`, and counts those it holds. */
static struct {
    const swe_backend *real;
    int fails_at, requested, held;
} scarce;

static swe_status reserve_scarce(swe_context *ctx, swe_device *device, size_t count, size_t size,
                                 prof_place place, void **out)
{
    *out = NULL;
    if (scarce.requested++ == scarce.fails_at)
        return swe_fail(ctx, SWE_NO_MEMORY, "none left");
    SWE_TRY(scarce.real->reserve(ctx, device, count, size, place, out));
    scarce.held++;
    return SWE_OK;
}

static void release_scarce(swe_device *device, void *memory)
{
    scarce.held--;
    scarce.real->release(device, memory);
}

static int width_count(const swe_fma_benchmark *chains)
{
    int count = 0;
    while (count < SWE_MOST_WIDTHS && chains->widths[count] > 0)
        count++;
    return count;
}

/* Arrays come one for each precision and width of chains, then two to copy. */
static void check_no_memory(bench *b)
{
    const int doubles = width_count(b->backend->fma_benchmark[SWE_PRECISION_DOUBLE]);
    const int arrays = doubles + width_count(b->backend->fma_benchmark[SWE_PRECISION_SINGLE]) + 2;
    swe_backend backend = *b->backend;
    backend.reserve = reserve_scarce;
    backend.release = release_scarce;
    for (int k = 0; k < arrays; k++) {
        swe_context ctx = {""};
        swe_peaks peaks = {.copy_bandwidth = -1.0, .flops = {-1.0, -1.0}, .cache_count = 1};
        scarce.real = b->backend;
        scarce.fails_at = k;
        scarce.requested = scarce.held = 0;
        assert_int_equal(swe_peaks_measure(&ctx, &backend, b->device, &b->execution,
                                           (1 << SWE_PRECISIONS) - 1, false, &peaks),
                         SWE_NO_MEMORY);
        assert_string_equal(ctx.message, "none left");
        assert_int_equal(scarce.requested, k + 1);
        assert_int_equal(scarce.held, 0);
        assert_true(peaks.copy_bandwidth == 0.0);
        for (int p = 0; p < SWE_PRECISIONS; p++)
            assert_true(k <= p * doubles ? peaks.flops[p] == 0.0 : peaks.flops[p] > 0.0);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    for_all_backends(2, check_no_memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy),      cmocka_unit_test(test_chains),
        cmocka_unit_test(test_sizes),     cmocka_unit_test(test_measure),
        cmocka_unit_test(test_no_memory),
    };
    swe_context ctx = {""};
    const swe_backend *backend = NULL;
    int index = 0;
    if (swe_backend_find(&ctx, "cuda", &backend, &index) != SWE_OK) {
        printf("skipped: %s\n", ctx.message);
        return SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
