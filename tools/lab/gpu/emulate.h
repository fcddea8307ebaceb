/* A small emulation: every thread of every block is a fiber, all alive. __syncwarp, __syncthreads
 * and the grid barrier are rendezvous; a fiber runs alone between them, in an order that is
 * shuffled. A block sees what others write to `watched` arrays only after the next grid barrier or
 * launch; two blocks that write one value end the program. */
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <ucontext.h>
#include <vector>
#define __device__
#define __host__
#define __global__
#define __constant__
#define __noinline__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(x)
struct double2 {
    double x, y;
};
struct float2 {
    float x, y;
};
struct dim {
    unsigned x;
};
static dim threadIdx, blockIdx, blockDim, gridDim;
static char *shared_bytes;
template <typename T> T __ldcg(const T *p)
{
    return *p;
}

enum { STACK = 96 << 10 };
struct fiber {
    ucontext_t at;
    std::unique_ptr<char[]> stack; /* pages that nobody touches cost nothing */
    int thread, block, waits = 0;  /* 0 runs, 1 warp, 2 block, 3 grid, 4 done */
    bool may_look = false;         /* at the grid's barrier again */
};
static std::vector<fiber> fibers;
static ucontext_t scheduler;
static fiber *running;
static void wait_for(int what)
{
    running->waits = what;
    swapcontext(&running->at, &scheduler);
}
#define SYNCWARP()  wait_for(1)
#define SYNCBLOCK() wait_for(2)
static inline void emulated_barrier(unsigned *count, unsigned turn)
{
    ++*count;
    do
        wait_for(3);
    while ((int)(*count - turn) < 0);
}
static std::function<void()> *body;
static void start()
{
    (*body)();
    running->waits = 4;
    swapcontext(&running->at, &scheduler);
}
/* ---- what blocks write ----------------------------------------------------------------------- */

static std::vector<std::pair<void *, size_t>> watched; /* arrays and their bytes */
typedef std::vector<uint32_t> words;
static words watched_words()
{
    words out;
    for (const auto &array : watched)
        out.insert(out.end(), (const uint32_t *)array.first,
                   (const uint32_t *)array.first + array.second / sizeof(uint32_t));
    return out;
}
static void restore(const words &from)
{
    const uint32_t *at = from.data();
    for (const auto &array : watched) {
        std::memcpy(array.first, at, array.second);
        at += array.second / sizeof(uint32_t);
    }
}
/* Add what a block has changed since `before` to the changes of all. */
static void add_changes(const words &before, words &all)
{
    const words now = watched_words();
    for (size_t k = 0; k < now.size(); k++) {
        if (now[k] != before[k] && all[k] != before[k]) {
            std::fprintf(stderr, "emulation: two blocks write one value\n");
            std::exit(1);
        }
        if (now[k] != before[k])
            all[k] = now[k];
    }
}

/* ---- running --------------------------------------------------------------------------------- */

/* Release the warps of a block, and the block, whose threads have all come. */
static bool release(fiber *block, int threads)
{
    bool moved = false;
    int in_block = 0, out = 0;
    for (int w = 0; w < threads; w += 32) {
        int in_warp = 0;
        for (int l = w; l < w + 32; l++) {
            in_warp += block[l].waits == 1;
            in_block += block[l].waits == 2;
            out += block[l].waits == 4;
        }
        for (int l = w; in_warp == 32 && l < w + 32; l++)
            block[l].waits = 0;
        moved = moved || in_warp == 32;
    }
    if (in_block == 0 || in_block + out < threads)
        return moved;
    for (int l = 0; l < threads; l++)
        if (block[l].waits == 2)
            block[l].waits = 0;
    return true;
}
/* Run a block until its threads have ended or wait for the grid. False: none did more than look at
 * the barrier again. */
static bool run_block(fiber *block, int threads, std::vector<char> &shared, std::mt19937 &random)
{
    bool moved = false;
    std::vector<int> order(threads);
    for (int k = 0; k < threads; k++)
        order[k] = k;
    do {
        std::shuffle(order.begin(), order.end(), random);
        for (int k : order) {
            fiber &f = block[k];
            const bool looks_again = f.waits == 3;
            if (f.waits != 0 && !(looks_again && f.may_look))
                continue;
            threadIdx.x = f.thread;
            blockIdx.x = f.block;
            shared_bytes = (char *)(((uintptr_t)shared.data() + 15) / 16 * 16);
            running = &f;
            f.waits = 0;
            f.may_look = false;
            swapcontext(&scheduler, &f.at);
            moved = moved || !(looks_again && f.waits == 3);
        }
    } while (release(block, threads));
    return moved;
}
static void emulate(int blocks, int threads, size_t bytes, std::function<void()> work,
                    unsigned seed)
{
    std::mt19937 random(seed);
    body = &work;
    fibers = std::vector<fiber>((size_t)blocks * threads);
    std::vector<std::vector<char>> shared(blocks,
                                          std::vector<char>(bytes + 64, (char)0xff)); /* NaN */
    gridDim.x = blocks;
    blockDim.x = threads;
    for (size_t k = 0; k < fibers.size(); k++) {
        fiber &f = fibers[k];
        f.block = (int)k / threads;
        f.thread = (int)k % threads;
        f.stack.reset(new char[STACK]);
        getcontext(&f.at);
        f.at.uc_stack.ss_sp = f.stack.get();
        f.at.uc_stack.ss_size = STACK;
        f.at.uc_link = &scheduler;
        makecontext(&f.at, start, 0);
    }
    std::vector<int> order(blocks);
    for (int b = 0; b < blocks; b++)
        order[b] = b;
    for (;;) { /* from one grid barrier to the next */
        bool moved = false, done = true;
        const words before = watched_words();
        words after = before;
        std::shuffle(order.begin(), order.end(), random);
        for (int b : order) {
            moved = run_block(&fibers[(size_t)b * threads], threads, shared[b], random) || moved;
            add_changes(before, after);
            restore(before);
        }
        restore(after);
        for (fiber &f : fibers) {
            done = done && f.waits == 4;
            f.may_look = true;
        }
        if (done)
            return;
        if (!moved) {
            std::fprintf(stderr, "emulation: deadlock\n");
            std::exit(1);
        }
    }
}
