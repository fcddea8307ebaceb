/* Contents of a stepper. Include it only in sources of the same precision (base/real.h). */
#ifndef SWE_STATE_STEPPER_INTERNAL_H
#define SWE_STATE_STEPPER_INTERNAL_H

#include "base/real.h"
#include "stages/exchange.h"
#include "stages/integrals/integrals.h"
#include "state/stepper.h"
#include "time/step.h"

enum { STEPPER_ARRAYS = 24 + SWE_WORK_COUNT, STEPPER_CHUNK = 1 << 14 };

struct swe_stepper {
    const swe_backend *backend;
    swe_device *device;
    const swe_stage_table *stages;
    swe_execution execution;
    const swe_field_set *prognostic; /* fields of a state */
    swe_params params;      /* kernel parameters; the arrays they point to are device memory */
    swe_step_fields fields; /* device memory */
    real *completed;        /* leapfrog: a state with v at the time of h; else NULL */
    swe_fields read; /* the state that others read: y, `completed`, or within a step Y1 to Y3 */
    int substeps;    /* of a step that is in progress; 0: none */
    double lag;      /* of the call in progress [s] */
    swe_step_plan plans[SWE_PIPELINES];
    swe_decomposition *decomposition; /* also params.decomposition; NULL: whole panels */
    swe_exchange_room room;           /* execution.room where the device has its own memory */
    int turn;                         /* room.turn */
    real *constant[SWE_CONSTANTS];    /* device memory, also of params; NULL: the flow has none */
    void *memory[STEPPER_ARRAYS];     /* every device array that the stepper owns */
    int memory_count;
    real chunk[STEPPER_CHUNK]; /* host buffer for conversions between precisions */
};

/* Values of a state, and doubles of the integrals of its rows. */
static inline size_t stepper_state_size(const swe_stepper *s)
{
    return (size_t)s->prognostic->count * (size_t)s->params.layout.field;
}

static inline size_t stepper_integrals_count(const swe_stepper *s)
{
    return (size_t)integrals_of_field(s->params.layout.n, s->params.fields);
}

/* ---- copies (stepper.c) ---------------------------------------------------------------------- */

/* Copy values from host memory to the device, in the precision of the stepper. Errors:
 * SWE_INTERNAL. */
swe_status stepper_upload(swe_context *ctx, swe_stepper *s, const double *host, real *to,
                          size_t count) REAL_SYMBOL(stepper_upload);

static inline int stepper_constant_fields(swe_constant which)
{
#define FIELDS_OF(name, NAME, count, has, varies, of)                                              \
    [SWE_##NAME] = (count), [SWE_ODD_##NAME] = (count),
    static const int fields[SWE_CONSTANTS] = {[SWE_BOTTOM] = 1, SWE_FORCING_LIST(FIELDS_OF)};
#undef FIELDS_OF
    return fields[which] > 0 ? fields[which] : SWE_FLOW_FIELDS;
}

/* ---- arrays (stepper_arrays.c) --------------------------------------------------------------- */

/* Allocate a device array, zero or uninitialised, which the stepper owns; the thread that writes to
 * a page first decides its memory node. `out` is the address of a pointer of any type. Errors:
 * SWE_NO_MEMORY, SWE_INTERNAL. */
swe_status stepper_allocate(swe_context *ctx, swe_stepper *s, bool zero, size_t count, size_t size,
                            prof_place place, void *out) REAL_SYMBOL(stepper_allocate);

/* Cut the panels, and set the parameters of kernels: constants, tables, metric terms, Coriolis
 * parameter, a flat bottom. Errors: SWE_CONFIG (n, order, closure, blocks), SWE_NO_MEMORY,
 * SWE_INTERNAL. */
swe_status stepper_create_params(swe_context *ctx, const swe_stepper_options *options,
                                 swe_stepper *s) REAL_SYMBOL(stepper_create_params);

/* Allocate fields, scratch and, on a device, what exchanges need. Errors: SWE_NO_MEMORY,
 * SWE_INTERNAL. */
swe_status stepper_allocate_fields(swe_context *ctx, swe_stepper *s,
                                   const swe_stepper_options *options)
    REAL_SYMBOL(stepper_allocate_fields);

/* ---- blocks (stepper_blocks.c) --------------------------------------------------------------- */

/* Cut the panels where there is more than one block a panel, or more than one rank. */
swe_status stepper_blocks_create(swe_context *ctx, const swe_stepper_options *options,
                                 swe_stepper *s) REAL_SYMBOL(stepper_blocks_create);

/* Where the device has its own memory, copy the lists of the blocks to it, and make room for
 * messages and for `bytes_of_rows` bytes of rows. */
swe_status stepper_blocks_place(swe_context *ctx, swe_stepper *s, size_t bytes_of_rows)
    REAL_SYMBOL(stepper_blocks_place);

/* swe_stepper_functions.connect, transport and waits. */
swe_status stepper_blocks_connect(swe_context *ctx, swe_stepper *s, swe_transport transport)
    REAL_SYMBOL(stepper_blocks_connect);
const char *stepper_blocks_transport(const swe_stepper *s) REAL_SYMBOL(stepper_blocks_transport);
bool stepper_blocks_waits(const swe_stepper *s) REAL_SYMBOL(stepper_blocks_waits);

/* CUDA IPC between neighbours (stepper_peers.c). Connect: all ranks call it. Disconnect: unmap the
 * memory of the other ranks, which may then release it. Errors, the same on all ranks:
 * SWE_UNAVAILABLE, SWE_NO_MEMORY. */
swe_status stepper_peers_connect(swe_context *ctx, swe_stepper *s)
    REAL_SYMBOL(stepper_peers_connect);
void stepper_peers_disconnect(swe_stepper *s) REAL_SYMBOL(stepper_peers_disconnect);

/* The root receives the rows that other ranks have summed. */
void stepper_blocks_gather_integrals(const swe_stepper *s, double *rows)
    REAL_SYMBOL(stepper_blocks_gather_integrals);

void stepper_blocks_destroy(swe_stepper *s) REAL_SYMBOL(stepper_blocks_destroy);

#endif
