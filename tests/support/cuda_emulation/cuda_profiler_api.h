/// The part of CUDA's profiler control which the project uses; see cuda_runtime.h.
#ifndef CUDA_EMULATION_CUDA_PROFILER_API_H
#define CUDA_EMULATION_CUDA_PROFILER_API_H

#include "cuda_runtime.h"

/// Nothing is captured here: both print a line on standard error where CUDA_EMULATION_TELL_CAPTURE
/// is set.
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();

#endif
