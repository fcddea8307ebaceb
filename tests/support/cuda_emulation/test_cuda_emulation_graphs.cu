// Tests of the CUDA emulation: capture of streams, and graphs.

#include "test_support.hpp"

#include <cuda_runtime.h>

namespace
{

constexpr size_t count = 8;
constexpr size_t bytes = count * sizeof(double);

struct Pair {
    double factor, shift;
};

__global__ void change_kernel(double *field, SWE_GRID_CONSTANT(Pair) pair)
{
    field[threadIdx.x] = pair.factor * field[threadIdx.x] + pair.shift;
}

__global__ void diverge_kernel()
{
    if (threadIdx.x == 0)
        __syncthreads();
}

/// A stream, and a field of zeros on the device.
struct Bench {
    cudaStream_t stream = nullptr;
    double *field = nullptr;

    explicit Bench(unsigned int flags = cudaStreamNonBlocking)
    {
        assert_int_equal(cudaStreamCreateWithFlags(&stream, flags), cudaSuccess);
        assert_int_equal(cudaMalloc(&field, bytes), cudaSuccess);
        assert_int_equal(cudaMemset(field, 0, bytes), cudaSuccess);
    }
    Bench(const Bench &) = delete;
    Bench &operator=(const Bench &) = delete;
    ~Bench()
    {
        cudaFree(field);
        cudaStreamDestroy(stream);
    }

    void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal) const
    {
        assert_int_equal(cudaStreamBeginCapture(stream, mode), cudaSuccess);
    }

    void change(double factor, double shift) const
    {
        SWE_LAUNCH(change_kernel, 1, count, 0, stream, field, Pair{factor, shift});
    }

    /// Ends the capture and instantiates the graph.
    cudaGraphExec_t end() const
    {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t executable = nullptr;
        assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaSuccess);
        assert_int_equal(cudaGraphInstantiate(&executable, graph), cudaSuccess);
        assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
        return executable;
    }

    /// Ends a capture which has failed; afterwards the stream works.
    void end_failed() const
    {
        cudaGraph_t graph = nullptr;
        assert_int_equal(cudaMemsetAsync(field, 0, bytes, stream),
                         cudaErrorStreamCaptureInvalidated);
        assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
        assert_null(graph);
        assert_int_equal(cuda_emulation_live_graphs(), 0);
        assert_int_equal(cudaMemsetAsync(field, 0, bytes, stream), cudaSuccess);
        assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
    }
};

void captured_work_is_done_at_each_launch_and_not_before(void **)
{
    const Bench bench;
    bench.begin();
    bench.change(2.0, 1.0);
    bench.change(1.0, 1.0);
    assert_true(bench.field[0] == 0.0);
    const cudaGraphExec_t graph = bench.end();
    assert_true(bench.field[0] == 0.0);
    for (double expected : {2.0, 6.0, 14.0}) {
        assert_int_equal(cudaGraphLaunch(graph, bench.stream), cudaSuccess);
        assert_true(bench.field[count - 1] == expected);
    }
    assert_int_equal(cudaStreamSynchronize(bench.stream), cudaSuccess);
    assert_int_equal(cudaGraphExecDestroy(graph), cudaSuccess);
}

void arguments_are_kept_by_value(void **)
{
    const Bench bench;
    Pair pair = {0.0, 3.0};
    double *field = bench.field;
    bench.begin();
    SWE_LAUNCH(change_kernel, 1, count, 0, bench.stream, field, pair);
    pair.shift = 4.0;
    field = nullptr;
    const cudaGraphExec_t graph = bench.end();
    assert_int_equal(cudaGraphLaunch(graph, bench.stream), cudaSuccess);
    assert_true(bench.field[0] == 3.0);
    assert_int_equal(cudaGraphExecDestroy(graph), cudaSuccess);
}

void copies_and_memsets_are_captured_in_their_order(void **)
{
    const Bench bench;
    double from[count] = {1, 2, 3}, to[count] = {};
    bench.begin();
    assert_int_equal(
        cudaMemcpyAsync(bench.field, from, bytes, cudaMemcpyHostToDevice, bench.stream),
        cudaSuccess);
    assert_int_equal(cudaMemsetAsync(bench.field, 0, sizeof(double), bench.stream), cudaSuccess);
    bench.change(1.0, 1.0);
    assert_int_equal(cudaMemcpyAsync(to, bench.field, bytes, cudaMemcpyDeviceToHost, bench.stream),
                     cudaSuccess);
    const cudaGraphExec_t graph = bench.end();
    assert_true(bench.field[1] == 0.0 && to[0] == 0.0);
    from[2] = 5.0; // the copy keeps where to read, not what
    assert_int_equal(cudaGraphLaunch(graph, nullptr), cudaSuccess);
    assert_true(to[0] == 1.0 && to[1] == 3.0 && to[2] == 6.0);
    assert_int_equal(cudaGraphExecDestroy(graph), cudaSuccess);
}

void add_one(void *argument)
{
    *static_cast<double *>(argument) += 1.0;
}

void host_functions_are_captured_in_their_order(void **)
{
    const Bench bench;
    assert_int_equal(cudaLaunchHostFunc(bench.stream, add_one, bench.field), cudaSuccess);
    assert_true(bench.field[0] == 1.0);
    bench.begin();
    assert_int_equal(cudaLaunchHostFunc(bench.stream, nullptr, bench.field), cudaErrorInvalidValue);
    bench.change(2.0, 0.0);
    assert_int_equal(cudaLaunchHostFunc(bench.stream, add_one, bench.field), cudaSuccess);
    bench.change(2.0, 0.0);
    const cudaGraphExec_t graph = bench.end();
    assert_true(bench.field[0] == 1.0);
    assert_int_equal(cudaGraphLaunch(graph, bench.stream), cudaSuccess);
    assert_true(bench.field[0] == 6.0);
    assert_int_equal(cudaGraphExecDestroy(graph), cudaSuccess);
}

void other_streams_work_during_a_capture(void **)
{
    const Bench captured, other;
    captured.begin();
    captured.change(1.0, 1.0);
    other.change(1.0, 2.0);
    assert_true(other.field[0] == 2.0);
    assert_int_equal(cudaStreamSynchronize(other.stream), cudaSuccess);
    assert_int_equal(cudaMemset(other.field, 0, bytes), cudaSuccess);
    const cudaGraphExec_t graph = captured.end();
    assert_int_equal(cudaGraphLaunch(graph, other.stream), cudaSuccess);
    assert_true(captured.field[0] == 1.0);
    assert_int_equal(cudaGraphExecDestroy(graph), cudaSuccess);
}

void graph_launched_into_a_capture_becomes_part_of_it(void **)
{
    const Bench bench;
    bench.begin();
    bench.change(2.0, 1.0);
    const cudaGraphExec_t part = bench.end();
    bench.begin();
    for (int i = 0; i < 3; ++i)
        assert_int_equal(cudaGraphLaunch(part, bench.stream), cudaSuccess);
    const cudaGraphExec_t whole = bench.end();
    assert_int_equal(cudaGraphExecDestroy(part), cudaSuccess);
    assert_true(bench.field[0] == 0.0);
    assert_int_equal(cudaGraphLaunch(whole, bench.stream), cudaSuccess);
    assert_true(bench.field[0] == 7.0);
    assert_int_equal(cudaGraphExecDestroy(whole), cudaSuccess);
}

void waiting_for_a_captured_stream_spoils_the_capture(void **)
{
    const Bench bench;
    bench.begin();
    assert_int_equal(cudaStreamSynchronize(bench.stream), cudaErrorStreamCaptureUnsupported);
    bench.end_failed();
    bench.begin(cudaStreamCaptureModeRelaxed);
    assert_int_equal(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
    bench.end_failed();
}

void memory_is_not_changed_during_a_strict_capture(void **)
{
    const Bench bench;
    void *block = nullptr;
    for (cudaStreamCaptureMode mode :
         {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal}) {
        bench.begin(mode);
        assert_int_equal(cudaMalloc(&block, 8), cudaErrorStreamCaptureUnsupported);
        bench.end_failed();
        bench.begin(mode);
        assert_int_equal(cudaMallocHost(&block, 8), cudaErrorStreamCaptureUnsupported);
        bench.end_failed();
        bench.begin(mode);
        assert_int_equal(cudaFree(bench.field), cudaErrorStreamCaptureUnsupported);
        bench.end_failed();
    }
    assert_null(block);
    bench.begin(cudaStreamCaptureModeRelaxed);
    assert_int_equal(cudaMalloc(&block, 8), cudaSuccess);
    assert_int_equal(cudaFree(block), cudaSuccess);
    assert_int_equal(cudaGraphExecDestroy(bench.end()), cudaSuccess);
}

void default_stream_is_out_of_use_while_a_blocking_one_is_captured(void **)
{
    const Bench bench(cudaStreamDefault);
    double host[count] = {};
    bench.begin();
    assert_int_equal(cudaMemcpy(host, bench.field, bytes, cudaMemcpyDeviceToHost),
                     cudaErrorStreamCaptureImplicit);
    bench.end_failed();
    bench.begin();
    SWE_LAUNCH(change_kernel, 1, count, 0, nullptr, bench.field, Pair{1.0, 1.0});
    assert_int_equal(cudaGetLastError(), cudaErrorStreamCaptureImplicit);
    bench.end_failed();
    assert_true(bench.field[0] == 0.0);
}

void launch_that_is_refused_is_not_captured(void **)
{
    const Bench bench;
    double host[count] = {};
    bench.begin();
    bench.change(1.0, 1.0);
    SWE_LAUNCH(change_kernel, 1, 1025, 0, bench.stream, bench.field, Pair{1.0, 1.0});
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
    assert_int_equal(cudaMemcpyAsync(host, host, 8, cudaMemcpyHostToDevice, bench.stream),
                     cudaErrorInvalidValue);
    assert_int_equal(cudaMemsetAsync(host, 0, 8, bench.stream), cudaErrorInvalidValue);
    const cudaGraphExec_t graph = bench.end();
    assert_int_equal(cudaGraphLaunch(graph, bench.stream), cudaSuccess);
    assert_true(bench.field[0] == 1.0);
    assert_int_equal(cudaGraphExecDestroy(graph), cudaSuccess);
}

void work_that_fails_ends_the_launch(void **)
{
    const Bench bench;
    Messages messages;
    bench.begin();
    bench.change(1.0, 1.0);
    SWE_LAUNCH(diverge_kernel, 1, 2, 0, bench.stream);
    bench.change(1.0, 1.0);
    const cudaGraphExec_t graph = bench.end();
    assert_int_equal(cudaGraphLaunch(graph, bench.stream), cudaErrorLaunchFailure);
    assert_true(messages.mention("kernel diverge_kernel"));
    assert_true(bench.field[0] == 1.0);
}

void copy_whose_memory_is_gone_fails_at_the_launch(void **)
{
    const Bench bench;
    double *block = nullptr;
    assert_int_equal(cudaMalloc(&block, bytes), cudaSuccess);
    bench.begin();
    assert_int_equal(
        cudaMemcpyAsync(block, bench.field, bytes, cudaMemcpyDeviceToDevice, bench.stream),
        cudaSuccess);
    const cudaGraphExec_t graph = bench.end();
    assert_int_equal(cudaFree(block), cudaSuccess);
    assert_int_equal(cudaGraphLaunch(graph, bench.stream), cudaErrorInvalidValue);
    assert_int_equal(cudaGraphExecDestroy(graph), cudaSuccess);
}

void capture_begins_and_ends_once(void **)
{
    const Bench bench;
    cudaGraph_t graph = nullptr;
    assert_int_equal(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeRelaxed),
                     cudaErrorStreamCaptureUnsupported);
    assert_int_equal(cudaStreamBeginCapture(bench.stream, static_cast<cudaStreamCaptureMode>(3)),
                     cudaErrorInvalidValue);
    assert_int_equal(cudaStreamEndCapture(bench.stream, &graph), cudaErrorIllegalState);
    bench.begin();
    assert_int_equal(cudaStreamBeginCapture(bench.stream, cudaStreamCaptureModeRelaxed),
                     cudaErrorIllegalState);
    assert_int_equal(cudaStreamEndCapture(bench.stream, nullptr), cudaErrorInvalidValue);
    assert_int_equal(cudaStreamEndCapture(bench.stream, &graph), cudaSuccess);
    assert_int_equal(cudaStreamEndCapture(bench.stream, &graph), cudaErrorIllegalState);
}

void graphs_are_destroyed_once(void **)
{
    const Bench bench;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr, other = nullptr;
    bench.begin();
    assert_int_equal(cudaStreamEndCapture(bench.stream, &graph), cudaSuccess);
    assert_int_equal(cudaGraphInstantiate(&other, graph, 1), cudaErrorInvalidValue);
    assert_int_equal(cudaGraphInstantiate(nullptr, graph), cudaErrorInvalidValue);
    assert_int_equal(cudaGraphInstantiate(&executable, graph), cudaSuccess);
    assert_int_equal(cuda_emulation_live_graphs(), 2);
    assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
    assert_int_equal(cudaGraphDestroy(graph), cudaErrorInvalidValue);
    assert_int_equal(cudaGraphInstantiate(&other, graph), cudaErrorInvalidValue);
    assert_int_equal(cudaGraphLaunch(executable, bench.stream), cudaSuccess);
    assert_int_equal(cudaGraphExecDestroy(executable), cudaSuccess);
    assert_int_equal(cudaGraphExecDestroy(executable), cudaErrorInvalidValue);
    assert_int_equal(cudaGraphLaunch(executable, bench.stream), cudaErrorInvalidValue);
    assert_int_equal(cuda_emulation_live_graphs(), 0);
}

void event_recorded_in_a_capture_cannot_be_waited_for(void **)
{
    const Bench bench;
    cudaEvent_t event = nullptr;
    float milliseconds = 0.0f;
    assert_int_equal(cudaEventCreate(&event), cudaSuccess);
    bench.begin();
    assert_int_equal(cudaEventRecord(event, bench.stream), cudaSuccess);
    const cudaGraphExec_t graph = bench.end();
    assert_int_equal(cudaEventSynchronize(event), cudaErrorCapturedEvent);
    assert_int_equal(cudaEventElapsedTime(&milliseconds, event, event), cudaErrorCapturedEvent);
    assert_int_equal(cudaEventRecord(event, bench.stream), cudaSuccess);
    assert_int_equal(cudaEventSynchronize(event), cudaSuccess);
    assert_int_equal(cudaEventDestroy(event), cudaSuccess);
    assert_int_equal(cudaGraphExecDestroy(graph), cudaSuccess);
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        TEST(captured_work_is_done_at_each_launch_and_not_before),
        TEST(arguments_are_kept_by_value),
        TEST(copies_and_memsets_are_captured_in_their_order),
        TEST(host_functions_are_captured_in_their_order),
        TEST(other_streams_work_during_a_capture),
        TEST(graph_launched_into_a_capture_becomes_part_of_it),
        TEST(waiting_for_a_captured_stream_spoils_the_capture),
        TEST(memory_is_not_changed_during_a_strict_capture),
        TEST(default_stream_is_out_of_use_while_a_blocking_one_is_captured),
        TEST(launch_that_is_refused_is_not_captured),
        TEST(work_that_fails_ends_the_launch),
        TEST(copy_whose_memory_is_gone_fails_at_the_launch),
        TEST(capture_begins_and_ends_once),
        TEST(graphs_are_destroyed_once),
        TEST(event_recorded_in_a_capture_cannot_be_waited_for),
    };
    return cmocka_run_group_tests_name("cuda emulation: graphs", tests, nullptr, nullptr);
}
