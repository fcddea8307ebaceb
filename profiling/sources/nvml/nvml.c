#include "sources/nvml/nvml.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "sources/nvml/gpu_log.h"
#include "sources/nvml/nvml_library.h"

struct prof_nvml {
    nvml_library library;
    nvml_device *device;
    int index;
    double period; /* s */
    char *path;    /* of the log */
    pthread_t thread;
    pthread_cond_t wake;
    pthread_mutex_t mutex; /* guards what follows */
    bool stopping;
    gpu_log log;
    const char *failed; /* function that failed, not told yet; NULL: none */
    int result;         /* what it returned */
    int64_t count;      /* of all samples; the latest are kept */
    int64_t evicted;    /* time of the latest sample that is not kept any more */
    prof_gpu_sample kept[PROF_NVML_KEPT];
};

/* Whether a function of NVML has_value a value. That a GPU does not have one is no failure. */
static bool has_value(prof_nvml *nvml, const char *function, int result)
{
    if (result != NVML_OK && result != NVML_NOT_SUPPORTED && nvml->failed == NULL) {
        nvml->failed = function;
        nvml->result = result;
    }
    return result == NVML_OK;
}

static double clock_of(prof_nvml *nvml, int clock)
{
    unsigned mhz = 0;
    const int result = nvml->library.nvmlDeviceGetClockInfo(nvml->device, clock, &mhz);
    return has_value(nvml, "nvmlDeviceGetClockInfo", result) ? mhz : -1.0;
}

static prof_gpu_sample state_now(prof_nvml *nvml)
{
    const nvml_library *library = &nvml->library;
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
    int result = library->nvmlDeviceGetUtilizationRates(nvml->device, &rates);
    if (has_value(nvml, "nvmlDeviceGetUtilizationRates", result)) {
        sample.sm = rates.gpu;
        sample.memory = rates.memory;
    }
    result = library->nvmlDeviceGetMemoryInfo(nvml->device, &memory);
    if (has_value(nvml, "nvmlDeviceGetMemoryInfo", result))
        sample.memory_used = (double)memory.used;
    result = library->nvmlDeviceGetPowerUsage(nvml->device, &milliwatt);
    if (has_value(nvml, "nvmlDeviceGetPowerUsage", result))
        sample.power = 1e-3 * milliwatt;
    result = library->nvmlDeviceGetTemperature(nvml->device, NVML_SENSOR_GPU, &celsius);
    if (has_value(nvml, "nvmlDeviceGetTemperature", result))
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

/* The thread in the background. It warns nobody: a log of warnings is not shared by threads. */
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

static bool find_device(prof_nvml *nvml, const char *pci, prof_log *log)
{
    const nvml_library *library = &nvml->library;
    const int result =
        pci != NULL ? library->nvmlDeviceGetHandleByPciBusId_v2(pci, &nvml->device)
                    : library->nvmlDeviceGetHandleByIndex_v2((unsigned)nvml->index, &nvml->device);
    if (result == NVML_OK)
        return true;
    if (pci != NULL)
        prof_warn(log, "no samples of the GPU at %s: %s", pci, library->nvmlErrorString(result));
    else
        prof_warn(log, "no samples of GPU %d: %s", nvml->index, library->nvmlErrorString(result));
    return false;
}

/* Tell what went wrong since the last time. */
static void warn_failures(prof_nvml *nvml, prof_log *log)
{
    pthread_mutex_lock(&nvml->mutex);
    const char *failed = nvml->failed;
    const int result = nvml->result, error = nvml->log.error;
    nvml->failed = NULL;
    nvml->log.error = 0;
    pthread_mutex_unlock(&nvml->mutex);
    if (failed != NULL)
        prof_warn(log, "samples of GPU %d have gaps: %s: %s", nvml->index, failed,
                  nvml->library.nvmlErrorString(result));
    if (error != 0)
        prof_warn(log, "%s: samples of the GPU cannot be written any more: %s", nvml->path,
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

/* Open the log, take the first sample, and start the thread; nothing stays if that fails. */
static bool begin(prof_nvml *nvml, prof_log *log)
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
    prof_warn(log, "no samples of GPU %d: no thread can be started for them", nvml->index);
    return false;
}

static void destroy(prof_nvml *nvml)
{
    free(nvml->path);
    free(nvml);
}

prof_nvml *prof_nvml_start(const char *path, const char *pci, int index, double period,
                           prof_log *log)
{
    prof_nvml *nvml = calloc(1, sizeof *nvml);
    if (nvml == NULL || (nvml->path = strdup(path)) == NULL) {
        prof_warn(log, "no samples of GPU %d: out of memory", index);
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

void prof_nvml_collect(prof_nvml *nvml, prof_trace *trace, int64_t start, int64_t end,
                       prof_log *log)
{
    if (nvml == NULL)
        return;
    pthread_mutex_lock(&nvml->mutex);
    const bool appended = append(nvml, trace, start, end);
    const bool complete = nvml->evicted < start;
    pthread_mutex_unlock(&nvml->mutex);
    if (!appended)
        prof_warn(log, "samples of GPU %d are not in the trace: out of memory", nvml->index);
    else if (!complete)
        prof_warn(log, "the window has only the last %d samples of GPU %d: it is too long for them",
                  PROF_NVML_KEPT, nvml->index);
    warn_failures(nvml, log);
}

void prof_nvml_stop(prof_nvml **pointer, prof_log *log)
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
