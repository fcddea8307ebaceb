/* Theoretical occupancy: known values, and NVIDIA's own calculator where the toolkit has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "window/device_model.h"

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define HAVE_CALCULATOR
#endif

static double occupancy(int major, int minor, int threads, int registers, int shared)
{
    return prof_occupancy(major, minor, (prof_launch){threads, registers, shared});
}

/* As worked out by hand from the limits of a multiprocessor. */
static void known_launches_have_known_occupancies(void **state)
{
    (void)state;
    assert_true(occupancy(9, 0, 256, 32, 0) == 100.0);  /* 8 blocks of 8 warps */
    assert_true(occupancy(9, 0, 256, 64, 0) == 50.0);   /* registers: 4 blocks */
    assert_true(occupancy(9, 0, 256, 40, 0) == 75.0);   /* 40 * 32 -> 1280: 12 warps a part */
    assert_true(occupancy(9, 0, 32, 32, 0) == 50.0);    /* 32 blocks at most */
    assert_true(occupancy(9, 0, 1024, 255, 0) == -1.0); /* 8 warps a part cannot have so many */
    assert_true(occupancy(9, 0, 256, 32, 101 * 1024) == 25.0); /* 228 KiB: 2 blocks */
    assert_true(occupancy(8, 6, 1024, 32, 0) * 3.0 == 200.0);  /* 48 warps: 1 block of 32 */
    assert_true(occupancy(8, 0, 96, 16, 4096) == 100.0 * 63 / 64);
    assert_true(occupancy(7, 5, 256, 64, 16384) == 100.0);
}

static void what_is_not_known_or_cannot_run_has_none(void **state)
{
    (void)state;
    assert_true(occupancy(3, 5, 256, 32, 0) == -1.0);
    assert_true(occupancy(9, 0, 0, 32, 0) == -1.0);
    assert_true(occupancy(9, 0, 1025, 32, 0) == -1.0);
    assert_true(occupancy(9, 0, 256, 256, 0) == -1.0);
    assert_true(occupancy(9, 0, 256, 32, 228 * 1024) == -1.0);
}

/* Against data sheets: FP64 peak of A100, H200 and B200 [TFLOP/s]. */
static void peaks_are_those_of_data_sheets(void **state)
{
    (void)state;
    const double a100 = 2e-12 * prof_fp64_units(8, 0) * 108 * 1.41e9;
    const double h200 = 2e-12 * prof_fp64_units(9, 0) * 132 * 1.98e9;
    const double b200 = 2e-12 * prof_fp64_units(10, 0) * 148 * 1.965e9;
    assert_true(a100 > 9.6 && a100 < 9.8);
    assert_true(h200 > 33.0 && h200 < 34.0);
    assert_true(b200 > 36.5 && b200 < 40.0);
    assert_int_equal(prof_fp64_units(3, 5), 0);
}

#ifdef HAVE_CALCULATOR
typedef struct device {
    int major, minor, warps, shared, reserved;
} device;

static const device devices[] = {
    {7, 5, 32, 64, 0},      {8, 0, 64, 164, 1024},  {8, 6, 48, 100, 1024},  {8, 7, 48, 164, 1024},
    {8, 9, 48, 100, 1024},  {9, 0, 64, 228, 1024},  {10, 0, 64, 228, 1024}, {10, 3, 64, 228, 1024},
    {11, 0, 48, 228, 1024}, {12, 0, 48, 100, 1024}, {12, 1, 48, 100, 1024}};

/* Blocks by NVIDIA's calculator; 0 if it refuses the launch. */
static int calculated_blocks(const device *d, int threads, int registers, int shared)
{
    const size_t multiprocessor = (size_t)d->shared * 1024;
    const cudaOccDeviceProp properties = {.computeMajor = d->major,
                                          .computeMinor = d->minor,
                                          .maxThreadsPerBlock = 1024,
                                          .maxThreadsPerMultiprocessor = 32 * d->warps,
                                          .regsPerBlock = 65536,
                                          .regsPerMultiprocessor = 65536,
                                          .warpSize = 32,
                                          .sharedMemPerBlock = 48 * 1024,
                                          .sharedMemPerMultiprocessor = multiprocessor,
                                          .numSms = 1,
                                          .sharedMemPerBlockOptin =
                                              multiprocessor - (size_t)d->reserved,
                                          .reservedSharedMemPerBlock = (size_t)d->reserved};
    const cudaOccFuncAttributes kernel = {.maxThreadsPerBlock = 1024,
                                          .numRegs = registers,
                                          .sharedSizeBytes = (size_t)shared,
                                          .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
                                          .maxDynamicSharedSizeBytes = multiprocessor,
                                          .numBlockBarriers = 1};
    const cudaOccDeviceState preference = {.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT};
    cudaOccResult result;
    return cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &kernel, &preference,
                                                   threads, 0) == CUDA_OCC_SUCCESS
               ? result.activeBlocksPerMultiprocessor
               : 0;
}

static void launches_have_the_occupancy_that_nvidia_calculates(void **state)
{
    (void)state;
    int compared = 0;
    for (size_t k = 0; k < sizeof devices / sizeof *devices; k++)
        for (int threads = 1; threads <= 1024; threads += threads < 64 ? 21 : 61)
            for (int registers = 8; registers <= 255; registers += 13)
                for (int shared = 0; shared < 230 * 1024; shared = 2 * shared + 700) {
                    const device *d = &devices[k];
                    const int blocks = calculated_blocks(d, threads, registers, shared);
                    const int warps = blocks * ((threads + 31) / 32);
                    const double expected = blocks == 0 ? -1.0 : 100.0 * warps / d->warps;
                    const double found = occupancy(d->major, d->minor, threads, registers, shared);
                    if (found != expected)
                        fail_msg("%d.%d, %d threads, %d registers, %d B: %g, not %g", d->major,
                                 d->minor, threads, registers, shared, found, expected);
                    compared += blocks > 0;
                }
    assert_true(compared > 10000);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_launches_have_known_occupancies),
        cmocka_unit_test(what_is_not_known_or_cannot_run_has_none),
        cmocka_unit_test(peaks_are_those_of_data_sheets),
#ifdef HAVE_CALCULATOR
        cmocka_unit_test(launches_have_the_occupancy_that_nvidia_calculates),
#endif
    };
    return cmocka_run_group_tests_name("occupancy", tests, NULL, NULL);
}
