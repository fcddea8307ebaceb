/* Samples of a GPU's state by NVML, and their log.
 *
 * NVML is resolved at run time: the CUDA toolkit may lack its header, and a machine its library.
 * Declarations follow the NVML API reference. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/output_file.h"
#include "base/library.h"
#include "sources/sources.h"

typedef struct nvml_device nvml_device;

/* Time in which a kernel ran, and in which device memory was accessed [percent]. */
typedef struct nvml_utilization {
    unsigned gpu, memory;
} nvml_utilization;

/* Bytes. */
typedef struct nvml_memory {
    unsigned long long total, free, used;
} nvml_memory;

enum { NVML_OK = 0, NVML_NOT_SUPPORTED = 3 };
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2 };
enum { NVML_SENSOR_GPU = 0 };

#define NVML_FUNCTION_LIST(FUNCTION)                                                               \
    FUNCTION(int, nvmlInit_v2, (void))                                                             \
    FUNCTION(int, nvmlShutdown, (void))                                                            \
    FUNCTION(const char *, nvmlErrorString, (int result))                                          \
    FUNCTION(int, nvmlDeviceGetHandleByPciBusId_v2, (const char *pci, nvml_device **device))       \
    FUNCTION(int, nvmlDeviceGetHandleByIndex_v2, (unsigned index, nvml_device **device))           \
    FUNCTION(int, nvmlDeviceGetUtilizationRates, (nvml_device *, nvml_utilization *))              \
    FUNCTION(int, nvmlDeviceGetMemoryInfo, (nvml_device *, nvml_memory *))                         \
    FUNCTION(int, nvmlDeviceGetClockInfo, (nvml_device *, int clock, unsigned *mhz))               \
    FUNCTION(int, nvmlDeviceGetPowerUsage, (nvml_device *, unsigned *milliwatt))                   \
    FUNCTION(int, nvmlDeviceGetTemperature, (nvml_device *, int sensor, unsigned *celsius))

typedef struct nvml_library {
    void *handle;
#define NVML_MEMBER(type, name, arguments) type(*name) arguments;
    NVML_FUNCTION_LIST(NVML_MEMBER)
#undef NVML_MEMBER
} nvml_library;

/* Load and initialise NVML; false after one warning. */
static bool nvml_library_open(nvml_library *library, swe_log *log)
{
    const char *name = getenv("CUBESWE_NVML_LIBRARY");
    name = name != NULL && name[0] != '\0' ? name : "libnvidia-ml.so.1";
    library->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
#define NVML_FIND(type, name, arguments) swe_library_find(library->handle, #name, &library->name) &&
    if (library->handle == NULL || !(NVML_FUNCTION_LIST(NVML_FIND) true)) {
#undef NVML_FIND
        swe_warn(log, "no samples of the GPU: %s", dlerror());
    } else {
        const int result = library->nvmlInit_v2();
        if (result == NVML_OK)
            return true;
        swe_warn(log, "no samples of the GPU: nvmlInit_v2: %s", library->nvmlErrorString(result));
    }
    if (library->handle != NULL)
        dlclose(library->handle);
    return false;
}

static void nvml_library_close(nvml_library *library)
{
    library->nvmlShutdown();
    dlclose(library->handle);
}

/* CSV log of a GPU's state, in the format of `nvidia-smi dmon --format csv -o DT` with
 * milliseconds: two heading lines (names, units), then one line per sample. */

typedef struct gpu_log {
    FILE *file;       /* NULL after a failure or before opening */
    const char *path; /* of the caller */
    int error;        /* errno of the failure that ended it; 0: none */
} gpu_log;

/* Store a failure, and stop writing. */
static void stop_writing(gpu_log *log)
{
    log->error = errno != 0 ? errno : EIO;
    if (log->file != NULL)
        fclose(log->file);
    log->file = NULL;
}

/* Write the line to the file now: the log is read during the run. */
static void end_line(gpu_log *log)
{
    if (fputc('\n', log->file) == EOF || fflush(log->file) != 0 || ferror(log->file) != 0)
        stop_writing(log);
}

static void gpu_log_open(gpu_log *log, const char *path)
{
    *log = (gpu_log){.path = path};
    if (path == NULL)
        return;
    errno = 0;
    const int file = swe_output_create(path);
    *log = (gpu_log){.file = file >= 0 ? fdopen(file, "a") : NULL, .path = path};
    if (log->file == NULL) {
        stop_writing(log);
        if (file >= 0)
            close(file);
        return;
    }
    fputs("#Date, Time, gpu, pwr, gtemp, sm, mem, mclk, pclk, fb\n"
          "#YYYYMMDD, HH:MM:SS, Idx, W, C, %, %, MHz, MHz, MB",
          log->file);
    end_line(log);
}

static void write_time(gpu_log *log, int64_t ns)
{
    const time_t seconds = (time_t)(ns / 1000000000);
    const int milliseconds = (int)(ns / 1000000 % 1000);
    struct tm local;
    char text[64];
    localtime_r(&seconds, &local);
    strftime(text, sizeof text, "%Y%m%d, %H:%M:%S", &local);
    fprintf(log->file, "%s.%03d", text, milliseconds);
}

static void gpu_log_add(gpu_log *log, const prof_gpu_sample *sample)
{
    const double values[] = {sample->device,      sample->power,
                             sample->temperature, sample->sm,
                             sample->memory,      sample->memory_clock,
                             sample->sm_clock,    sample->memory_used / (1024.0 * 1024.0)};
    if (log->file == NULL)
        return;
    errno = 0;
    write_time(log, sample->time + swe_clock_wall_ns() - swe_clock_ns());
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        if (values[k] < 0.0)
            fputs(", -", log->file);
        else
            fprintf(log->file, ", %.0f", values[k]);
    end_line(log);
}

static void gpu_log_close(gpu_log *log)
{
    if (log->file == NULL)
        return;
    const bool is_listed = swe_output_list(log->path, fileno(log->file));
    if (fclose(log->file) != 0 || !is_listed)
        log->error = errno;
    log->file = NULL;
}

struct prof_nvml {
    nvml_library library;
    nvml_device *device;
    int index;
    double period; /* s */
    char *path;    /* of the log */
    pthread_t thread;
    pthread_cond_t wake;
    pthread_mutex_t mutex; /* guards the members below */
    bool stopping;
    gpu_log log;
    const char *failed; /* function that failed, not reported yet; NULL: none */
    int result;         /* its result */
    int64_t count;      /* of all samples; the latest are kept */
    int64_t evicted;    /* time of the latest sample that is not kept any more */
    prof_gpu_sample kept[PROF_NVML_KEPT];
};

/* Whether a function of NVML returned a value. A value that the GPU does not support is no failure.
 */
static bool has_value(prof_nvml *nvml, const char *function, int result)
{
    if (result != NVML_OK && result != NVML_NOT_SUPPORTED && nvml->failed == NULL) {
        nvml->failed = function;
        nvml->result = result;
    }
    return result == NVML_OK;
}

#define NVML_GET(nvml, function, ...)                                                              \
    has_value(nvml, #function, (nvml)->library.function((nvml)->device, __VA_ARGS__))

static double clock_of(prof_nvml *nvml, int clock)
{
    unsigned mhz = 0;
    return NVML_GET(nvml, nvmlDeviceGetClockInfo, clock, &mhz) ? mhz : -1.0;
}

static prof_gpu_sample state_now(prof_nvml *nvml)
{
    nvml_utilization rates = {0};
    nvml_memory memory = {0};
    unsigned milliwatt = 0, celsius = 0;
    prof_gpu_sample sample = {.time = swe_clock_ns(),
                              .device = nvml->index,
                              .sm = -1.0,
                              .memory = -1.0,
                              .memory_used = -1.0,
                              .sm_clock = clock_of(nvml, NVML_CLOCK_SM),
                              .memory_clock = clock_of(nvml, NVML_CLOCK_MEMORY),
                              .power = -1.0,
                              .temperature = -1.0};
    if (NVML_GET(nvml, nvmlDeviceGetUtilizationRates, &rates)) {
        sample.sm = rates.gpu;
        sample.memory = rates.memory;
    }
    if (NVML_GET(nvml, nvmlDeviceGetMemoryInfo, &memory))
        sample.memory_used = (double)memory.used;
    if (NVML_GET(nvml, nvmlDeviceGetPowerUsage, &milliwatt))
        sample.power = 1e-3 * milliwatt;
    if (NVML_GET(nvml, nvmlDeviceGetTemperature, NVML_SENSOR_GPU, &celsius))
        sample.temperature = celsius;
    return sample;
}

static void take_sample(prof_nvml *nvml)
{
    const prof_gpu_sample sample = state_now(nvml);
    prof_gpu_sample *place = &nvml->kept[nvml->count % PROF_NVML_KEPT];
    if (nvml->count >= PROF_NVML_KEPT)
        nvml->evicted = place->time;
    *place = sample;
    nvml->count++;
    gpu_log_add(&nvml->log, &sample);
}

/* The moment that is `seconds` from now. */
static struct timespec moment_after(double seconds)
{
    struct timespec moment;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    const time_t whole = (time_t)seconds;
    moment.tv_sec += whole;
    moment.tv_nsec += (long)(1e9 * (seconds - (double)whole));
    if (moment.tv_nsec >= 1000000000) {
        moment.tv_sec++;
        moment.tv_nsec -= 1000000000;
    }
    return moment;
}

/* The background thread. It does not warn, because threads do not share the log of warnings. */
static void *keep_sampling(void *sampler)
{
    prof_nvml *nvml = sampler;
    pthread_mutex_lock(&nvml->mutex);
    while (!nvml->stopping) {
        const struct timespec due = moment_after(nvml->period);
        while (!nvml->stopping && pthread_cond_timedwait(&nvml->wake, &nvml->mutex, &due) == 0)
            ;
        if (!nvml->stopping)
            take_sample(nvml);
    }
    pthread_mutex_unlock(&nvml->mutex);
    return NULL;
}

static bool find_device(prof_nvml *nvml, const char *pci, swe_log *log)
{
    const nvml_library *library = &nvml->library;
    const int result =
        pci != NULL ? library->nvmlDeviceGetHandleByPciBusId_v2(pci, &nvml->device)
                    : library->nvmlDeviceGetHandleByIndex_v2((unsigned)nvml->index, &nvml->device);
    if (result == NVML_OK)
        return true;
    if (pci != NULL)
        swe_warn(log, "no samples of the GPU at %s: %s", pci, library->nvmlErrorString(result));
    else
        swe_warn(log, "no samples of GPU %d: %s", nvml->index, library->nvmlErrorString(result));
    return false;
}

/* Report the failures since the last call. */
static void warn_failures(prof_nvml *nvml, swe_log *log)
{
    pthread_mutex_lock(&nvml->mutex);
    const char *failed = nvml->failed;
    const int result = nvml->result, error = nvml->log.error;
    nvml->failed = NULL;
    nvml->log.error = 0;
    pthread_mutex_unlock(&nvml->mutex);
    if (failed != NULL)
        swe_warn(log, "samples of GPU %d have gaps: %s: %s", nvml->index, failed,
                 nvml->library.nvmlErrorString(result));
    if (error != 0)
        swe_warn(log, "%s: samples of the GPU cannot be written any more: %s", nvml->path,
                 strerror(error));
}

static bool create_wake(pthread_cond_t *wake)
{
    pthread_condattr_t monotonic;
    if (pthread_condattr_init(&monotonic) != 0)
        return false;
    const bool created = pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
                         pthread_cond_init(wake, &monotonic) == 0;
    pthread_condattr_destroy(&monotonic);
    return created;
}

/* Open the log, take the first sample, and start the thread; a failure releases everything. */
static bool begin(prof_nvml *nvml, swe_log *log)
{
    const bool mutex = pthread_mutex_init(&nvml->mutex, NULL) == 0;
    if (mutex && create_wake(&nvml->wake)) {
        gpu_log_open(&nvml->log, nvml->path);
        take_sample(nvml);
        if (pthread_create(&nvml->thread, NULL, keep_sampling, nvml) == 0)
            return true;
        gpu_log_close(&nvml->log);
        pthread_cond_destroy(&nvml->wake);
    }
    if (mutex)
        pthread_mutex_destroy(&nvml->mutex);
    swe_warn(log, "no samples of GPU %d: no thread can be started for them", nvml->index);
    return false;
}

static void destroy(prof_nvml *nvml)
{
    free(nvml->path);
    free(nvml);
}

prof_nvml *prof_nvml_start(const char *path, const char *pci, int index, double period,
                           swe_log *log)
{
    prof_nvml *nvml = calloc(1, sizeof *nvml);
    if (nvml == NULL || (path != NULL && (nvml->path = strdup(path)) == NULL)) {
        swe_warn(log, "no samples of GPU %d: out of memory", index);
        free(nvml);
        return NULL;
    }
    nvml->index = index;
    nvml->period = period;
    nvml->evicted = INT64_MIN;
    if (!nvml_library_open(&nvml->library, log)) {
        destroy(nvml);
        return NULL;
    }
    if (!find_device(nvml, pci, log) || !begin(nvml, log)) {
        nvml_library_close(&nvml->library);
        destroy(nvml);
        return NULL;
    }
    return nvml;
}

void prof_nvml_sample(prof_nvml *nvml)
{
    if (nvml == NULL)
        return;
    pthread_mutex_lock(&nvml->mutex);
    take_sample(nvml);
    pthread_mutex_unlock(&nvml->mutex);
}

/* Append the kept samples of [start, end]; false without memory. */
static bool append(const prof_nvml *nvml, prof_trace *trace, int64_t start, int64_t end)
{
    const int64_t kept = nvml->count < PROF_NVML_KEPT ? nvml->count : PROF_NVML_KEPT;
    prof_gpu_sample *samples =
        realloc(trace->samples, (size_t)(trace->sample_count + kept) * sizeof *samples);
    if (samples == NULL)
        return false;
    trace->samples = samples;
    for (int64_t k = nvml->count - kept; k < nvml->count; k++) {
        const prof_gpu_sample *sample = &nvml->kept[k % PROF_NVML_KEPT];
        if (sample->time >= start && sample->time <= end)
            samples[trace->sample_count++] = *sample;
    }
    return true;
}

void prof_nvml_collect(prof_nvml *nvml, prof_trace *trace, int64_t start, int64_t end, swe_log *log)
{
    if (nvml == NULL)
        return;
    pthread_mutex_lock(&nvml->mutex);
    const bool appended = append(nvml, trace, start, end);
    const bool complete = nvml->evicted < start;
    pthread_mutex_unlock(&nvml->mutex);
    if (!appended)
        swe_warn(log, "samples of GPU %d are not in the trace: out of memory", nvml->index);
    else if (!complete)
        swe_warn(log, "the window has only the last %d samples of GPU %d: it is too long for them",
                 PROF_NVML_KEPT, nvml->index);
    warn_failures(nvml, log);
}

void prof_nvml_stop(prof_nvml **pointer, swe_log *log)
{
    prof_nvml *nvml = *pointer;
    if (nvml == NULL)
        return;
    pthread_mutex_lock(&nvml->mutex);
    nvml->stopping = true;
    pthread_cond_signal(&nvml->wake);
    pthread_mutex_unlock(&nvml->mutex);
    pthread_join(nvml->thread, NULL);
    gpu_log_close(&nvml->log);
    warn_failures(nvml, log);
    nvml_library_close(&nvml->library);
    pthread_cond_destroy(&nvml->wake);
    pthread_mutex_destroy(&nvml->mutex);
    destroy(nvml);
    *pointer = NULL;
}
