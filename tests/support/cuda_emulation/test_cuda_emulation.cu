// Tests of the CUDA emulation: how kernels run. The runtime calls have a file of their own.

#include "fiber.hpp"
#include "test_support.hpp"

#include <cuda_runtime.h>

namespace
{

constexpr int block_size = 64;
constexpr int block_count = 5;
constexpr int total = block_size * block_count;

/// A field with one int for each thread, on the device.
int *device_ints()
{
    int *field = nullptr;
    assert_int_equal(cudaMalloc(&field, total * sizeof(int)), cudaSuccess);
    assert_int_equal(cudaMemset(field, 0, total * sizeof(int)), cudaSuccess);
    return field;
}

/// Copies such a field to the host and frees it.
void collect(int *host, int *field)
{
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    assert_int_equal(cudaMemcpy(host, field, total * sizeof(int), cudaMemcpyDeviceToHost),
                     cudaSuccess);
    assert_int_equal(cudaFree(field), cudaSuccess);
}

__device__ __forceinline__ int global_index()
{
    return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void __launch_bounds__(block_size) add_kernel(int *field, int value)
{
    field[global_index()] += value;
}

template <int factor> __global__ void scale_kernel(int *field, SWE_GRID_CONSTANT(int) shift)
{
    field[global_index()] = factor * global_index() + shift;
}

__global__ void count_places_kernel(int *field)
{
    const unsigned int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    field[block * blockDim.x * blockDim.y * blockDim.z + thread] += 1;
}

__global__ void empty_kernel()
{
}

/// Each thread reads what its mirror image wrote, several times over.
__global__ void mirror_kernel(int *field, int rounds)
{
    __shared__ int tile[block_size];
    const unsigned int mine = threadIdx.x;
    int value = static_cast<int>(mine);
    for (int round = 0; round < rounds; ++round) {
        tile[mine] = value + 1;
        __syncthreads();
        value = tile[block_size - 1 - mine];
        __syncthreads();
    }
    field[global_index()] = mine == threadIdx.x ? value : -1;
}

/// Sums the indices of a block's threads.
__global__ void sum_kernel(int *field)
{
    __shared__ int tile[block_size];
    tile[threadIdx.x] = global_index();
    __syncthreads();
    for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            tile[threadIdx.x] += tile[threadIdx.x + half];
        __syncthreads();
    }
    field[global_index()] = tile[0];
}

/// Threads note the order in which they come by, across all blocks.
__global__ void note_order_kernel(int *field, int *counter)
{
    field[global_index()] = ++*counter;
}

/// Threads read a neighbour's value, with or without waiting for it to be written.
__global__ void neighbour_kernel(int *field, bool wait)
{
    __shared__ int tile[block_size];
    tile[threadIdx.x] = global_index();
    if (wait)
        __syncthreads();
    field[global_index()] = tile[(threadIdx.x + 1) % block_size];
}

struct CountAtEnd {
    int *count;
    ~CountAtEnd()
    {
        ++*count;
    }
};

__global__ void early_return_kernel(int *ended)
{
    const CountAtEnd guard{ended};
    if (blockIdx.x == 2 && threadIdx.x >= 60)
        return;
    __syncthreads();
}

__global__ void unequal_count_kernel()
{
    for (unsigned int i = 0; i <= threadIdx.x / 32; ++i)
        __syncthreads();
}

__global__ void branch_kernel()
{
    if (threadIdx.x % 2 == 0)
        __syncthreads();
    else
        __syncthreads();
}

/// Uses more stack than a thread has.
__global__ void greedy_kernel(int *result)
{
    constexpr int bytes = static_cast<int>(cuda_emulation::default_stack) + (32 << 10);
    volatile char room[bytes];
    for (int i = 0; i < bytes; i += 512)
        room[i] = 1;
    *result = room[0];
}

void run_greedy_kernel()
{
    int result = 0;
    SWE_LAUNCH(greedy_kernel, 1, 1, 0, nullptr, &result);
}

void stack_overflow_ends_the_program(void **)
{
    assert_true(dies(run_greedy_kernel));
}

void stack_can_be_made_larger(void **)
{
    const Setting setting("CUDA_EMULATION_STACK", "1048576");
    assert_false(dies(run_greedy_kernel));
}

void indices_cover_a_grid_of_three_dimensions(void **)
{
    int host[total];
    int *field = device_ints();
    SWE_LAUNCH(count_places_kernel, dim3(5, 2, 2), dim3(4, 2, 2), 0, nullptr, field);
    collect(host, field);
    for (int value : host)
        assert_int_equal(value, 1);
}

void arguments_are_evaluated_once(void **)
{
    int host[total], evaluations = 0;
    int *field = device_ints();
    SWE_LAUNCH(add_kernel, block_count, block_size, 0, nullptr, field, ++evaluations);
    collect(host, field);
    assert_int_equal(evaluations, 1);
    assert_int_equal(host[total - 1], 1);
}

void template_kernel_runs(void **)
{
    int host[total];
    int *field = device_ints();
    SWE_LAUNCH((scale_kernel<3>), block_count, block_size, 0, nullptr, field, 7);
    collect(host, field);
    for (int i = 0; i < total; ++i)
        assert_int_equal(host[i], 3 * i + 7);
}

void kernel_without_parameters_runs(void **)
{
    SWE_LAUNCH(empty_kernel, 1, 1, 0, nullptr);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

void barrier_shows_what_all_threads_wrote_in_any_order(void **)
{
    int host[total];
    for (const char *order : {"forward", "reverse", "shuffle:1", "shuffle:2"}) {
        const Setting setting("CUDA_EMULATION_ORDER", order);
        int *field = device_ints();
        SWE_LAUNCH(mirror_kernel, block_count, block_size, 0, nullptr, field, 3);
        collect(host, field);
        for (int i = 0; i < total; ++i)
            assert_int_equal(host[i], block_size - 1 - i % block_size + 3);
    }
}

void blocks_reduce_through_shared_memory_in_any_order(void **)
{
    int host[total];
    for (const char *order : {"forward", "reverse", "shuffle:1", "shuffle:2"}) {
        const Setting setting("CUDA_EMULATION_ORDER", order);
        int *field = device_ints();
        SWE_LAUNCH(sum_kernel, block_count, block_size, 0, nullptr, field);
        collect(host, field);
        for (int i = 0; i < total; ++i)
            assert_int_equal(host[i], block_size * (i / block_size * block_size) +
                                          block_size * (block_size - 1) / 2);
    }
}

void note_order(int *host, const char *order)
{
    const Setting setting("CUDA_EMULATION_ORDER", order);
    int *field = device_ints(), *counter = device_ints();
    SWE_LAUNCH(note_order_kernel, block_count, block_size, 0, nullptr, field, counter);
    collect(host, counter);
    collect(host, field);
}

void blocks_and_threads_run_in_the_order_asked_for(void **)
{
    int host[total];
    note_order(host, "forward");
    for (int i = 0; i < total; ++i)
        assert_int_equal(host[i], i + 1);
    note_order(host, "reverse");
    for (int i = 0; i < total; ++i)
        assert_int_equal(host[i], total - i);
}

void seed_fixes_the_shuffled_order(void **)
{
    int first[total], again[total], other[total];
    note_order(first, "shuffle:1");
    note_order(again, "shuffle:1");
    note_order(other, "shuffle:2");
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
}

/// Does the order in which threads run change what the neighbour kernel gives?
bool order_matters(bool wait)
{
    int results[2][total];
    for (int i = 0; i < 2; ++i) {
        const Setting setting("CUDA_EMULATION_ORDER", i == 0 ? "forward" : "reverse");
        int *field = device_ints();
        SWE_LAUNCH(neighbour_kernel, block_count, block_size, 0, nullptr, field, wait);
        collect(results[i], field);
    }
    return std::memcmp(results[0], results[1], sizeof results[0]) != 0;
}

void order_reveals_a_missing_barrier(void **)
{
    assert_false(order_matters(true));
    assert_true(order_matters(false));
}

void thread_which_ends_before_a_barrier_is_reported(void **)
{
    int ended = 0;
    Messages messages;
    SWE_LAUNCH(early_return_kernel, dim3(4), block_size, 0, nullptr, &ended);
    assert_true(messages.mention("kernel early_return_kernel, block (2, 0, 0): divergent barrier"));
    assert_true(messages.mention(": 60 threads wait at "));
    assert_true(messages.mention(", 4 have ended"));
    assert_int_equal(ended, 3 * block_size);
    assert_int_equal(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}

void unequal_numbers_of_barriers_are_reported(void **)
{
    Messages messages;
    SWE_LAUNCH(unequal_count_kernel, 1, block_size, 0, nullptr);
    assert_true(messages.mention(": 32 threads wait at "));
    assert_int_equal(cudaGetLastError(), cudaErrorLaunchFailure);
}

void different_barriers_are_reported(void **)
{
    Messages messages;
    SWE_LAUNCH(branch_kernel, 1, block_size, 0, nullptr);
    assert_true(messages.mention("32 at others, 0 have ended"));
    assert_int_equal(cudaGetLastError(), cudaErrorLaunchFailure);
}

void launch_failure_lasts_until_reset(void **)
{
    int host[total], *field = device_ints();
    Messages messages;
    SWE_LAUNCH(branch_kernel, 1, block_size, 0, nullptr);
    SWE_LAUNCH(add_kernel, block_count, block_size, 0, nullptr, field, 1);
    assert_int_equal(field[0], 0);
    assert_int_equal(cudaGetLastError(), cudaErrorLaunchFailure);
    assert_int_equal(cudaGetLastError(), cudaErrorLaunchFailure);
    assert_int_equal(cudaMemset(field, 0, 1), cudaErrorLaunchFailure);
    assert_int_equal(cudaFree(field), cudaErrorLaunchFailure);
    assert_int_equal(cuda_emulation_live_blocks(), 0);
    assert_int_equal(cudaDeviceReset(), cudaSuccess);
    field = device_ints();
    SWE_LAUNCH(mirror_kernel, block_count, block_size, 0, nullptr, field, 1);
    collect(host, field);
    assert_int_equal(host[0], block_size);
}

void launch_sizes_are_checked(void **)
{
    const dim3 bad_grids[] = {{0}, {1, 0}, {1, 1, 0}, {1, 65536}, {1, 1, 65536}, {0x80000000u}};
    const dim3 bad_blocks[] = {{0}, {1, 0}, {1, 1, 0}, {1025}, {1, 1, 65}, {32, 33}};
    for (const dim3 &grid : bad_grids) {
        SWE_LAUNCH(empty_kernel, grid, 1, 0, nullptr);
        assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
    }
    for (const dim3 &block : bad_blocks) {
        SWE_LAUNCH(empty_kernel, 1, block, 0, nullptr);
        assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
    }
    SWE_LAUNCH(empty_kernel, dim3(1, 65535), dim3(4, 4, 64), 0, nullptr);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

void dynamic_shared_memory_is_refused(void **)
{
    Messages messages;
    SWE_LAUNCH(empty_kernel, 1, 1, 8, nullptr);
    assert_true(messages.mention("kernel empty_kernel: there is no dynamic shared memory"));
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
}

void launch_on_a_stream_which_is_gone_is_refused(void **)
{
    cudaStream_t stream = nullptr;
    assert_int_equal(cudaStreamCreate(&stream), cudaSuccess);
    SWE_LAUNCH(empty_kernel, 1, 1, 0, stream);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
    SWE_LAUNCH(empty_kernel, 1, 1, 0, stream);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

void unknown_order_ends_the_program(void **)
{
    const Setting setting("CUDA_EMULATION_ORDER", "backwards");
    assert_true(dies([] { SWE_LAUNCH(empty_kernel, 1, 1, 0, nullptr); }));
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        // First, as stacks are kept once a launch has created them.
        TEST(stack_can_be_made_larger),
        TEST(stack_overflow_ends_the_program),
        TEST(indices_cover_a_grid_of_three_dimensions),
        TEST(arguments_are_evaluated_once),
        TEST(template_kernel_runs),
        TEST(kernel_without_parameters_runs),
        TEST(barrier_shows_what_all_threads_wrote_in_any_order),
        TEST(blocks_reduce_through_shared_memory_in_any_order),
        TEST(blocks_and_threads_run_in_the_order_asked_for),
        TEST(seed_fixes_the_shuffled_order),
        TEST(order_reveals_a_missing_barrier),
        TEST(thread_which_ends_before_a_barrier_is_reported),
        TEST(unequal_numbers_of_barriers_are_reported),
        TEST(different_barriers_are_reported),
        TEST(launch_failure_lasts_until_reset),
        TEST(launch_sizes_are_checked),
        TEST(dynamic_shared_memory_is_refused),
        TEST(launch_on_a_stream_which_is_gone_is_refused),
        TEST(unknown_order_ends_the_program),
    };
    return cmocka_run_group_tests_name("cuda emulation: kernels", tests, nullptr, nullptr);
}
