/// Runs a grid on the CPU: its blocks in turn, and the threads of a block between barriers in turn.
#ifndef CUDA_EMULATION_GRID_RUNNER_HPP
#define CUDA_EMULATION_GRID_RUNNER_HPP

#include "fiber.hpp"

#include <memory>

namespace cuda_emulation
{

/// One fiber runs thread after thread as plain calls. Only when a thread comes to a barrier does it
/// keep its fiber, and another one goes on with the threads which are left; so a kernel without
/// barriers costs two switches for each block. When no thread is left to start, those which wait
/// are resumed up to their next barrier. A fiber which stops continues the next one itself.
class GridRunner
{
  public:
    /// The one runner, as threadIdx and its like exist once.
    static GridRunner &instance()
    {
        static GridRunner runner;
        return runner;
    }

    /// Checks a launch against the limits which all current devices share.
    static cudaError_t check(const Launch &launch)
    {
        if (!within(launch.grid, {0x7FFFFFFF, 65535, 65535}) ||
            !within(launch.block, {1024, 1024, 64}) || volume(launch.block) > 1024)
            return cudaErrorInvalidConfiguration;
        if (launch.shared_bytes == 0)
            return cudaSuccess;
        std::fprintf(stderr, "cuda emulation: kernel %s: there is no dynamic shared memory here\n",
                     launch.kernel);
        return cudaErrorInvalidValue;
    }

    /// Runs a grid which has been checked.
    cudaError_t run(const Launch &launch, const std::function<void()> &thread)
    {
        Order order;
        std::vector<size_t> blocks;
        order.fill(blocks, volume(launch.grid));
        gridDim = launch.grid;
        blockDim = launch.block;
        thread_ = &thread;
        for (size_t block : blocks) {
            blockIdx = place(block, gridDim);
            if (!run_block(launch, order))
                return cudaErrorLaunchFailure;
        }
        return cudaSuccess;
    }

    /// Suspends the running thread until run_block() lets the block pass the barrier.
    void wait(const char *file, int line)
    {
        if (!current_) {
            std::fprintf(stderr, "cuda emulation: %s:%d: barrier outside a kernel\n", file, line);
            std::abort();
        }
        Fiber &fiber = *current_;
        fiber.thread = threadIdx;
        fiber.file = file;
        fiber.line = line;
        waiting_.push_back(&fiber);
        leave(fiber);
        threadIdx = fiber.thread;
        if (diverged_)
            throw Abandoned{};
    }

  private:
    /// Unwinds a thread which waits at a barrier that its block cannot pass.
    struct Abandoned {
    };

    GridRunner() = default;

    /// Number of places in a grid or a block.
    static size_t volume(const dim3 &size)
    {
        return size_t{size.x} * size.y * size.z;
    }

    /// Where the place of a number is.
    static uint3 place(size_t number, const dim3 &size)
    {
        const unsigned int at = static_cast<unsigned int>(number), row = at / size.x;
        return {at % size.x, row % size.y, row / size.y};
    }

    /// Are all sizes from 1 to those of `most`? One less than zero is above any limit.
    static bool within(const dim3 &size, const dim3 &most)
    {
        return size.x - 1 < most.x && size.y - 1 < most.y && size.z - 1 < most.z;
    }

    /// Runs one block; false, with a message, if its threads do not come to the same barriers.
    bool run_block(const Launch &launch, Order &order)
    {
        const size_t count = volume(launch.block);
        order.fill(sequence_, count);
        next_ = finished_ = 0;
        while (next_ < count)
            resume(idle_fiber());
        while (!waiting_.empty()) {
            diverged_ = gathered() < count;
            if (diverged_)
                report(launch);
            resumed_.swap(waiting_);
            order.mix(resumed_);
            next_resumed_ = 1;
            resume(*resumed_.front()); // it continues the others
            resumed_.clear();
            if (std::exchange(diverged_, false))
                return false;
        }
        return true;
    }

    /// Lets a fiber run, and the fibers which follow it, until none of them can go on.
    void resume(Fiber &fiber)
    {
        current_ = &fiber;
        switch_context(scheduler_, fiber.context);
    }

    /// Stops a fiber which waits at a barrier or has nothing left to do: the next one goes on.
    void leave(Fiber &fiber)
    {
        current_ = nullptr;
        if (next_resumed_ < resumed_.size())
            current_ = resumed_[next_resumed_++];
        else if (next_ < sequence_.size() && !idle_.empty())
            current_ = take_idle();
        switch_context(fiber.context, current_ ? current_->context : scheduler_);
    }

    /// A fiber which holds no thread.
    Fiber &idle_fiber()
    {
        if (idle_.empty()) {
            fibers_.push_back(std::make_unique<Fiber>());
            current_ = fibers_.back().get();
            current_->begin(scheduler_, [] { instance().serve(*instance().current_); });
        }
        return *take_idle();
    }

    Fiber *take_idle()
    {
        Fiber *fiber = idle_.back();
        idle_.pop_back();
        return fiber;
    }

    /// The loop of a fiber.
    [[noreturn]] void serve(Fiber &fiber)
    {
        fiber.context.entered(&scheduler_);
        idle_.push_back(&fiber);
        switch_context(fiber.context, scheduler_);
        for (;;) {
            try {
                run_threads();
            } catch (const Abandoned &) {
            }
            idle_.push_back(&fiber);
            leave(fiber);
        }
    }

    /// Starts the threads which are left, one after another.
    void run_threads()
    {
        while (next_ < sequence_.size()) {
            threadIdx = place(sequence_[next_++], blockDim);
            (*thread_)();
            ++finished_;
        }
    }

    /// How many threads wait at the same barrier as the first one?
    size_t gathered() const
    {
        const Fiber &first = *waiting_.front();
        const auto same = [&](const Fiber *fiber) {
            return fiber->line == first.line &&
                   (fiber->file == first.file || std::strcmp(fiber->file, first.file) == 0);
        };
        return static_cast<size_t>(std::count_if(waiting_.begin(), waiting_.end(), same));
    }

    /// Reports which block of which kernel diverged, and where its threads wait.
    void report(const Launch &launch) const
    {
        const Fiber &first = *waiting_.front();
        std::fprintf(stderr,
                     "cuda emulation: kernel %s, block (%u, %u, %u): divergent barrier: "
                     "%zu threads wait at %s:%d, %zu at others, %zu have ended\n",
                     launch.kernel, blockIdx.x, blockIdx.y, blockIdx.z, gathered(), first.file,
                     first.line, waiting_.size() - gathered(), finished_);
    }

    Context scheduler_;
    std::vector<std::unique_ptr<Fiber>> fibers_;
    std::vector<Fiber *> idle_, waiting_, resumed_;
    Fiber *current_ = nullptr;
    const std::function<void()> *thread_ = nullptr;
    std::vector<size_t> sequence_;
    size_t next_ = 0; // of sequence_
    size_t next_resumed_ = 0;
    size_t finished_ = 0;
    bool diverged_ = false;
};

} // namespace cuda_emulation

#endif
