/* step.mlir: the calls of one step as a program in StableHLO (MLIR), for compilers and hardware
 * that read StableHLO.
 *
 * Each call of a stage is a custom call whose target is the stage's name; its attributes are the
 * FLOPs and bytes of a call. Operands and results are whole buffers, and each result is a new value
 * of its buffer. The operands of a call are the buffers that it reads and the buffers that it
 * writes in part, because the rest of such a buffer keeps its values. A result whose buffer is an
 * operand overwrites that buffer. A call without a cost has side effects. The arguments of the
 * program are the buffers whose earlier values the step needs. The results of the program are the
 * arguments that the step changes, in the order of the arguments. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "outputs/dataflow/dataflow.h"

enum { NAME_SIZE = 96, NONE = -1 };

typedef struct call {
    const flow_stage *stage;
    int32_t number;              /* in the step, from 1 */
    int32_t *operands, *results; /* buffers */
    int32_t operand_count, result_count;
} call;

/* A program while it is written. */
typedef struct program {
    FILE *file;
    const prof_trace *trace;
    const flow_graph *graph;
    call arguments;  /* operands: the arguments of the program; results: the arguments that it
                        changes */
    call *calls;     /* calls[k].number == k + 1 */
    int32_t *at;     /* by buffer: number of the call that computed its present value; 0: none */
    int32_t *places; /* room for operands and results */
} program;

/* ---- names, types and values ---- */

static bool is_of_name(char c)
{
    return (unsigned char)c < 128 && isalnum((unsigned char)c);
}

/* An identifier: letters, digits and '_', no digit first. */
static void identifier(const char *text, char name[NAME_SIZE])
{
    while (*text != '\0' && !is_of_name(*text))
        text++;
    snprintf(name, NAME_SIZE - 16, "%s%s", isdigit((unsigned char)text[0]) ? "_" : "", text);
    for (char *c = name; *c != '\0'; c++)
        if (!is_of_name(*c))
            *c = '_';
    if (name[0] == '\0')
        memcpy(name, "unnamed", sizeof "unnamed");
}

/* Identifiers of buffers differ: one that an earlier buffer has ends in the buffer's number. */
static void write_buffer(const program *p, int32_t buffer)
{
    char name[NAME_SIZE], earlier[NAME_SIZE];
    identifier(p->graph->buffers[buffer].name, name);
    bool is_new = true;
    for (int32_t k = 0; k < buffer && is_new; k++) {
        identifier(p->graph->buffers[k].name, earlier);
        is_new = strcmp(name, earlier) != 0;
    }
    fputs(name, p->file);
    if (!is_new)
        fprintf(p->file, ".%d", (int)buffer);
}

static void write_call_name(const program *p, const call *c)
{
    char name[NAME_SIZE];
    identifier(c->stage->name, name);
    fprintf(p->file, "%%%s.%d", name, (int)c->number);
}

static int32_t place_of(const int32_t *buffers, int32_t count, int32_t buffer)
{
    for (int32_t k = 0; k < count; k++)
        if (buffers[k] == buffer)
            return k;
    return NONE;
}

/* The name of a buffer's present value. */
static void write_value(const program *p, int32_t buffer)
{
    if (p->at[buffer] == 0) {
        putc('%', p->file);
        write_buffer(p, buffer);
        return;
    }
    const call *c = &p->calls[p->at[buffer] - 1];
    write_call_name(p, c);
    if (c->result_count > 1)
        fprintf(p->file, "#%d", (int)place_of(c->results, c->result_count, buffer));
}

/* tensor<6x9x8xf64> */
static void write_type(const program *p, int32_t buffer)
{
    const prof_buffer array = flow_array_of(p->trace, &p->graph->buffers[buffer]);
    fputs("tensor<", p->file);
    for (int k = 0; k < array.dimensions; k++)
        fprintf(p->file, "%lldx", (long long)array.shape[k]);
    fprintf(p->file, "f%d>", 8 * array.value_bytes);
}

static void write_types(const program *p, const int32_t *buffers, int32_t count)
{
    putc('(', p->file);
    for (int32_t k = 0; k < count; k++) {
        fputs(k > 0 ? ", " : "", p->file);
        write_type(p, buffers[k]);
    }
    putc(')', p->file);
}

static void write_quoted(const program *p, const char *text)
{
    putc('"', p->file);
    flow_write_text(p->file, text, "&");
    putc('"', p->file);
}

/* ---- calls ---- */

static const char *source_of(const flow_stage *stage)
{
    return stage->cost != NULL ? stage->cost->source : NULL;
}

/* One result that overwrites an operand. */
static void write_alias(const program *p, const call *c, int32_t result, int32_t operand)
{
    char index[16] = ""; /* in a tuple of several results */
    if (c->result_count > 1)
        snprintf(index, sizeof index, "%d", (int)result);
    fprintf(p->file,
            "#stablehlo.output_operand_alias<output_tuple_indices = [%s], operand_index = %d, "
            "operand_tuple_indices = []>",
            index, (int)operand);
}

static void write_aliases(const program *p, const call *c)
{
    bool is_first = true;
    for (int32_t k = 0; k < c->result_count; k++) {
        const int32_t operand = place_of(c->operands, c->operand_count, c->results[k]);
        if (operand == NONE)
            continue;
        fputs(is_first ? ", output_operand_aliases = [" : ", ", p->file);
        write_alias(p, c, k, operand);
        is_first = false;
    }
    if (!is_first)
        putc(']', p->file);
}

static void write_call(const program *p, const call *c)
{
    fputs("    ", p->file);
    if (c->result_count > 0)
        write_call_name(p, c);
    if (c->result_count > 1)
        fprintf(p->file, ":%d", (int)c->result_count);
    fputs(c->result_count > 0 ? " = " : "", p->file);
    fputs("stablehlo.custom_call @", p->file);
    write_quoted(p, c->stage->name);
    putc('(', p->file);
    for (int32_t k = 0; k < c->operand_count; k++) {
        fputs(k > 0 ? ", " : "", p->file);
        write_value(p, c->operands[k]);
    }
    fputs(c->stage->cost == NULL ? ") {has_side_effect = true, " : ") {", p->file);
    fputs("mhlo.frontend_attributes = ", p->file);
    if (c->stage->cost == NULL)
        fputs("{}", p->file);
    else /* XLA's attributes of front ends are texts */
        fprintf(p->file, "{flops = \"%.17g\", read_bytes = \"%.17g\", written_bytes = \"%.17g\"}",
                c->stage->cost->flops, c->stage->read, c->stage->written);
    write_aliases(p, c);
    fputs("} : ", p->file);
    write_types(p, c->operands, c->operand_count);
    fputs(" -> ", p->file);
    if (c->result_count == 1)
        write_type(p, c->results[0]);
    else
        write_types(p, c->results, c->result_count);
    if (source_of(c->stage) != NULL) {
        fputs(" loc(", p->file);
        write_quoted(p, source_of(c->stage));
        fprintf(p->file, ":%d:1)", c->stage->cost->source_line);
    }
    putc('\n', p->file);
}

/* ---- the program ---- */

/* The buffers of a call, from the accesses of its stage. */
static void find_buffers(const program *p, call *c)
{
    const flow_graph *graph = p->graph;
    for (int32_t k = 0; k < graph->edge_count; k++) {
        const flow_edge *edge = &graph->edges[k];
        if (&graph->stages[edge->stage] != c->stage)
            continue;
        const prof_buffer array = flow_array_of(p->trace, &graph->buffers[edge->buffer]);
        const bool needs_value = !edge->writes || edge->bytes < prof_buffer_bytes(&array);
        if (edge->writes && place_of(c->results, c->result_count, edge->buffer) == NONE)
            c->results[c->result_count++] = edge->buffer;
        if (needs_value && place_of(c->operands, c->operand_count, edge->buffer) == NONE)
            c->operands[c->operand_count++] = edge->buffer;
    }
}

/* Add the operands that no earlier call computed to the arguments. */
static void find_arguments(program *p, const call *c)
{
    call *needed = &p->arguments;
    for (int32_t k = 0; k < c->operand_count; k++)
        if (p->at[c->operands[k]] == 0 &&
            place_of(needed->operands, needed->operand_count, c->operands[k]) == NONE)
            needed->operands[needed->operand_count++] = c->operands[k];
}

static void set_results(program *p, const call *c)
{
    for (int32_t k = 0; k < c->result_count; k++)
        p->at[c->results[k]] = c->number;
}

/* Find the calls of the step, its arguments and its results. */
static void find_program(program *p)
{
    const flow_graph *graph = p->graph;
    int32_t *free_place = p->places + 2 * (ptrdiff_t)graph->buffer_count;
    p->arguments = (call){.operands = p->places, .results = p->places + graph->buffer_count};
    for (int32_t k = 0; k < graph->call_count; k++) {
        call *c = &p->calls[k];
        *c = (call){.stage = &graph->stages[graph->calls[k]], .number = k + 1};
        c->operands = free_place;
        c->results = free_place + graph->buffer_count;
        free_place += 2 * (ptrdiff_t)graph->buffer_count;
        find_buffers(p, c);
        find_arguments(p, c);
        set_results(p, c);
    }
    for (int32_t k = 0; k < p->arguments.operand_count; k++)
        if (p->at[p->arguments.operands[k]] != 0)
            p->arguments.results[p->arguments.result_count++] = p->arguments.operands[k];
    memset(p->at, 0, (size_t)graph->buffer_count * sizeof *p->at);
}

static void write_program(program *p)
{
    const call *outer = &p->arguments;
    char name[PROF_PROGRAM_NAME];
    prof_program_name(p->trace, name);
    fputs("// A step of ", p->file);
    write_quoted(p, p->trace->case_name != NULL ? p->trace->case_name : "");
    fprintf(p->file,
            ": each custom call is native code of cubeswe, a stage.\n"
            "// The first dimension of a prognostic field counts the states of a step.\n"
            "// The attributes of a call are its least FLOPs and bytes.\n"
            "module @%s {\n  func.func @main(",
            name);
    for (int32_t k = 0; k < outer->operand_count; k++) {
        fputs(k > 0 ? ", " : "", p->file);
        write_value(p, outer->operands[k]);
        fputs(": ", p->file);
        write_type(p, outer->operands[k]);
    }
    fputs(") -> ", p->file);
    write_types(p, outer->results, outer->result_count);
    fputs(" {\n", p->file);
    for (int32_t k = 0; k < p->graph->call_count; k++) {
        write_call(p, &p->calls[k]);
        set_results(p, &p->calls[k]);
    }
    fputs("    return", p->file);
    for (int32_t k = 0; k < outer->result_count; k++) {
        fputs(k > 0 ? ", " : " ", p->file);
        write_value(p, outer->results[k]);
    }
    for (int32_t k = 0; k < outer->result_count; k++) {
        fputs(k > 0 ? ", " : " : ", p->file);
        write_type(p, outer->results[k]);
    }
    fputs("\n  }\n}\n", p->file);
}

bool flow_write_stablehlo(FILE *file, const prof_trace *trace, const flow_graph *graph)
{
    const size_t buffers = (size_t)graph->buffer_count, calls = (size_t)graph->call_count;
    program p = {.file = file, .trace = trace, .graph = graph};
    p.calls = calloc(calls + 1, sizeof *p.calls);
    p.at = calloc(buffers + 1, sizeof *p.at);
    p.places = calloc(2 * buffers * (calls + 1) + 1, sizeof *p.places);
    const bool has_memory = p.calls != NULL && p.at != NULL && p.places != NULL;
    if (has_memory) {
        find_program(&p);
        write_program(&p);
    }
    free(p.calls);
    free(p.at);
    free(p.places);
    return has_memory;
}
