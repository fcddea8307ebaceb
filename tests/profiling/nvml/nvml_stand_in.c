/* A stand-in for libnvidia-ml.so.1 with two GPUs, as NVML's manual describes its functions.
 *
 * GPU g's n-th answer to a question, from 0, is n more than its first one; those of GPU 1 are 50
 * more than those of GPU 0. NVML_STAND_IN_FAILS="<function>=<code>" lets that function fail with
 * that code. Wrong use ends the program. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, INVALID_ARGUMENT = 2, GPUS = 2 };
enum { UTILIZATION, MEMORY, CLOCK_SM, CLOCK_MEMORY, POWER, TEMPERATURE, QUESTIONS };

/* The state of a library is global, as in the original. */
static struct nvml_device {
    atomic_uint answers[QUESTIONS];
} devices[GPUS];
static atomic_int initialised;

int nvmlInit_v2(void);
int nvmlShutdown(void);
const char *nvmlErrorString(int result);
int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, struct nvml_device **device);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, struct nvml_device **device);
int nvmlDeviceGetUtilizationRates(struct nvml_device *device, unsigned rates[2]);
int nvmlDeviceGetMemoryInfo(struct nvml_device *device, unsigned long long bytes[3]);
int nvmlDeviceGetClockInfo(struct nvml_device *device, int clock, unsigned *mhz);
int nvmlDeviceGetPowerUsage(struct nvml_device *device, unsigned *milliwatt);
int nvmlDeviceGetTemperature(struct nvml_device *device, int sensor, unsigned *celsius);

static void check(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "wrong use of NVML: %s\n", what);
    abort();
}

/* The code that the environment has for a function; OK if it has none. */
static int code_of(const char *function)
{
    const char *fails = getenv("NVML_STAND_IN_FAILS");
    const size_t length = strlen(function);
    if (fails == NULL || strncmp(fails, function, length) != 0 || fails[length] != '=')
        return OK;
    return atoi(fails + length + 1);
}

/* Count an answer, whose value is `first` at first; its code. */
static int answer(const char *function, struct nvml_device *device, int question, unsigned first,
                  unsigned *value)
{
    check(initialised > 0, function);
    check(device == &devices[0] || device == &devices[1], function);
    const int code = code_of(function);
    if (code == OK)
        *value = first + (device == &devices[1] ? 50 : 0) + device->answers[question]++;
    return code;
}

int nvmlInit_v2(void)
{
    const int code = code_of("nvmlInit_v2");
    initialised += code == OK;
    return code;
}

int nvmlShutdown(void)
{
    check(initialised > 0, "nvmlShutdown");
    initialised--;
    return OK;
}

__attribute__((destructor)) static void unload(void)
{
    check(initialised == 0, "unloaded without nvmlShutdown");
}

const char *nvmlErrorString(int result)
{
    switch (result) {
    case INVALID_ARGUMENT:
        return "Invalid Argument";
    case 6:
        return "Not Found";
    case 9:
        return "Driver Not Loaded";
    case 15:
        return "GPU is lost";
    default:
        return "Unknown Error";
    }
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, struct nvml_device **device)
{
    static const char *const at[GPUS] = {"0000:65:00.0", "0000:B3:00.0"};
    check(initialised > 0, "nvmlDeviceGetHandleByPciBusId_v2");
    for (int k = 0; k < GPUS; k++)
        if (strcmp(pci, at[k]) == 0) {
            *device = &devices[k];
            return OK;
        }
    return 6;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, struct nvml_device **device)
{
    check(initialised > 0, "nvmlDeviceGetHandleByIndex_v2");
    if (index >= GPUS)
        return INVALID_ARGUMENT;
    *device = &devices[index];
    return OK;
}

int nvmlDeviceGetUtilizationRates(struct nvml_device *device, unsigned rates[2])
{
    const int code = answer(__func__, device, UTILIZATION, 10, &rates[0]);
    if (code == OK)
        rates[1] = rates[0] - 5;
    return code;
}

int nvmlDeviceGetMemoryInfo(struct nvml_device *device, unsigned long long bytes[3])
{
    unsigned mebibytes;
    const int code = answer(__func__, device, MEMORY, 5000, &mebibytes);
    if (code == OK) {
        bytes[0] = 80000ull << 20;
        bytes[2] = (unsigned long long)mebibytes << 20;
        bytes[1] = bytes[0] - bytes[2];
    }
    return code;
}

int nvmlDeviceGetClockInfo(struct nvml_device *device, int clock, unsigned *mhz)
{
    check(clock == 1 || clock == 2, __func__);
    return clock == 1 ? answer(__func__, device, CLOCK_SM, 1000, mhz)
                      : answer(__func__, device, CLOCK_MEMORY, 2000, mhz);
}

int nvmlDeviceGetPowerUsage(struct nvml_device *device, unsigned *milliwatt)
{
    unsigned watt;
    const int code = answer(__func__, device, POWER, 300, &watt);
    if (code == OK)
        *milliwatt = 1000 * watt + 250;
    return code;
}

int nvmlDeviceGetTemperature(struct nvml_device *device, int sensor, unsigned *celsius)
{
    check(sensor == 0, __func__);
    return answer(__func__, device, TEMPERATURE, 30, celsius);
}
