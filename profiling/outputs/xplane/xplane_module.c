/* A step as an HLO module, in the plane /host:metadata: XProf's op profile, HLO statistics,
 * roofline, graph and memory viewers read it.
 *
 * XLA did not compile the module: each kernel of a stage is a custom call, native CUDA. It is not a
 * fusion, because a stage accesses parts of some buffers: HLO statistics and roofline of XProf read
 * the bytes of a custom call from the kernels' events, but compute the bytes of a fusion from its
 * shapes. Operands and results are the buffers of the stage's static cost. All buffers are
 * parameters, because a step allocates none, and are in one allocation. The result of the module is
 * the buffers that a step reads before it writes them, with their values after the step. */
#include <setjmp.h>
#include <string.h>

#include "base/json_reader.h"
#include "hlo.pb-c.h"
#include "outputs/xplane/internal.h"

enum { F32 = 11, F64 = 12, TUPLE = 13 }; /* XLA's element types */

/* The module while it is built. The pool owns all of it. */
typedef struct module {
    pool *pool;
    jmp_buf no_memory;
    const prof_trace *trace;
    const xplane_program *program;
    const flow_graph *graph;
    ProfHlo__Instruction **entry; /* instructions of a step, in their order */
    size_t entry_count;
    ProfHlo__Instruction **value; /* by buffer: what computed its present values; NULL: nothing */
    ProfHlo__LogicalBuffer **logical;
    size_t logical_count;
    int64_t last_id;
} module;

/* Room for `count` items of `size` bytes, zeroed. */
static void *room(module *p, size_t count, size_t size)
{
    void *items = pool_array(p->pool, count > 0 ? count : 1, size);
    if (items == NULL)
        longjmp(p->no_memory, 1);
    return items;
}

static void *copy_of(module *p, const void *message, size_t size)
{
    return memcpy(room(p, 1, size), message, size);
}
#define NEW(p, type, initial) (type *)copy_of(p, &(const type)initial, sizeof(type))

/* An array of one pointer, as protobuf-c needs it. */
static void *only(module *p, void *message)
{
    void **list = room(p, 1, sizeof *list);
    list[0] = message;
    return list;
}

static char *text_of(module *p, const char *name, const char *suffix)
{
    const size_t size = strlen(name) + strlen(suffix) + 1;
    char *text = room(p, size, 1);
    snprintf(text, size, "%s%s", name, suffix);
    return text;
}

/* ---- shapes ---- */

static ProfHlo__Shape *shape_of_buffer(module *p, int32_t buffer)
{
    const prof_buffer array = flow_array_of(p->trace, &p->graph->buffers[buffer]);
    const size_t count = (size_t)array.dimensions;
    ProfHlo__Shape *shape = NEW(p, ProfHlo__Shape, PROF_HLO__SHAPE__INIT);
    shape->element_type = array.value_bytes == (int)sizeof(float) ? F32 : F64;
    shape->n_dimensions = count;
    shape->dimensions = room(p, count, sizeof *shape->dimensions);
    shape->layout = NEW(p, ProfHlo__Layout, PROF_HLO__LAYOUT__INIT);
    shape->layout->n_minor_to_major = count;
    shape->layout->minor_to_major = room(p, count, sizeof *shape->layout->minor_to_major);
    for (size_t k = 0; k < count && k < PROF_MOST_DIMENSIONS; k++) {
        shape->dimensions[k] = array.shape[k];
        shape->layout->minor_to_major[k] = (int64_t)(count - 1 - k);
    }
    return shape;
}

static ProfHlo__Shape *tuple_of_buffers(module *p, const int32_t *buffers, size_t count)
{
    ProfHlo__Shape *shape = NEW(p, ProfHlo__Shape, PROF_HLO__SHAPE__INIT);
    shape->element_type = TUPLE;
    shape->n_tuple_shapes = count;
    shape->tuple_shapes = room(p, count, sizeof(ProfHlo__Shape *));
    for (size_t k = 0; k < count; k++)
        shape->tuple_shapes[k] = shape_of_buffer(p, buffers[k]);
    return shape;
}

static ProfHlo__ProgramShape *program_shape(module *p, const int32_t *parameters, size_t count,
                                            ProfHlo__Shape *result)
{
    ProfHlo__ProgramShape *shape = NEW(p, ProfHlo__ProgramShape, PROF_HLO__PROGRAM_SHAPE__INIT);
    shape->n_parameters = shape->n_parameter_names = count;
    shape->parameters = room(p, count, sizeof(ProfHlo__Shape *));
    shape->parameter_names = room(p, count, sizeof(char *));
    for (size_t k = 0; k < count; k++) {
        shape->parameters[k] = shape_of_buffer(p, parameters[k]);
        shape->parameter_names[k] = text_of(p, p->graph->buffers[parameters[k]].name, "");
    }
    shape->result = result;
    return shape;
}

/* ---- instructions ---- */

static ProfHlo__Instruction *instruction(module *p, char *name, const char *opcode,
                                         ProfHlo__Shape *shape)
{
    ProfHlo__Instruction *i = NEW(p, ProfHlo__Instruction, PROF_HLO__INSTRUCTION__INIT);
    i->name = name;
    i->opcode = text_of(p, opcode, "");
    i->shape = shape;
    i->id = ++p->last_id;
    return i;
}

static void set_operands(module *p, ProfHlo__Instruction *i, ProfHlo__Instruction *const *operands,
                         size_t count)
{
    i->n_operand_ids = count;
    i->operand_ids = room(p, count, sizeof *i->operand_ids);
    for (size_t k = 0; k < count; k++)
        i->operand_ids[k] = operands[k]->id;
}

/* The buffers that a stage reads, or writes. */
static size_t accesses_of(module *p, int32_t stage, bool writes, int32_t **buffers)
{
    size_t count = 0;
    *buffers = room(p, (size_t)p->graph->edge_count, sizeof **buffers);
    for (int32_t k = 0; k < p->graph->edge_count; k++) {
        const flow_edge *edge = &p->graph->edges[k];
        if (edge->stage == stage && edge->writes == writes)
            (*buffers)[count++] = edge->buffer;
    }
    return count;
}

/* The memory of a parameter. */
static void add_logical(module *p, int32_t buffer, const ProfHlo__Instruction *where)
{
    ProfHlo__LogicalBuffer *logical =
        NEW(p, ProfHlo__LogicalBuffer, PROF_HLO__LOGICAL_BUFFER__INIT);
    ProfHlo__LogicalBuffer__Location *location =
        NEW(p, ProfHlo__LogicalBuffer__Location, PROF_HLO__LOGICAL_BUFFER__LOCATION__INIT);
    location->instruction_name = where->name;
    location->instruction_id = where->id;
    logical->id = (int64_t)p->logical_count + 1;
    const prof_buffer array = flow_array_of(p->trace, &p->graph->buffers[buffer]);
    logical->size = (int64_t)prof_buffer_bytes(&array);
    logical->defined_at = location;
    p->logical[p->logical_count++] = logical;
}

/* Metadata of a stage's instructions: the name that its first recorded kernel has as an operation,
 * and the file of the kernels. */
static ProfHlo__Metadata *metadata_of(module *p, const flow_stage *stage)
{
    ProfHlo__Metadata *metadata = NEW(p, ProfHlo__Metadata, PROF_HLO__METADATA__INIT);
    char name[XPLANE_OP_NAME_SIZE];
    int64_t k = 0;
    while (k < p->trace->op_count &&
           (p->trace->ops[k].stage == NULL || strcmp(p->trace->ops[k].stage, stage->name) != 0))
        k++;
    xplane_op_name(p->trace, k < p->trace->op_count ? p->trace->ops[k].span : -1, stage->name,
                   name);
    char *type = strrchr(name, ':');
    *type = '\0';
    metadata->op_name = text_of(p, name, "");
    metadata->op_type = text_of(p, type + 1, "");
    if (stage->cost->source != NULL) {
        metadata->source_file = text_of(p, stage->cost->source, "");
        metadata->source_line = stage->cost->source_line;
    }
    return metadata;
}

/* The description of a stage, which follows the kernel's name in the target of its calls. */
static const char *description_of(const module *p, const flow_stage *stage)
{
    double bytes = 0.0, flops = 0.0;
    return prof_counted_work(p->trace, stage->name, &bytes, &flops)
               ? ": native CUDA, not XLA; bytes and FP64 as the GPU counted them"
               : ": native CUDA, not XLA; costs by the formulas of the stage";
}

/* Whether a kernel of the stage was recorded, of those from number `first` on. */
static bool has_kernel_from(const xplane_program *program, int32_t first, int32_t stage)
{
    for (int32_t k = first; k < program->kernel_count; k++)
        if (program->kernels[k].stage == stage)
            return true;
    return false;
}

/* Add the kernels of a stage: all read its buffers, the last one has the results. */
static void add_stage(module *p, int32_t number)
{
    const flow_stage *stage = &p->graph->stages[number];
    int32_t *read = NULL, *written = NULL;
    const size_t reads = accesses_of(p, number, false, &read);
    const size_t writes = accesses_of(p, number, true, &written);
    ProfHlo__Instruction **operands = room(p, reads + 1, sizeof(ProfHlo__Instruction *));
    ProfHlo__Instruction *call = NULL;
    for (size_t k = 0; k < reads; k++)
        operands[k] = p->value[read[k]];
    for (int32_t k = 0; k < p->program->kernel_count; k++) {
        const xplane_kernel *kernel = &p->program->kernels[k];
        if (kernel->stage != number)
            continue;
        const bool is_last = !has_kernel_from(p->program, k + 1, number);
        operands[reads] = call; /* the kernel before */
        const size_t count = reads + (call != NULL);
        ProfHlo__Shape *results = is_last && writes == 1
                                      ? shape_of_buffer(p, written[0])
                                      : tuple_of_buffers(p, written, is_last ? writes : 0);
        call = instruction(p, text_of(p, kernel->instruction, ""), "custom-call", results);
        call->custom_call_target = text_of(p, kernel->name, description_of(p, stage));
        call->metadata = metadata_of(p, stage);
        set_operands(p, call, operands, count);
        p->entry[p->entry_count++] = call;
    }
    for (size_t k = 0; k < writes; k++) {
        const flow_buffer *buffer = &p->graph->buffers[written[k]];
        ProfHlo__Instruction *result = call;
        if (writes > 1) {
            char *name = text_of(p, text_of(p, stage->name, "."), buffer->name);
            result = instruction(p, name, "get-tuple-element", shape_of_buffer(p, written[k]));
            result->tuple_index = (int64_t)k;
            set_operands(p, result, &call, 1);
            p->entry[p->entry_count++] = result;
        }
        p->value[written[k]] = result;
    }
}

/* Whether a stage of the step accesses a buffer; whether the first that does only writes it. */
static bool is_used(const module *p, int32_t buffer, bool *is_written_first)
{
    const flow_graph *graph = p->graph;
    bool is_read = false, is_written = false;
    for (int32_t k = 0; k < graph->edge_count && !is_read && !is_written; k++) {
        const int32_t stage = graph->edges[k].stage;
        if (graph->edges[k].buffer != buffer || !has_kernel_from(p->program, 0, stage))
            continue;
        for (int32_t j = k; j < graph->edge_count && graph->edges[j].stage == stage; j++)
            if (graph->edges[j].buffer == buffer)
                *(graph->edges[j].writes ? &is_written : &is_read) = true;
    }
    *is_written_first = !is_read;
    return is_read || is_written;
}

/* The parameters of a step: all buffers, in their order; returns their number. `found` receives
 * those whose values the step reads. */
static size_t add_parameters(module *p, int32_t *parameters, int32_t *found, size_t *found_count)
{
    size_t count = 0;
    *found_count = 0;
    for (int32_t k = 0; k < p->graph->buffer_count; k++) {
        bool is_written_first = false;
        if (!is_used(p, k, &is_written_first))
            continue;
        ProfHlo__Instruction *i = instruction(p, text_of(p, p->graph->buffers[k].name, ""),
                                              "parameter", shape_of_buffer(p, k));
        i->parameter_number = (int64_t)count;
        p->entry[p->entry_count++] = i;
        add_logical(p, k, i);
        parameters[count++] = k;
        if (is_written_first)
            continue;
        p->value[k] = i;
        found[(*found_count)++] = k;
    }
    return count;
}

static ProfHlo__Module *whole_module(module *p)
{
    const flow_graph *graph = p->graph;
    const size_t buffers = (size_t)graph->buffer_count, kernels = (size_t)p->program->kernel_count;
    p->value = room(p, buffers, sizeof(ProfHlo__Instruction *));
    p->logical = room(p, buffers, sizeof(ProfHlo__LogicalBuffer *));
    p->entry =
        room(p, buffers + kernels + (size_t)graph->edge_count + 1, sizeof(ProfHlo__Instruction *));
    int32_t *parameters = room(p, buffers, sizeof *parameters);
    int32_t *found = room(p, buffers, sizeof *found);
    size_t found_count = 0;
    const size_t count = add_parameters(p, parameters, found, &found_count);
    for (int32_t k = 0; k < graph->stage_count; k++)
        if (has_kernel_from(p->program, 0, k))
            add_stage(p, k);
    ProfHlo__Instruction **left = room(p, found_count, sizeof(ProfHlo__Instruction *));
    for (size_t k = 0; k < found_count; k++)
        left[k] = p->value[found[k]];
    ProfHlo__Shape *result = tuple_of_buffers(p, found, found_count);
    ProfHlo__Instruction *root = instruction(p, text_of(p, "state", ""), "tuple", result);
    set_operands(p, root, left, found_count);
    p->entry[p->entry_count++] = root;
    ProfHlo__Computation *step = NEW(p, ProfHlo__Computation, PROF_HLO__COMPUTATION__INIT);
    step->name = text_of(p, "step", "");
    step->instructions = p->entry;
    step->n_instructions = p->entry_count;
    step->program_shape = program_shape(p, parameters, count, result);
    step->id = ++p->last_id;
    step->root_id = root->id;
    ProfHlo__Module *module = NEW(p, ProfHlo__Module, PROF_HLO__MODULE__INIT);
    module->name = text_of(p, p->program->name, "");
    module->entry_name = step->name;
    module->program_shape = step->program_shape;
    module->id = p->program->id;
    module->entry_id = step->id;
    module->computations = only(p, step);
    module->n_computations = 1;
    return module;
}

/* ---- buffers: one allocation, whose heap has all of them from the begin to the end ---- */

static void add_event(module *p, ProfHlo__HeapTrace *heap, const ProfHlo__LogicalBuffer *logical,
                      int kind)
{
    ProfHlo__HeapTrace__Event *event =
        NEW(p, ProfHlo__HeapTrace__Event, PROF_HLO__HEAP_TRACE__EVENT__INIT);
    event->kind = kind;
    event->buffer_id = logical->id;
    event->computation_name = text_of(p, "step", "");
    event->instruction_name = logical->defined_at->instruction_name;
    heap->events[heap->n_events++] = event;
}

static ProfHlo__Buffers *buffers_of(module *p)
{
    const size_t count = p->logical_count;
    ProfHlo__Buffers *buffers = NEW(p, ProfHlo__Buffers, PROF_HLO__BUFFERS__INIT);
    ProfHlo__Allocation *all = NEW(p, ProfHlo__Allocation, PROF_HLO__ALLOCATION__INIT);
    ProfHlo__HeapTrace *heap = NEW(p, ProfHlo__HeapTrace, PROF_HLO__HEAP_TRACE__INIT);
    all->assigned = room(p, count, sizeof(ProfHlo__Allocation__Assigned *));
    heap->events = room(p, 2 * count, sizeof(ProfHlo__HeapTrace__Event *));
    for (size_t k = 0; k < count; k++) {
        ProfHlo__Allocation__Assigned *place =
            NEW(p, ProfHlo__Allocation__Assigned, PROF_HLO__ALLOCATION__ASSIGNED__INIT);
        place->logical_buffer_id = p->logical[k]->id;
        place->offset = all->size;
        place->size = p->logical[k]->size;
        all->size += place->size;
        all->assigned[all->n_assigned++] = place;
        add_event(p, heap, p->logical[k], 0);
    }
    for (size_t k = 0; k < count; k++)
        add_event(p, heap, p->logical[k], 1);
    buffers->logical_buffers = p->logical;
    buffers->n_logical_buffers = count;
    buffers->allocations = only(p, all);
    buffers->n_allocations = 1;
    buffers->heap_traces = only(p, heap);
    buffers->n_heap_traces = 1;
    return buffers;
}

/* ---- the plane ---- */

/* Append the plane with the module, whose event name has the number of the program. False: out of
 * memory. */
static bool write_plane(module *p, FILE *space)
{
    ProfHlo__Proto *proto = NEW(p, ProfHlo__Proto, PROF_HLO__PROTO__INIT);
    proto->module = whole_module(p);
    proto->buffers = buffers_of(p);
    ProtobufCBinaryData bytes = {protobuf_c_message_get_packed_size(&proto->base), NULL};
    bytes.data = room(p, bytes.len, 1);
    protobuf_c_message_pack(&proto->base, bytes.data);
    xplane_plane plane;
    xplane_begin(&plane, XPLANE_ID_PROGRAM, "/host:metadata", p->trace->start);
    xplane_stats stats = {.plane = &plane};
    xplane_stat_blob(&stats, "Hlo Proto", bytes); /* XProf's spelling */
    char title[64];
    snprintf(title, sizeof title, "%s(%d)", p->program->name, (int)p->program->id);
    xplane_event_name(&stats, p->program->id, title);
    return xplane_end(&plane, space);
}

bool xplane_write_module(const prof_trace *trace, const xplane_program *program, FILE *space)
{
    module m = {
        .pool = pool_create(), .trace = trace, .program = program, .graph = &program->graph};
    if (m.pool == NULL)
        return false;
    if (setjmp(m.no_memory) != 0) {
        pool_destroy(&m.pool);
        return false;
    }
    const bool written = program->kernel_count == 0 || write_plane(&m, space);
    pool_destroy(&m.pool);
    return written;
}
