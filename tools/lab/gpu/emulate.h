/* A small emulation: every thread of every block is a fiber, all alive. __syncwarp, __syncthreads
 * and the grid barrier are rendezvous; a fiber runs alone between them, in an order that is
 * shuffled. */
#pragma once
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
    while ((int)(*count - turn) < 0)
        wait_for(3);
}
static std::function<void()> *body;
static void start()
{
    (*body)();
    running->waits = 4;
    swapcontext(&running->at, &scheduler);
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
    std::vector<int> order(fibers.size());
    for (size_t k = 0; k < order.size(); k++)
        order[k] = (int)k;
    for (;;) {
        bool done = true, moved = false;
        std::shuffle(order.begin(), order.end(), random);
        for (int k : order) {
            fiber &f = fibers[k];
            if (f.waits == 4)
                continue;
            done = false;
            if (f.waits != 0 && f.waits != 3)
                continue;
            threadIdx.x = f.thread;
            blockIdx.x = f.block;
            shared_bytes = (char *)(((uintptr_t)shared[f.block].data() + 15) / 16 * 16);
            running = &f;
            const int before = f.waits;
            f.waits = 0;
            swapcontext(&scheduler, &f.at);
            moved = moved || !(before == 3 && f.waits == 3);
        }
        if (done)
            return;
        /* release warps and blocks whose threads have all come */
        for (int b = 0; b < blocks; b++) {
            int in_block = 0, out = 0;
            for (int w = 0; w < threads / 32; w++) {
                int in_warp = 0;
                for (int l = 0; l < 32; l++) {
                    const int waits = fibers[(size_t)b * threads + w * 32 + l].waits;
                    in_warp += waits == 1;
                    in_block += waits == 2;
                    out += waits == 4;
                }
                if (in_warp == 32) {
                    for (int l = 0; l < 32; l++)
                        fibers[(size_t)b * threads + w * 32 + l].waits = 0;
                    moved = true;
                }
            }
            if (in_block > 0 && in_block + out == threads) {
                for (int l = 0; l < threads; l++)
                    if (fibers[(size_t)b * threads + l].waits == 2)
                        fibers[(size_t)b * threads + l].waits = 0;
                moved = true;
            }
        }
        if (!moved) {
            std::fprintf(stderr, "emulation: deadlock\n");
            std::exit(1);
        }
    }
}
