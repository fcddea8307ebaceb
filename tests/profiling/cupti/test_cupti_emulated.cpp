/// The CUPTI source over the CUDA emulation and the stand-in for CUPTI: real kernels, copies and
/// graphs, in regions.
#include <cuda_runtime.h>

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

extern "C" {
#include <cmocka.h>

#include "sources/sources.h"
}

namespace
{

__global__ void double_kernel(double *field)
{
    field[blockIdx.x * blockDim.x + threadIdx.x] *= 2.0;
}

__global__ void add_kernel(double *field, double value)
{
    field[blockIdx.x * blockDim.x + threadIdx.x] += value;
}

constexpr int count = 64;

/// A source, a stream and a field on the device.
struct Fixture {
    swe_log log = {};
    prof_cupti *cupti = nullptr;
    prof_trace *trace = nullptr;
    cudaStream_t stream = nullptr;
    double *field = nullptr;
};

int begin(void **state)
{
    auto *f = new Fixture;
    *state = f;
    f->cupti = prof_cupti_create(1000, &f->log);
    f->trace = prof_trace_create();
    return f->cupti && f->trace && cudaDeviceReset() == cudaSuccess &&
                   cudaStreamCreateWithFlags(&f->stream, cudaStreamNonBlocking) == cudaSuccess &&
                   cudaMalloc(&f->field, count * sizeof(double)) == cudaSuccess
               ? 0
               : -1;
}

int end(void **state)
{
    auto *f = static_cast<Fixture *>(*state);
    prof_cupti_destroy(&f->cupti);
    prof_trace_destroy(&f->trace);
    const bool freed = cudaFree(f->field) == cudaSuccess;
    delete f;
    return freed ? 0 : -1;
}

/// Two regions with a kernel in each; without spans if `span` is -1.
void stages(Fixture *f, int32_t span)
{
    prof_cupti_push(f->cupti, prof_region{"double", PROF_STAGE}, span);
    SWE_LAUNCH(double_kernel, dim3(2), dim3(32), 0, f->stream, f->field);
    prof_cupti_pop(f->cupti);
    prof_cupti_push(f->cupti, prof_region{"add", PROF_STAGE}, span < 0 ? -1 : span + 1);
    SWE_LAUNCH(add_kernel, dim3(2), dim3(32), 0, f->stream, f->field, 1.0);
    prof_cupti_pop(f->cupti);
}

void work_of_the_emulation_is_traced(void **state)
{
    auto *f = static_cast<Fixture *>(*state);
    double host[count];
    assert_true(prof_cupti_start(f->cupti, &f->log));
    prof_cupti_push(f->cupti, prof_region{"step", PROF_STEP}, 0);
    assert_int_equal(cudaMemsetAsync(f->field, 0, sizeof host, f->stream), cudaSuccess);
    stages(f, 1);
    assert_int_equal(
        cudaMemcpyAsync(host, f->field, sizeof host, cudaMemcpyDeviceToHost, f->stream),
        cudaSuccess);
    assert_int_equal(cudaStreamSynchronize(f->stream), cudaSuccess);
    prof_cupti_pop(f->cupti);
    prof_cupti_stop(f->cupti, f->trace, &f->log);
    assert_true(host[0] == 1.0);

    const char *const ops[] = {"[CUDA memset]", "double_kernel", "add_kernel",
                               "[CUDA memcpy Device-to-Host]"};
    const int32_t spans[] = {0, 1, 2, 0};
    assert_int_equal(f->trace->op_count, 4);
    for (int k = 0; k < 4; k++) {
        assert_string_equal(f->trace->ops[k].name, ops[k]);
        assert_int_equal(f->trace->ops[k].span, spans[k]);
        assert_int_equal(f->trace->ops[k].stream, f->trace->ops[0].stream);
    }
    assert_int_equal(f->trace->ops[0].bytes, sizeof host);
    assert_int_equal(f->trace->ops[1].grid[0], 2);
    assert_int_equal(f->trace->ops[1].block[0], 32);
    const char *const calls[] = {"cudaMemsetAsync_v3020",  "cudaLaunchKernel_v7000",
                                 "cudaLaunchKernel_v7000", "cudaMemcpyAsync_v3020",
                                 "stream synchronize",     "cudaStreamSynchronize_v3020"};
    assert_int_equal(f->trace->call_count, 6);
    for (int k = 0; k < 6; k++)
        assert_string_equal(f->trace->calls[k].name, calls[k]);
    assert_int_equal(f->log.count, 0);
}

void graphs_of_the_emulation_are_traced_by_stage(void **state)
{
    auto *f = static_cast<Fixture *>(*state);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    assert_int_equal(cudaStreamBeginCapture(f->stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
    stages(f, -1);
    assert_int_equal(cudaStreamEndCapture(f->stream, &graph), cudaSuccess);
    prof_cupti_push(f->cupti, prof_region{"setup", PROF_PHASE}, -1);
    assert_int_equal(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    prof_cupti_pop(f->cupti);

    assert_true(prof_cupti_start(f->cupti, &f->log));
    for (int32_t step = 0; step < 3; step++) {
        prof_cupti_push(f->cupti, prof_region{"step", PROF_STEP}, step);
        assert_int_equal(cudaGraphLaunch(executable, f->stream), cudaSuccess);
        prof_cupti_pop(f->cupti);
    }
    prof_cupti_stop(f->cupti, f->trace, &f->log);

    assert_int_equal(f->trace->op_count, 6);
    assert_int_equal(f->trace->call_count, 3);
    for (int k = 0; k < 6; k++) {
        const prof_op *op = &f->trace->ops[k];
        assert_string_equal(op->stage, k % 2 == 0 ? "double" : "add");
        assert_int_equal(op->span, k / 2);
        assert_true(op->graph != 0 && op->graph_node != 0);
        assert_int_equal(op->graph_node, f->trace->ops[k % 2].graph_node);
    }
    assert_string_equal(f->trace->calls[0].name, "cudaGraphLaunch_v10000");
    assert_int_equal(cudaGraphExecDestroy(executable), cudaSuccess);
    assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
    assert_int_equal(f->log.count, 0);
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(work_of_the_emulation_is_traced, begin, end),
        cmocka_unit_test_setup_teardown(graphs_of_the_emulation_are_traced_by_stage, begin, end)};
    return cmocka_run_group_tests_name("cupti: CUDA emulation", tests, nullptr, nullptr);
}
