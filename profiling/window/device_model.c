#include "window/device_model.h"

#include <math.h>
#include <stddef.h>

const prof_cache *prof_serving_cache(const prof_cache *caches, int count, double reach)
{
    for (int k = 0; k < count; k++)
        if (caches[k].bandwidth > 0.0 && reach <= caches[k].bytes)
            return &caches[k];
    return NULL;
}

prof_roofline prof_roofline_of(double bytes, double flops, double time, double bandwidth,
                               double peak)
{
    prof_roofline roofline = {.bound = PROF_BOUND_UNKNOWN};
    if (isnan(bytes + flops) || !(bandwidth > 0.0) || !(peak > 0.0))
        return roofline;
    roofline.moving = 1e9 * bytes / bandwidth;
    roofline.computing = 1e9 * flops / peak;
    roofline.time = fmax(roofline.moving, roofline.computing);
    if (!(time > 0.0) || !(roofline.time > 0.0))
        return roofline;
    if (roofline.time < prof_latency && roofline.time < prof_latency_share * time)
        roofline.bound = PROF_BOUND_LATENCY;
    else
        roofline.bound =
            roofline.moving <= roofline.computing ? PROF_BOUND_COMPUTE : PROF_BOUND_MEMORY;
    return roofline;
}

/* ---- occupancy ---- */

/* From the CUDA C++ Programming Guide 13.0: "Compute Capabilities" (warps, blocks and shared memory
 * of a multiprocessor) and "Arithmetic Instructions" (results per cycle of 64-bit multiply-add; 0
 * where the guide gives none). */
typedef struct capability {
    int major, minor;
    int warps, blocks;
    int shared;   /* KiB */
    int reserved; /* bytes that CUDA adds to a block's shared memory */
    int unit;     /* allocation granularity of shared memory [bytes] */
    int fp64;
} capability;

static const capability capabilities[] = {
    {7, 5, 32, 16, 64, 0, 256, 2},       {8, 0, 64, 32, 164, 1024, 128, 32},
    {8, 6, 48, 16, 100, 1024, 128, 2},   {8, 7, 48, 16, 164, 1024, 128, 0},
    {8, 9, 48, 24, 100, 1024, 128, 2},   {9, 0, 64, 32, 228, 1024, 128, 64},
    {10, 0, 64, 32, 228, 1024, 128, 64}, {10, 3, 64, 32, 228, 1024, 128, 0},
    {11, 0, 48, 24, 228, 1024, 128, 0},  {12, 0, 48, 24, 100, 1024, 128, 2},
    {12, 1, 48, 24, 100, 1024, 128, 2}};

/* Equal for all: registers of a multiprocessor, in four equal banks, allocated per warp in units.
 */
enum { WARP = 32, MOST_THREADS = 1024, MOST_REGISTERS = 255, REGISTERS = 65536, PARTS = 4 };
enum { REGISTER_UNIT = 256 };

static const capability *find(int major, int minor)
{
    for (size_t k = 0; k < sizeof capabilities / sizeof *capabilities; k++)
        if (capabilities[k].major == major && capabilities[k].minor == minor)
            return &capabilities[k];
    return NULL;
}

static int64_t round_up(int64_t value, int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

double prof_occupancy(int major, int minor, prof_launch launch)
{
    const capability *c = find(major, minor);
    if (c == NULL || launch.threads < 1 || launch.threads > MOST_THREADS || launch.registers < 0 ||
        launch.registers > MOST_REGISTERS || launch.shared < 0)
        return -1.0;
    const int64_t warps = (launch.threads + WARP - 1) / WARP;
    int64_t blocks = least(c->blocks, c->warps / warps);
    if (launch.registers > 0) {
        const int64_t of_warp = round_up(launch.registers * WARP, REGISTER_UNIT);
        blocks = least(blocks, REGISTERS / PARTS / of_warp * PARTS / warps);
    }
    const int64_t of_block = round_up(launch.shared + c->reserved, c->unit);
    if (of_block > 0)
        blocks = least(blocks, c->shared * 1024L / of_block);
    return blocks == 0 ? -1.0 : 100.0 * (double)(blocks * warps) / c->warps;
}

int prof_fp64_units(int major, int minor)
{
    const capability *c = find(major, minor);
    return c != NULL ? c->fp64 : 0;
}
