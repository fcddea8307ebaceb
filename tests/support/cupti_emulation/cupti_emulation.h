/* Calls that report work to a stand-in for CUPTI, which writes records of it. C and C++; nothing of
 * CUPTI is needed. */
#ifndef CUPTI_EMULATION_H
#define CUPTI_EMULATION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call of the CUDA runtime begins, by CUPTI's name of it ("cudaLaunchKernel_v7000"), and ends.
 * Work reported in between belongs to it: it began when the call or the work before it did, and
 * ends now. */
void cupti_emulation_call_begin(const char *name);
void cupti_emulation_call_end(int result);

/* Stream, and node of a graph, of the work that follows in the same call; 0 and 0 for none. */
void cupti_emulation_place(uint32_t stream, uint32_t graph, uint64_t node);

/* `name` is mangled, and stays where it is. */
void cupti_emulation_kernel(const char *name, const int grid[3], const int block[3]);
/* `kind`: 1 host to device, 2 device to host, 8 device to device, 9 host to host. */
void cupti_emulation_copy(int kind, size_t bytes);
void cupti_emulation_fill(size_t bytes);
/* The call waits for its stream. */
void cupti_emulation_synchronize(void);

/* A node of a graph is created, or copied as a graph is instantiated: its number. */
uint64_t cupti_emulation_node(void);
uint64_t cupti_emulation_node_copy(uint64_t original);

/* State and errors that the profiler left behind. */
typedef struct cupti_emulation_state {
    int subscribers;
    int kinds;          /* that are on */
    int external;       /* ids on the stack */
    int64_t records;    /* written so far */
    int64_t dirty;      /* buffers that were not zero when they were handed out */
    int64_t unbalanced; /* ids popped from an empty stack */
    int hosts;          /* objects of the profilers' host side */
    int profilers;      /* range profilers that are enabled */
    int samplers;       /* PM samplers that are enabled */
    int code_samplers;  /* PC sampling that is enabled */
} cupti_emulation_state;
cupti_emulation_state cupti_emulation_look(void);

#ifdef __cplusplus
}
#endif
#endif
