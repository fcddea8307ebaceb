/* Buffers of records to operations and calls, iterated over by the library that
 * CUBESWE_CUPTI_LIBRARY names: the stand-in or the real one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sources/cupti/cupti_convert.h"

enum { WINDOW = 3, MOST_BYTES = 4096 };

/* A buffer that is being filled, and where its records go. */
typedef struct fixture {
    _Alignas(8) uint8_t buffer[MOST_BYTES];
    size_t bytes;
    prof_cupti_library library;
    prof_cupti_names names;
    prof_trace *trace;
    prof_cupti_conversion conversion;
} fixture;

static int begin(void **state)
{
    static swe_log log;
    fixture *f = calloc(1, sizeof *f);
    if (f == NULL || !prof_cupti_library_open(&f->library, "GPU trace", &log))
        return -1;
    f->trace = prof_trace_create();
    f->conversion = (prof_cupti_conversion){.library = &f->library,
                                            .names = &f->names,
                                            .demangle = prof_cupti_demangle_find(),
                                            .trace = f->trace,
                                            .window = WINDOW,
                                            .most = 1000};
    prof_cupti_convert_begin(&f->conversion);
    *state = f;
    return 0;
}

static int end(void **state)
{
    fixture *f = *state;
    prof_cupti_names_free(&f->names);
    prof_trace_destroy(&f->trace);
    free(f);
    return 0;
}

static void append(fixture *f, const void *record, size_t size)
{
    assert_true(f->bytes + size <= MOST_BYTES);
    memcpy(f->buffer + f->bytes, record, size);
    f->bytes += size;
}

#define APPEND(fixture, type, ...)                                                                 \
    do {                                                                                           \
        const type record_ = {__VA_ARGS__};                                                        \
        append(fixture, &record_, sizeof record_);                                                 \
    } while (0)

static void append_kernel(fixture *f, uint32_t correlation, uint64_t start, uint64_t end)
{
    APPEND(f, CUpti_ActivityKernel10, .kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, .start = start,
           .end = end, .correlationId = correlation, .name = "_Z10sat_kernelPd",
           .registersPerThread = 64, .gridX = 3, .gridY = 2, .gridZ = 1, .blockX = 128, .blockY = 2,
           .blockZ = 1, .staticSharedMemory = 1024, .dynamicSharedMemory = 512,
           .localMemoryPerThread = 16);
}

static void append_external(fixture *f, uint32_t correlation, uint32_t window, int32_t span)
{
    APPEND(f, CUpti_ActivityExternalCorrelation, .kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
           .externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0,
           .externalId = prof_cupti_external_id(window, span), .correlationId = correlation);
}

static void append_launch(fixture *f, uint32_t correlation, uint64_t start)
{
    APPEND(f, CUpti_ActivityAPI, .kind = CUPTI_ACTIVITY_KIND_RUNTIME,
           .cbid = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, .start = start,
           .end = start + 5, .threadId = 77, .correlationId = correlation, .returnValue = 9);
}

/* Convert the records so far. */
static void flush(fixture *f)
{
    prof_cupti_convert(&f->conversion, f->buffer, f->bytes);
    f->bytes = 0;
}

static void finish(fixture *f)
{
    flush(f);
    prof_cupti_convert_finish(&f->conversion);
}

static void a_kernel_has_all_that_its_record_says(void **state)
{
    fixture *f = *state;
    APPEND(f, CUpti_ActivityKernel10, .kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, .start = 100,
           .end = 250, .deviceId = 1, .contextId = 2, .streamId = 14, .correlationId = 6,
           .name = "_Z10sat_kernelPd", .registersPerThread = 64, .gridX = 3, .gridY = 2, .gridZ = 1,
           .blockX = 128, .blockY = 2, .blockZ = 1, .staticSharedMemory = 1024,
           .dynamicSharedMemory = 512, .localMemoryPerThread = 16, .graphId = 4, .graphNodeId = 5);
    finish(f);
    assert_int_equal(f->trace->op_count, 1);
    const prof_op *op = f->trace->ops;
    assert_int_equal(op->kind, PROF_OP_KERNEL);
    assert_string_equal(op->name, "sat_kernel(double*)");
    assert_int_equal(op->start, 100);
    assert_int_equal(op->end, 250);
    assert_int_equal(op->device, 1);
    assert_int_equal(op->context, 2);
    assert_int_equal(op->stream, 14);
    assert_int_equal(op->correlation, 6);
    assert_int_equal(op->span, -1);
    assert_int_equal(op->graph, 4);
    assert_int_equal(op->graph_node, 5);
    assert_memory_equal(op->grid, ((int32_t[]){3, 2, 1}), sizeof op->grid);
    assert_memory_equal(op->block, ((int32_t[]){128, 2, 1}), sizeof op->block);
    assert_int_equal(op->registers, 64);
    assert_int_equal(op->static_shared, 1024);
    assert_int_equal(op->dynamic_shared, 512);
    assert_int_equal(op->local, 16);
    assert_true(op->occupancy == -1.0); /* its device is not known */
}

static void append_copy(fixture *f, int kind, int from, int to, int flags)
{
    APPEND(f, CUpti_ActivityMemcpy6, .kind = CUPTI_ACTIVITY_KIND_MEMCPY, .copyKind = (uint8_t)kind,
           .srcKind = (uint8_t)from, .dstKind = (uint8_t)to, .flags = (uint8_t)flags, .bytes = 4096,
           .start = 10, .end = 20);
}

static void append_memory(fixture *f, int operation, int kind, uint64_t address, uint64_t bytes)
{
    APPEND(f, CUpti_ActivityMemory4, .kind = CUPTI_ACTIVITY_KIND_MEMORY2,
           .memoryOperationType = (CUpti_ActivityMemoryOperationType)operation,
           .memoryKind = (CUpti_ActivityMemoryKind)kind, .address = address, .bytes = bytes,
           .timestamp = 50);
}

static void untracked_memory_is_counted(void **state)
{
    fixture *f = *state;
    const int allocation = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
    const int device = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    f->trace->memory_events = calloc(1, sizeof *f->trace->memory_events);
    assert_non_null(f->trace->memory_events);
    f->trace->memory_events[0].address = 0x1000; /* tracked, with its site */
    f->trace->memory_event_count = 1;
    append_memory(f, allocation, device, 0x1000, 100);
    append_memory(f, allocation, device, 0x2000, 200);
    append_memory(f, allocation, device, 0x3000, 30);
    append_memory(f, allocation, CUPTI_ACTIVITY_MEMORY_KIND_PINNED, 0x4000, 4);
    append_memory(f, CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE, device, 0x2000, 200);
    finish(f);
    assert_int_equal(f->trace->untracked_blocks, 2);
    assert_int_equal(f->trace->untracked_bytes, 230);
    assert_int_equal(f->trace->op_count, 0);
    assert_int_equal(f->trace->drops.unknown, 0);
}

static void copies_and_fills_are_named_as_nsys_does(void **state)
{
    fixture *f = *state;
    append_copy(f, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, CUPTI_ACTIVITY_MEMORY_KIND_PINNED,
                CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC, CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC);
    append_copy(f, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
                CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE, 0);
    append_copy(f, CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC,
                CUPTI_ACTIVITY_MEMORY_KIND_ARRAY, 0);
    APPEND(f, CUpti_ActivityMemcpyPtoP4, .kind = CUPTI_ACTIVITY_KIND_MEMCPY2, .bytes = 12,
           .start = 10, .end = 20);
    APPEND(f, CUpti_ActivityMemset4, .kind = CUPTI_ACTIVITY_KIND_MEMSET, .bytes = 99, .start = 10,
           .end = 20, .flags = CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC,
           .memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE);
    finish(f);
    assert_int_equal(f->trace->op_count, 5);
    const prof_op *op = f->trace->ops;
    assert_string_equal(op[0].name, "[CUDA memcpy Host-to-Device]");
    assert_true(op[0].from == PROF_MEMORY_PINNED && op[0].to == PROF_MEMORY_DEVICE);
    assert_true(op[0].asynchronous && !op[1].asynchronous);
    assert_int_equal(op[0].bytes, 4096);
    assert_string_equal(op[1].name, "[CUDA memcpy Device-to-Host]");
    assert_true(op[1].from == PROF_MEMORY_DEVICE && op[1].to == PROF_MEMORY_PAGEABLE);
    assert_string_equal(op[2].name, "[CUDA memcpy Device-to-Device]");
    assert_true(op[2].from == PROF_MEMORY_MANAGED && op[2].to == PROF_MEMORY_ARRAY);
    assert_string_equal(op[3].name, "[CUDA memcpy Peer-to-Peer]");
    assert_int_equal(op[3].bytes, 12);
    assert_string_equal(op[4].name, "[CUDA memset]");
    assert_true(op[4].kind == PROF_OP_FILL && op[4].to == PROF_MEMORY_DEVICE);
    assert_true(op[4].asynchronous && op[4].bytes == 99);
}

static void calls_are_named_and_waits_find_their_thread(void **state)
{
    fixture *f = *state;
    APPEND(f, CUpti_ActivitySynchronization2, .kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
           .type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE, .start = 12, .end = 14,
           .correlationId = 8);
    append_launch(f, 8, 10);
    APPEND(f, CUpti_ActivityAPI, .kind = CUPTI_ACTIVITY_KIND_DRIVER,
           .cbid = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, .start = 11, .end = 13, .threadId = 78);
    APPEND(f, CUpti_ActivityOverhead3, .kind = CUPTI_ACTIVITY_KIND_OVERHEAD,
           .overheadKind = CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST,
           .objectKind = CUPTI_ACTIVITY_OBJECT_THREAD, .objectId.pt.threadId = 79, .start = 15,
           .end = 16, .overheadData = malloc(8));
    finish(f);
    assert_int_equal(f->trace->call_count, 4);
    const prof_call *call = f->trace->calls;
    assert_true(call[0].kind == PROF_CALL_SYNCHRONIZE && call[0].thread_id == 77);
    assert_string_equal(call[0].name, "stream synchronize");
    assert_true(call[1].kind == PROF_CALL_RUNTIME && call[1].thread_id == 77);
    assert_string_equal(call[1].name, "cudaLaunchKernel_v7000");
    assert_int_equal(call[1].result, 9);
    assert_true(call[2].kind == PROF_CALL_DRIVER && call[2].thread_id == 78);
    assert_string_equal(call[2].name, "cuLaunchKernel");
    assert_true(call[3].kind == PROF_CALL_OVERHEAD && call[3].thread_id == 79);
    assert_string_equal(call[3].name, "activity buffer request");
}

/* Records of one window in any order, in several buffers. */
static void work_and_calls_find_the_span_that_launched_them(void **state)
{
    fixture *f = *state;
    append_kernel(f, 30, 300, 310);
    append_external(f, 10, WINDOW, 4);
    append_launch(f, 10, 95);
    flush(f);
    append_kernel(f, 20, 200, 210);
    append_kernel(f, 10, 100, 110);
    append_external(f, 30, WINDOW, 0);
    finish(f);
    assert_int_equal(f->trace->op_count, 3);
    assert_int_equal(f->trace->ops[0].span, 0);
    assert_int_equal(f->trace->ops[1].span, -1); /* nothing is known of 20 */
    assert_int_equal(f->trace->ops[2].span, 4);
    assert_int_equal(f->trace->calls[0].span, 4);
}

static void of_nested_spans_the_innermost_counts(void **state)
{
    fixture *f = *state;
    append_external(f, 10, WINDOW, 7);
    append_external(f, 10, WINDOW, 5);
    append_kernel(f, 10, 100, 110);
    finish(f);
    assert_int_equal(f->trace->ops[0].span, 7);
}

static void ids_of_other_windows_and_other_clients_do_not_count(void **state)
{
    fixture *f = *state;
    append_external(f, 10, WINDOW - 1, 7);
    APPEND(f, CUpti_ActivityExternalCorrelation, .kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
           .externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1,
           .externalId = prof_cupti_external_id(WINDOW, 8), .correlationId = 10);
    append_kernel(f, 10, 100, 110);
    finish(f);
    assert_int_equal(f->trace->ops[0].span, -1);
}

static void work_of_graphs_has_the_stage_of_its_node(void **state)
{
    fixture *f = *state;
    prof_cupti_names_push(&f->names, (prof_cupti_region){"divergence", PROF_STAGE, false});
    prof_cupti_names_node(&f->names, 50);
    append_external(f, 10, WINDOW, 2);
    for (uint64_t node = 50; node < 52; node++)
        APPEND(f, CUpti_ActivityKernel10, .kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
               .start = 100, .end = 110, .correlationId = 10, .graphId = 3, .graphNodeId = node);
    finish(f);
    assert_string_equal(f->trace->ops[0].stage, "divergence");
    assert_int_equal(f->trace->ops[0].captured_call, 1);
    assert_int_equal(f->trace->ops[1].captured_call, 0);
    assert_int_equal(f->trace->ops[0].span, 2);
    assert_null(f->trace->ops[1].stage);
    assert_string_equal(f->trace->ops[1].name, "(kernel without a name)");
}

static void two_contexts_and_streams_stay_apart(void **state)
{
    fixture *f = *state;
    for (uint32_t k = 1; k <= 2; k++)
        APPEND(f, CUpti_ActivityMemset4, .kind = CUPTI_ACTIVITY_KIND_MEMSET, .start = 10, .end = 20,
               .deviceId = k, .contextId = 10 * k, .streamId = 100 * k, .correlationId = 7);
    finish(f);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(f->trace->ops[k].device, k + 1);
        assert_int_equal(f->trace->ops[k].context, 10 * (k + 1));
        assert_int_equal(f->trace->ops[k].stream, 100 * (k + 1));
    }
}

static void records_without_times_are_rejected(void **state)
{
    fixture *f = *state;
    append_kernel(f, 1, 0, 0);
    append_kernel(f, 2, 0, 50);
    append_kernel(f, 3, 50, 49);
    append_launch(f, 4, 0);
    append_kernel(f, 5, 50, 50);
    finish(f);
    assert_int_equal(f->trace->drops.rejected, 4);
    assert_int_equal(f->trace->op_count, 1);
    assert_int_equal(f->trace->call_count, 0);
    assert_int_equal(f->trace->ops[0].correlation, 5);
}

static void records_of_other_kinds_are_counted(void **state)
{
    fixture *f = *state;
    APPEND(f, CUpti_ActivityContext3, .kind = CUPTI_ACTIVITY_KIND_CONTEXT);
    append_kernel(f, 1, 10, 20);
    APPEND(f, CUpti_ActivityContext3, .kind = CUPTI_ACTIVITY_KIND_CONTEXT);
    finish(f);
    assert_int_equal(f->trace->drops.unknown, 2);
    assert_int_equal(f->trace->op_count, 1);
}

static void a_record_that_cannot_be_read_ends_its_buffer(void **state)
{
    fixture *f = *state;
    append_kernel(f, 1, 10, 20);
    APPEND(f, CUpti_Activity, .kind = CUPTI_ACTIVITY_KIND_INVALID);
    append_kernel(f, 2, 10, 20);
    flush(f);
    append_kernel(f, 3, 10, 20);
    finish(f);
    assert_int_equal(f->trace->op_count, 2);
    assert_int_equal(f->trace->drops.unknown, 1);
    assert_int_equal(f->trace->ops[1].correlation, 3);
}

static void a_buffer_that_ends_early_gives_what_is_whole(void **state)
{
    fixture *f = *state;
    append_kernel(f, 1, 10, 20);
    append_kernel(f, 2, 10, 20);
    f->bytes -= 8;
    finish(f);
    assert_int_equal(f->trace->op_count, 1);
    assert_int_equal(f->trace->ops[0].correlation, 1);
}

static void no_more_is_kept_than_was_requested(void **state)
{
    fixture *f = *state;
    f->conversion.most = 3;
    append_external(f, 3, WINDOW, 6);
    append_launch(f, 1, 10);
    for (uint32_t k = 1; k <= 5; k++)
        append_kernel(f, k, 10 * k, 10 * k + 5);
    finish(f);
    assert_int_equal(f->trace->op_count, 2);
    assert_int_equal(f->trace->call_count, 1);
    assert_int_equal(f->trace->drops.ops, 3);
}

static void many_records_and_those_of_others_are_kept(void **state)
{
    fixture *f = *state;
    f->conversion.most = 5000;
    f->trace->ops = calloc(1, sizeof *f->trace->ops);
    assert_non_null(f->trace->ops);
    f->trace->ops[0].span = 42;
    f->trace->op_count = 1;
    prof_cupti_convert_begin(&f->conversion);
    for (uint32_t k = 0; k < 4000; k++) {
        append_kernel(f, 4000 - k, 10, 20);
        append_external(f, k + 1, WINDOW, (int32_t)k);
        flush(f);
    }
    finish(f);
    assert_int_equal(f->trace->op_count, 4001);
    assert_int_equal(f->trace->ops[0].span, 42);
    for (int k = 0; k < 4000; k++)
        assert_int_equal(f->trace->ops[1 + k].span, 3999 - k);
}

static void append_device(fixture *f, uint32_t id, uint32_t major, uint32_t minor)
{
    APPEND(f, CUpti_ActivityDevice5, .kind = CUPTI_ACTIVITY_KIND_DEVICE, .id = id,
           .globalMemoryBandwidth = 4800000000, .globalMemorySize = 150000000000,
           .coreClockRate = 1980000, .numMultiprocessors = 132, .maxWarpsPerMultiprocessor = 64,
           .computeCapabilityMajor = major, .computeCapabilityMinor = minor,
           .name = strdup("NVIDIA Sample"), .isCudaVisible = 1);
}

static void the_device_describes_itself_and_gives_occupancies(void **state)
{
    fixture *f = *state;
    f->trace->device.index = 1;
    append_kernel(f, 1, 10, 20); /* of device 0 */
    append_device(f, 0, 3, 5);
    append_device(f, 1, 9, 0);
    APPEND(f, CUpti_ActivityKernel10, .kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, .start = 10,
           .end = 20, .deviceId = 1, .registersPerThread = 64, .blockX = 32, .blockY = 8,
           .blockZ = 1);
    finish(f);
    const prof_device_info *device = &f->trace->device;
    assert_string_equal(device->name, "NVIDIA Sample");
    assert_string_equal(device->vendor, "NVIDIA");
    assert_string_equal(device->compute_capability, "9.0");
    assert_int_equal(device->multiprocessors, 132);
    assert_int_equal(device->warps_per_multiprocessor, 64);
    assert_true(device->clock == 1.98e9);
    assert_true(device->memory_bandwidth == 4.8e12);
    assert_true(device->memory_size == 1.5e11);
    assert_true(device->peak_flops == 2.0 * 64 * 132 * 1.98e9);
    assert_true(f->trace->ops[0].occupancy == -1.0);
    assert_true(f->trace->ops[1].occupancy == 50.0);
}

static void names_of_unknown_calls_say_so(void **state)
{
    fixture *f = *state;
    APPEND(f, CUpti_ActivityAPI, .kind = CUPTI_ACTIVITY_KIND_RUNTIME, .cbid = 99999, .start = 1,
           .end = 2);
    finish(f);
    assert_string_equal(f->trace->calls[0].name, "(unknown runtime call)");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(a_kernel_has_all_that_its_record_says),
                                       TEST(untracked_memory_is_counted),
                                       TEST(copies_and_fills_are_named_as_nsys_does),
                                       TEST(calls_are_named_and_waits_find_their_thread),
                                       TEST(work_and_calls_find_the_span_that_launched_them),
                                       TEST(of_nested_spans_the_innermost_counts),
                                       TEST(ids_of_other_windows_and_other_clients_do_not_count),
                                       TEST(work_of_graphs_has_the_stage_of_its_node),
                                       TEST(two_contexts_and_streams_stay_apart),
                                       TEST(records_without_times_are_rejected),
                                       TEST(records_of_other_kinds_are_counted),
                                       TEST(a_record_that_cannot_be_read_ends_its_buffer),
                                       TEST(a_buffer_that_ends_early_gives_what_is_whole),
                                       TEST(no_more_is_kept_than_was_requested),
                                       TEST(many_records_and_those_of_others_are_kept),
                                       TEST(the_device_describes_itself_and_gives_occupancies),
                                       TEST(names_of_unknown_calls_say_so)};
    return cmocka_run_group_tests_name("cupti: records", tests, NULL, NULL);
}
