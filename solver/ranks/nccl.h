/* NCCL: messages between the GPUs of ranks, without host memory. NVIDIA's library is opened at run
 * time (libnccl.so.2, or the file that CUBESWE_NCCL_LIBRARY names). An error of NCCL after
 * swe_nccl_connect ends all ranks. */
#ifndef SWE_RANKS_NCCL_H
#define SWE_RANKS_NCCL_H

#include "ranks/ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Connect the current CUDA devices of all ranks. All ranks call it together; if they are already
 * connected, it does nothing. Errors, the same on all ranks: SWE_UNAVAILABLE (no library, one
 * before 2.13, no connection). */
swe_status swe_nccl_connect(swe_context *ctx);

/* Disconnect, if this rank is connected; swe_ranks_end does. No graph with its messages may be
 * left: NCCL waits for their end. */
void swe_nccl_disconnect(void);

/* Start the received and the sent messages on a CUDA stream, or capture them with the stream. The
 * data of messages is in device memory. The traffic of this rank counts the messages, captured
 * messages at their capture, but not the wait for them. */
void swe_nccl_exchange(int received, const swe_message *receive, int sent, const swe_message *send,
                       void *stream);

#ifdef __cplusplus
}
#endif
#endif
