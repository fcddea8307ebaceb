/* A profiled run of the emulated command line measures no peak rates unless CUDA_EMULATION_PEAKS is
 * set: they take seconds, and mean nothing there. The linker replaces the function (--wrap). */
#include "backend/peaks.h"

#include <stdlib.h>

void __real_swe_peaks_record(const swe_backend *backend, swe_device *device,
                             const swe_execution *execution, swe_precision precision);
void __wrap_swe_peaks_record(const swe_backend *backend, swe_device *device,
                             const swe_execution *execution, swe_precision precision);

void __wrap_swe_peaks_record(const swe_backend *backend, swe_device *device,
                             const swe_execution *execution, swe_precision precision)
{
    if (getenv("CUDA_EMULATION_PEAKS") != NULL)
        __real_swe_peaks_record(backend, device, execution, precision);
}
