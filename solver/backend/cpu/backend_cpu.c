#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/backend.h"
#include "base/memory.h"
#include "ranks/ranks.h"
#include "stages/stages.h"
#include "stages/team_cpu.h"
#include "stages/tiles_cpu.h"

/* objects of single precision, under their linker names (base/real.h) */
extern const struct swe_stage_table_single swe_stages_cpu_single;
extern const swe_fma_benchmark swe_fma_benchmark_cpu_single;

struct swe_device {
    int threads; /* 0: chosen by the size of the model */
    swe_team *team;
    char name[256];
    prof_profiler *profiler;
};

static int device_count(swe_context *ctx)
{
    (void)ctx;
    return 1;
}

/* Name of the processor from /proc/cpuinfo. */
static void describe(int index, char *text, size_t size)
{
    (void)index;
    snprintf(text, size, "CPU");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL)
        return;
    char line[256];
    while (fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL)
            continue;
        snprintf(text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    fclose(file);
}

static void close_device(swe_device **device)
{
    swe_team_destroy(&(*device)->team);
    free(*device);
    *device = NULL;
}

/* Most threads of this process: the threads of the OpenMP runtime, which knows the available cores.
 * Ranks that may use the same cores of a machine divide them, unless OMP_NUM_THREADS sets the
 * threads of a rank. */
static int most_threads(void)
{
    const int most = omp_get_max_threads(), ranks = swe_ranks_sharing_cores();
    if (getenv("OMP_NUM_THREADS") != NULL)
        return most;
    return most > ranks ? most / ranks : 1;
}

static swe_status open_device(swe_context *ctx, int index, int threads, swe_device **out)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the CPU backend");
    (*out)->threads = threads;
    describe(index, (*out)->name, sizeof(*out)->name);
    const int most = threads > 0 ? threads : most_threads();
    const swe_status status = swe_team_create(ctx, most, &(*out)->team);
    if (status != SWE_OK)
        close_device(out);
    return status;
}

/* Threads for a model: with fewer than some tens of thousands of vertices each, threads wait longer
 * at the ends of stages than they compute. */
static int useful_threads(const swe_layout *layout)
{
    const ptrdiff_t vertices_per_thread = 30000;
    const ptrdiff_t useful = 1 + layout->field / swe_ranks_count() / vertices_per_thread;
    const int most = most_threads();
    return useful < most ? (int)useful : most;
}

/* Largest width of tiles, by the second-level cache of a core. */
static int tile_columns(void)
{
#ifdef _SC_LEVEL2_CACHE_SIZE
    return sysconf(_SC_LEVEL2_CACHE_SIZE) >= CPU_TILE_CACHE ? CPU_TILE_I : CPU_TILE_I_SMALL;
#else
    return CPU_TILE_I_SMALL;
#endif
}

static bool has_driver(void)
{
    return true;
}

static void bind(const swe_device *device, const swe_layout *layout, swe_execution *out)
{
    out->threads = device->threads > 0 ? device->threads : useful_threads(layout);
    out->tile_columns = tile_columns();
    out->queue = NULL;
    out->team = device->team;
    swe_team_set_active(device->team, out->threads);
}

static void attach(swe_device *device, const swe_execution *execution, prof_profiler *profiler)
{
    device->profiler = profiler;
    prof_attach(profiler, &(prof_device){.name = device->name, .threads = execution->threads});
}

static swe_status memory(swe_context *ctx, swe_device *device, size_t *bytes)
{
    (void)ctx;
    (void)device;
    *bytes = (size_t)swe_memory_limit("") / 2;
    return SWE_OK;
}

static swe_status allocate(swe_context *ctx, swe_device *device, size_t count, size_t size,
                           prof_place place, void **out)
{
    SWE_TRY(swe_memory_zero(ctx, count, size, out));
    prof_allocated(device->profiler, *out, count * size, place);
    return SWE_OK;
}

static swe_status reserve(swe_context *ctx, swe_device *device, size_t count, size_t size,
                          prof_place place, void **out)
{
    SWE_TRY(swe_memory_untouched(ctx, count, size, out));
    prof_allocated(device->profiler, *out, count * size, place);
    return SWE_OK;
}

static void release(swe_device *device, void *memory)
{
    prof_released(device->profiler, memory);
    free(memory);
}

static swe_status allocate_host(swe_context *ctx, swe_device *device, size_t bytes, void **out)
{
    (void)device;
    return swe_memory_untouched(ctx, bytes, 1, out);
}

static void release_host(swe_device *device, void *host)
{
    (void)device;
    free(host);
}

static void share(const swe_execution *execution, void (*work)(void *argument), void *argument)
{
#pragma omp parallel num_threads(swe_team_active(execution->team))
    work(argument);
}

static swe_status upload(swe_context *ctx, swe_device *device, const void *host, void *to_device,
                         size_t bytes)
{
    (void)ctx;
    (void)device;
    memcpy(to_device, host, bytes);
    return SWE_OK;
}

static swe_status download(swe_context *ctx, swe_device *device, const void *on_device, void *host,
                           size_t bytes)
{
    return upload(ctx, device, on_device, host, bytes);
}

static swe_status synchronize(swe_context *ctx, swe_device *device)
{
    (void)ctx;
    (void)device;
    return SWE_OK; /* a stage on the CPU has finished when it returns */
}

const swe_backend swe_backend_cpu = {
    .name = "cpu",
    .stages = {&swe_stages_cpu, &swe_stages_cpu_single},
    .inner_first = true,
    .copy_benchmark = &swe_copy_benchmark_cpu,
    .fma_benchmark = {&swe_fma_benchmark_cpu, &swe_fma_benchmark_cpu_single},
    .device_count = device_count,
    .has_driver = has_driver,
    .describe = describe,
    .open = open_device,
    .close = close_device,
    .bind = bind,
    .attach = attach,
    .memory = memory,
    .allocate = allocate,
    .reserve = reserve,
    .release = release,
    .allocate_host = allocate_host,
    .release_host = release_host,
    .share = share,
    .upload = upload,
    .download = download,
    .synchronize = synchronize,
};
