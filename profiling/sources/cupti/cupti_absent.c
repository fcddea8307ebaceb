/* Replaces the source in builds without CUPTI: creation fails with one warning. */
#include "sources/cupti/cupti_source.h"

prof_cupti *prof_cupti_create(int64_t max_events, prof_log *log)
{
    (void)max_events;
    prof_warn(log, "no GPU trace: this build has no CUPTI (cupti.h of CUDA 13.0 or later was not "
                   "found)");
    return NULL;
}

void prof_cupti_warm_up(prof_cupti *cupti)
{
    (void)cupti;
}

bool prof_cupti_start(prof_cupti *cupti, prof_log *log)
{
    (void)cupti, (void)log;
    return false;
}

void prof_cupti_push(prof_cupti *cupti, const char *name, int32_t span)
{
    (void)cupti, (void)name, (void)span;
}

void prof_cupti_pop(prof_cupti *cupti)
{
    (void)cupti;
}

void prof_cupti_stop(prof_cupti *cupti, prof_trace *trace, prof_log *log)
{
    (void)cupti, (void)trace, (void)log;
}

void prof_cupti_destroy(prof_cupti **cupti)
{
    (void)cupti;
}
