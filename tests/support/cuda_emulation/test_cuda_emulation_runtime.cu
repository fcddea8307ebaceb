// Tests of the CUDA emulation: memory, streams, events, devices and errors.

#include "test_support.hpp"

#include <cuda_runtime.h>

namespace
{

constexpr size_t count = 10;
constexpr size_t bytes = count * sizeof(double);

__constant__ double weights[4];

__global__ void weigh_kernel(double *field)
{
    field[threadIdx.x] = weights[threadIdx.x];
}

__global__ void write_kernel(double *field, ptrdiff_t index, double value)
{
    field[index] = value;
}

__global__ void read_kernel(double *field, ptrdiff_t index)
{
    field[0] = field[index];
}

/// A device field of `count` doubles.
double *device_doubles()
{
    double *field = nullptr;
    assert_int_equal(cudaMalloc(&field, bytes), cudaSuccess);
    return field;
}

void fresh_memory_is_aligned_and_nan(void **)
{
    double host[count] = {};
    double *field = device_doubles();
    assert_int_equal(reinterpret_cast<uintptr_t>(field) % 256, 0);
    assert_int_equal(cudaMemcpy(host, field, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    for (double value : host)
        assert_true(isnan(value));
    assert_int_equal(cudaFree(field), cudaSuccess);
}

void write_outside_a_block_is_reported_when_synchronised(void **)
{
    const ptrdiff_t places[] = {-1, static_cast<ptrdiff_t>(count), 500};
    const char *offsets[] = {"at offset -8 ", "at offset 80 ", "at offset 4000 "};
    for (int i = 0; i < 3; ++i) {
        double *field = device_doubles();
        Messages messages;
        SWE_LAUNCH(write_kernel, 1, 1, 0, nullptr, field, places[i], 1.0);
        assert_int_equal(cudaGetLastError(), cudaSuccess);
        assert_int_equal(cudaStreamSynchronize(nullptr), cudaErrorIllegalAddress);
        assert_true(messages.mention("write outside a device block of 80 bytes"));
        assert_true(messages.mention(offsets[i]));
        assert_true(messages.mention("last kernel: write_kernel"));
        assert_int_equal(cudaPeekAtLastError(), cudaErrorIllegalAddress);
        assert_int_equal(cudaFree(field), cudaErrorIllegalAddress);
        assert_int_equal(cudaDeviceReset(), cudaSuccess);
    }
}

void write_outside_a_block_is_reported_when_freed(void **)
{
    double *field = device_doubles(), *pinned = nullptr;
    assert_int_equal(cudaMallocHost(&pinned, bytes), cudaSuccess);
    Messages messages;
    pinned[count] = NAN;
    assert_int_equal(cudaFree(field), cudaErrorIllegalAddress);
    assert_true(messages.mention("write outside a pinned host block"));
    assert_int_equal(cudaFreeHost(pinned), cudaErrorIllegalAddress);
}

void read_outside_a_block_gives_nan(void **)
{
    double *field = device_doubles();
    for (ptrdiff_t place : {ptrdiff_t{-1}, static_cast<ptrdiff_t>(count)}) {
        assert_int_equal(cudaMemset(field, 0, bytes), cudaSuccess);
        SWE_LAUNCH(read_kernel, 1, 1, 0, nullptr, field, place);
        assert_true(isnan(field[0]));
    }
    assert_int_equal(cudaFree(field), cudaSuccess);
}

void only_a_live_block_can_be_freed(void **)
{
    double *field = device_doubles(), *pinned = nullptr, other = 0.0;
    assert_int_equal(cudaMallocHost(&pinned, bytes), cudaSuccess);
    assert_int_equal(cuda_emulation_live_blocks(), 2);
    assert_int_equal(cudaFree(&other), cudaErrorInvalidValue);
    assert_int_equal(cudaFree(field + 1), cudaErrorInvalidValue);
    assert_int_equal(cudaFree(pinned), cudaErrorInvalidValue);
    assert_int_equal(cudaFreeHost(field), cudaErrorInvalidValue);
    assert_int_equal(cudaFree(field), cudaSuccess);
    assert_int_equal(cudaFree(field), cudaErrorInvalidValue);
    assert_int_equal(cudaFreeHost(pinned), cudaSuccess);
    assert_int_equal(cudaFree(nullptr), cudaSuccess);
    assert_int_equal(cudaFreeHost(nullptr), cudaSuccess);
    assert_int_equal(cuda_emulation_live_blocks(), 0);
}

void memory_of_the_device_is_limited(void **)
{
    const Setting setting("CUDA_EMULATION_MEMORY", "1000");
    size_t free_bytes = 0, total_bytes = 0;
    void *first = nullptr, *second = nullptr;
    assert_int_equal(cudaMalloc(&first, 600), cudaSuccess);
    assert_int_equal(cudaMalloc(&second, 401), cudaErrorMemoryAllocation);
    assert_null(second);
    assert_int_equal(cudaMemGetInfo(&free_bytes, &total_bytes), cudaSuccess);
    assert_int_equal(free_bytes, 400);
    assert_int_equal(total_bytes, 1000);
    assert_int_equal(cudaMalloc(&second, 400), cudaSuccess);
    assert_int_equal(cudaFree(first), cudaSuccess);
    assert_int_equal(cudaFree(second), cudaSuccess);
    assert_int_equal(cudaMalloc(&second, SIZE_MAX), cudaErrorMemoryAllocation);
    assert_int_equal(cudaMalloc(&second, 0), cudaSuccess);
    assert_null(second);
    assert_int_equal(cudaMalloc(static_cast<double **>(nullptr), 8), cudaErrorInvalidValue);
}

void copies_go_where_they_say(void **)
{
    double from[count], to[count] = {};
    for (size_t i = 0; i < count; ++i)
        from[i] = static_cast<double>(i);
    double *a = device_doubles(), *b = device_doubles();
    assert_int_equal(cudaMemcpy(a, from, bytes, cudaMemcpyHostToDevice), cudaSuccess);
    assert_int_equal(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice), cudaSuccess);
    assert_int_equal(cudaMemcpy(to, b, bytes, cudaMemcpyDefault), cudaSuccess);
    assert_memory_equal(from, to, bytes);
    assert_int_equal(cudaFree(a), cudaSuccess);
    assert_int_equal(cudaFree(b), cudaSuccess);
}

void copies_between_the_wrong_sides_are_refused(void **)
{
    double host[2 * count] = {}, other[count] = {};
    double *field = device_doubles();
    const auto refused = [](void *to, const void *from, size_t size, cudaMemcpyKind kind) {
        return cudaMemcpy(to, from, size, kind) == cudaErrorInvalidValue;
    };
    assert_true(refused(host, field, bytes, cudaMemcpyHostToDevice));
    assert_true(refused(field, host, bytes, cudaMemcpyDeviceToHost));
    assert_true(refused(host, other, bytes, cudaMemcpyHostToDevice));
    assert_true(refused(field, host, bytes, cudaMemcpyDeviceToDevice));
    assert_true(refused(host, field, bytes, cudaMemcpyHostToHost));
    assert_true(refused(field, host, bytes + 1, cudaMemcpyHostToDevice));
    assert_true(refused(field + 1, host, bytes, cudaMemcpyHostToDevice));
    assert_true(refused(field - 1, host, 8, cudaMemcpyDefault));
    assert_true(refused(nullptr, field, bytes, cudaMemcpyDeviceToHost));
    assert_true(refused(field, nullptr, bytes, cudaMemcpyHostToDevice));
    assert_int_equal(cudaMemcpy(host, field, bytes, static_cast<cudaMemcpyKind>(7)),
                     cudaErrorInvalidMemcpyDirection);
    assert_int_equal(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice), cudaSuccess);
    assert_int_equal(cudaFree(field), cudaSuccess);
}

void rows_are_copied_with_their_pitches(void **)
{
    const double from[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    double to[6] = {};
    const double middle[6] = {1, 2, 5, 6, 9, 10};
    double *field = device_doubles();
    assert_int_equal(cudaMemcpy2D(field, 24, from + 1, 32, 16, 3, cudaMemcpyHostToDevice),
                     cudaSuccess);
    assert_int_equal(cudaMemcpy2D(to, 16, field, 24, 16, 3, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_memory_equal(to, middle, sizeof to);
    assert_int_equal(cudaMemcpy2D(to, 15, field, 24, 16, 3, cudaMemcpyDeviceToHost),
                     cudaErrorInvalidPitchValue);
    assert_int_equal(cudaMemcpy2D(to, 16, field, 33, 16, 3, cudaMemcpyDeviceToHost),
                     cudaErrorInvalidValue);
    assert_int_equal(cudaMemcpy2D(to, 16, field, 24, 16, SIZE_MAX, cudaMemcpyDeviceToHost),
                     cudaErrorInvalidValue);
    assert_int_equal(cudaFree(field), cudaSuccess);
}

void memset_stays_inside_a_device_block(void **)
{
    double host[count] = {};
    double *field = device_doubles();
    assert_int_equal(cudaMemset(field, 0, bytes), cudaSuccess);
    assert_true(field[count - 1] == 0.0);
    assert_int_equal(cudaMemset(field, 0, bytes + 1), cudaErrorInvalidValue);
    assert_int_equal(cudaMemset(host, 0, bytes), cudaErrorInvalidValue);
    assert_int_equal(cudaFree(field), cudaSuccess);
}

void kernels_see_what_is_copied_to_a_symbol(void **)
{
    const double host[4] = {1, 2, 3, 4};
    double *field = device_doubles();
    assert_int_equal(cudaMemcpyToSymbol(weights, host, sizeof host), cudaSuccess);
    assert_int_equal(cudaMemcpyToSymbol(weights, host, 8, 24), cudaSuccess);
    assert_int_equal(cudaMemcpyToSymbol(weights, host, 16, 24), cudaErrorInvalidValue);
    assert_int_equal(cudaMemcpyToSymbol(weights, field, 8), cudaErrorInvalidValue);
    SWE_LAUNCH(weigh_kernel, 1, 4, 0, nullptr, field);
    assert_true(field[2] == 3.0 && field[3] == 1.0);
    assert_int_equal(cudaFree(field), cudaSuccess);
}

void work_on_an_unknown_stream_is_refused(void **)
{
    cudaStream_t stream = nullptr;
    double host[count] = {};
    double *field = device_doubles();
    assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    assert_int_equal(cudaMemsetAsync(field, 0, bytes, stream), cudaSuccess);
    assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
    assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
    assert_int_equal(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaMemsetAsync(field, 0, bytes, stream), cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaMemcpyAsync(host, field, bytes, cudaMemcpyDeviceToHost, stream),
                     cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaStreamCreateWithFlags(&stream, 2), cudaErrorInvalidValue);
    assert_int_equal(cudaStreamCreate(nullptr), cudaErrorInvalidValue);
    assert_int_equal(cudaFree(field), cudaSuccess);
}

void events_measure_time(void **)
{
    cudaEvent_t start = nullptr, end = nullptr, untimed = nullptr;
    float milliseconds = -1.0f;
    assert_int_equal(cudaEventCreate(&start), cudaSuccess);
    assert_int_equal(cudaEventCreate(&end), cudaSuccess);
    assert_int_equal(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), cudaSuccess);
    assert_int_equal(cudaEventRecord(start), cudaSuccess);
    assert_int_equal(cudaEventRecord(untimed), cudaSuccess);
    assert_int_equal(cudaEventElapsedTime(&milliseconds, start, end),
                     cudaErrorInvalidResourceHandle);
    usleep(2000);
    assert_int_equal(cudaEventRecord(end), cudaSuccess);
    assert_int_equal(cudaEventSynchronize(end), cudaSuccess);
    assert_int_equal(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
    assert_true(milliseconds >= 2.0f);
    assert_int_equal(cudaEventElapsedTime(&milliseconds, start, untimed),
                     cudaErrorInvalidResourceHandle);
    for (cudaEvent_t event : {start, end, untimed})
        assert_int_equal(cudaEventDestroy(event), cudaSuccess);
    assert_int_equal(cudaEventRecord(end), cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaEventSynchronize(end), cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaEventCreateWithFlags(&end, 4), cudaErrorInvalidValue);
}

void calls_without_a_device_say_so(void **)
{
    const Setting setting("CUDA_EMULATION_DEVICES", "0");
    int devices = -1;
    void *block = nullptr;
    assert_int_equal(cudaGetDeviceCount(&devices), cudaErrorNoDevice);
    assert_int_equal(devices, 0);
    assert_int_equal(cudaMalloc(&block, 8), cudaErrorNoDevice);
    assert_int_equal(cudaGetLastError(), cudaErrorNoDevice);
    SWE_LAUNCH(weigh_kernel, 1, 1, 0, nullptr, nullptr);
    assert_int_equal(cudaGetLastError(), cudaErrorNoDevice);
}

void several_devices_have_memory_of_their_own(void **)
{
    const Setting devices("CUDA_EMULATION_DEVICES", "2");
    const Setting memory("CUDA_EMULATION_MEMORY", "1000");
    int device = -1;
    void *first = nullptr, *second = nullptr;
    assert_int_equal(cudaMalloc(&first, 1000), cudaSuccess);
    assert_int_equal(cudaSetDevice(1), cudaSuccess);
    assert_int_equal(cudaMalloc(&second, 1000), cudaSuccess);
    assert_int_equal(cudaSetDevice(2), cudaErrorInvalidDevice);
    assert_int_equal(cudaSetDevice(-1), cudaErrorInvalidDevice);
    assert_int_equal(cudaGetDevice(&device), cudaSuccess);
    assert_int_equal(device, 1);
    assert_int_equal(cudaFree(first), cudaSuccess);
    assert_int_equal(cudaFree(second), cudaSuccess);
}

void device_describes_itself(void **)
{
    cudaDeviceProp properties;
    int driver = 0, version = 0;
    assert_int_equal(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
    assert_string_equal(properties.name, "CUDA emulation (no GPU)");
    assert_int_equal(properties.totalGlobalMem, size_t{4} << 30);
    assert_int_equal(properties.maxThreadsPerBlock, 1024);
    assert_int_equal(cudaGetDeviceProperties(&properties, 1), cudaErrorInvalidDevice);
    assert_int_equal(cudaGetDeviceProperties(nullptr, 0), cudaErrorInvalidValue);
    assert_int_equal(cudaDriverGetVersion(&driver), cudaSuccess);
    assert_int_equal(cudaRuntimeGetVersion(&version), cudaSuccess);
    assert_true(driver >= version && version == CUDART_VERSION);
}

void last_error_is_kept_until_it_is_read(void **)
{
    assert_int_equal(cudaSetDevice(9), cudaErrorInvalidDevice);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

/// What another process does with the memory of a handle; its exit code is the number of the error.
int in_another_process(cudaIpcMemHandle_t handle, int value)
{
    const pid_t child = fork();
    if (child == 0) {
        void *block = nullptr;
        cudaError_t error = cudaIpcOpenMemHandle(&block, handle, cudaIpcMemLazyEnablePeerAccess);
        if (error == cudaSuccess)
            error = cudaMemcpy(block, &value, sizeof value, cudaMemcpyHostToDevice);
        if (error == cudaSuccess)
            error = cudaIpcCloseMemHandle(block);
        _exit(error);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void another_process_writes_to_a_block(void **)
{
    const int before[] = {1, 2};
    int *block = nullptr, after[] = {0, 0};
    cudaIpcMemHandle_t handle;
    assert_int_equal(cudaMalloc(&block, sizeof before), cudaSuccess);
    assert_int_equal(cudaMemcpy(block, before, sizeof before, cudaMemcpyHostToDevice), cudaSuccess);
    assert_int_equal(cudaIpcGetMemHandle(&handle, block + 1), cudaErrorInvalidValue);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
    assert_int_equal(cudaIpcGetMemHandle(&handle, block), cudaSuccess);
    assert_int_equal(in_another_process(handle, 42), cudaSuccess);
    assert_int_equal(cudaMemcpy(after, block, sizeof after, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(after[0], 42);
    assert_int_equal(after[1], 2);
    assert_int_equal(cudaFree(block), cudaSuccess);
    assert_int_equal(in_another_process(handle, 43), cudaErrorMapBufferObjectFailed);
}

void a_process_does_not_open_its_own_memory(void **)
{
    void *block = nullptr, *again = nullptr;
    cudaIpcMemHandle_t handle;
    assert_int_equal(cudaMalloc(&block, 8), cudaSuccess);
    assert_int_equal(cudaIpcGetMemHandle(&handle, block), cudaSuccess);
    assert_int_equal(cudaIpcOpenMemHandle(&again, handle, cudaIpcMemLazyEnablePeerAccess),
                     cudaErrorMapBufferObjectFailed);
    assert_int_equal(cudaIpcCloseMemHandle(block), cudaErrorInvalidValue);
    const Setting none("CUDA_EMULATION_IPC", "0");
    assert_int_equal(cudaIpcGetMemHandle(&handle, block), cudaErrorNotSupported);
    assert_int_equal(cudaGetLastError(), cudaErrorNotSupported);
    assert_int_equal(cudaFree(block), cudaSuccess);
}

void a_call_fails_when_it_should(void **)
{
    void *block = nullptr; /* the reset before a test was the first call */
    const Setting at("CUDA_EMULATION_FAIL_AT", "2"), with("CUDA_EMULATION_FAIL_WITH", "2");
    assert_int_equal(cudaMallocHost(&block, 8), cudaErrorMemoryAllocation);
    assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation);
    assert_int_equal(cudaMallocHost(&block, 8), cudaSuccess);
    assert_int_equal(cudaFreeHost(block), cudaSuccess);
}

void a_call_that_fails_may_be_the_last(void **)
{
    void *block = nullptr;
    const Setting at("CUDA_EMULATION_FAIL_AT", "3");
    assert_int_equal(cudaMallocHost(&block, 8), cudaSuccess);
    assert_int_equal(cudaStreamSynchronize(nullptr), cudaErrorIllegalAddress);
    assert_int_equal(cudaStreamSynchronize(nullptr), cudaErrorIllegalAddress);
    cudaFreeHost(block);
    assert_int_equal(cudaDeviceReset(), cudaSuccess);
}

void errors_have_names_and_meanings(void **)
{
    assert_string_equal(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
    assert_string_equal(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
    assert_string_equal(cudaGetErrorName(static_cast<cudaError_t>(998)), "unrecognized error code");
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        TEST(fresh_memory_is_aligned_and_nan),
        TEST(write_outside_a_block_is_reported_when_synchronised),
        TEST(write_outside_a_block_is_reported_when_freed),
        TEST(read_outside_a_block_gives_nan),
        TEST(only_a_live_block_can_be_freed),
        TEST(memory_of_the_device_is_limited),
        TEST(copies_go_where_they_say),
        TEST(copies_between_the_wrong_sides_are_refused),
        TEST(rows_are_copied_with_their_pitches),
        TEST(memset_stays_inside_a_device_block),
        TEST(kernels_see_what_is_copied_to_a_symbol),
        TEST(work_on_an_unknown_stream_is_refused),
        TEST(events_measure_time),
        TEST(calls_without_a_device_say_so),
        TEST(several_devices_have_memory_of_their_own),
        TEST(device_describes_itself),
        TEST(last_error_is_kept_until_it_is_read),
        TEST(another_process_writes_to_a_block),
        TEST(a_process_does_not_open_its_own_memory),
        TEST(a_call_fails_when_it_should),
        TEST(a_call_that_fails_may_be_the_last),
        TEST(errors_have_names_and_meanings),
    };
    return cmocka_run_group_tests_name("cuda emulation: runtime", tests, nullptr, nullptr);
}
