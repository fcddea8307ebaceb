// Shared by the stand-in's profilers: metrics and their values, and how its functions begin.
#ifndef CUPTI_EMULATION_PROFILERS_HPP
#define CUPTI_EMULATION_PROFILERS_HPP

#include <cstring>
#include <cupti_profiler_host.h>

#include <cstdlib>
#include <string>

#include "cupti_emulation_state.h"

namespace emulation
{

/// Metrics that are counted in ranges, in two passes; and behind them those that are sampled.
constexpr int COUNTED = 8, FIRST_OF_SECOND_PASS = 5, SAMPLED = 9, METRICS = COUNTED + SAMPLED;

inline int pass_of(int metric)
{
    return metric < FIRST_OF_SECOND_PASS ? 0 : 1;
}

/// The number of a metric that a chip has, -1 if it does not have it.
int metric_of(CUpti_ProfilerType profiler, const std::string &chip, const char *name);

inline std::string setting(const char *name)
{
    const char *text = std::getenv(name);
    return text ? text : "";
}

/// The chip: CUPTI_EMULATION_CHIP.
inline std::string chip()
{
    const std::string named = setting("CUPTI_EMULATION_CHIP");
    return named.empty() ? "GH100" : named;
}

/// The result that CUPTI_EMULATION_REFUSED_CALL ("cuptiRangeProfilerEnable:35") gives to a call.
inline CUptiResult refusal(const char *call)
{
    const std::string text = setting("CUPTI_EMULATION_REFUSED_CALL"),
                      name = std::string(call) + ":";
    if (text.compare(0, name.size(), name) != 0)
        return CUPTI_SUCCESS;
    return static_cast<CUptiResult>(std::atoi(text.c_str() + name.size()));
}

/// Which metrics are to be counted, and in how many passes.
struct Image {
    CUpti_ProfilerType profiler;
    uint32_t metrics;
    size_t passes;
};

/// A range, or a sample.
struct Range {
    char name[32];
    uint64_t start, end;
    double value[METRICS]; // NaN: not counted
};

/// Data that was decoded: this, and ranges behind it.
struct Data {
    size_t room, count;
    Range *ranges()
    {
        return reinterpret_cast<Range *>(this + 1);
    }
    const Range *ranges() const
    {
        return reinterpret_cast<const Range *>(this + 1);
    }
};

/// Whether cuptiProfilerInitialize was called.
extern bool initialized;

/// CUPTI's description of the free counters, here a text.
constexpr char AVAILABILITY[] = "all are free";

/// Give that description, or its size where there is no room yet.
template <typename parameters> CUptiResult give_availability(parameters *p)
{
    if (p->pCounterAvailabilityImage && p->counterAvailabilityImageSize < sizeof AVAILABILITY)
        return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
    if (p->pCounterAvailabilityImage)
        std::memcpy(p->pCounterAvailabilityImage, AVAILABILITY, sizeof AVAILABILITY);
    p->counterAvailabilityImageSize = sizeof AVAILABILITY;
    return CUPTI_SUCCESS;
}

} // namespace emulation

/// Begin a function of CUPTI: it may be refused, and its parameters have their size.
#define BEGIN(parameters, type)                                                                    \
    if (const CUptiResult refused = emulation::refusal(__func__))                                  \
        return refused;                                                                            \
    if ((parameters)->structSize != type##_STRUCT_SIZE || (parameters)->pPriv)                     \
    return CUPTI_ERROR_INVALID_PARAMETER

#endif
