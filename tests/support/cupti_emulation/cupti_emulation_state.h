/* Shared by the stand-in's files: CUPTI's functions (cupti_emulation_api.c), the functions of its
 * profilers (cupti_emulation_profilers.hpp), and the records of reported work (cupti_emulation.c).
 */
#ifndef CUPTI_EMULATION_STATE_H
#define CUPTI_EMULATION_STATE_H

#include <cupti.h>
#include <pthread.h>
#include <stdbool.h>

#include "cupti_emulation.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CUPTI_EMULATION_EXTERNAL_MOST = 256 };

/* Global, as the real library's is. */
extern struct cupti_emulation {
    pthread_mutex_t lock;
    CUpti_CallbackFunc callback;
    void *callback_data;
    bool callback_on[CUPTI_CBID_RESOURCE_SIZE];
    bool launch_on; /* the callback of cuLaunchKernel */
    CUpti_BuffersCallbackRequestFunc request;
    CUpti_BuffersCallbackCompleteFunc complete;
    bool zeroed, system_threads;
    bool on[CUPTI_ACTIVITY_KIND_COUNT];
    uint64_t external[CUPTI_EMULATION_EXTERNAL_MOST];
    uint8_t *buffer;
    size_t size, used;
    size_t dropped;
    uint32_t correlation;
    CUpti_ActivityAPI call; /* the one that runs */
    uint64_t last;          /* when its last work ended */
    uint32_t stream, graph;
    uint64_t node, nodes;
    cupti_emulation_state state;
} cupti_emulation;

/* Bytes of a record; 0 if its kind is unknown. */
size_t cupti_emulation_record_size(CUpti_ActivityKind kind);

/* The time of records. */
uint64_t cupti_emulation_time(void);
/* Write a record where its kind is on; the lock is held. Give back the buffer that is in use. */
void cupti_emulation_write(const void *record);
void cupti_emulation_complete(void);

/* A call's number by its name, 0 if unknown; and its name by the number, NULL if unknown. */
CUpti_CallbackId cupti_emulation_call_id(const char *name);
const char *cupti_emulation_call_name(CUpti_CallbackDomain domain, CUpti_CallbackId id);

/* The context of all work. */
CUcontext cupti_emulation_context(void);

/* A kernel with this number of threads was launched: count it, if it is in a range. */
void cupti_emulation_count(int64_t threads);

#ifdef __cplusplus
}
#endif

#endif
