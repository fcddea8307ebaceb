/// Stacks to switch between within one host thread.
#ifndef CUDA_EMULATION_FIBER_HPP
#define CUDA_EMULATION_FIBER_HPP

#include "cuda_runtime.h"
#include "environment.hpp"

#include <csetjmp>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CUDA_EMULATION_ASAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define CUDA_EMULATION_ASAN
#endif

#ifdef CUDA_EMULATION_ASAN
#include <dlfcn.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace cuda_emulation
{

#ifdef CUDA_EMULATION_ASAN
constexpr size_t default_stack = size_t{256} << 10; // frames are larger
#else
constexpr size_t default_stack = size_t{64} << 10;
#endif

/// A suspended flow of execution, and the stack on which AddressSanitizer is to see it.
struct Context {
    jmp_buf registers;
    const void *stack = nullptr;
    size_t stack_bytes = 0;
    void *fake_stack = nullptr;

    /// To be called just before control goes from this context to another.
    void leaving(const Context &to)
    {
#ifdef CUDA_EMULATION_ASAN
        __sanitizer_start_switch_fiber(&fake_stack, to.stack, to.stack_bytes);
#else
        static_cast<void>(to);
#endif
    }

    /// To be called just after control has come to this context; `from`: the context that it left,
    /// where its stack is not known yet.
    void entered(Context *from = nullptr)
    {
#ifdef CUDA_EMULATION_ASAN
        __sanitizer_finish_switch_fiber(fake_stack, from ? &from->stack : nullptr,
                                        from ? &from->stack_bytes : nullptr);
#else
        static_cast<void>(from);
#endif
    }
};

/// Continues where `registers` were stored. AddressSanitizer's own _longjmp makes the whole stack
/// addressable first: two system calls and a loop over its shadow, two thirds of the time of a
/// fused emulated step. A switch that AddressSanitizer is told of does not need that, so this calls
/// the C library's _longjmp.
inline void jump(jmp_buf registers)
{
#ifdef CUDA_EMULATION_ASAN
    using jump_function = void (*)(jmp_buf, int);
    static const auto of_c_library = reinterpret_cast<jump_function>(dlsym(RTLD_NEXT, "_longjmp"));
    of_c_library(registers, 1);
#else
    _longjmp(registers, 1);
#endif
}

/// Suspends `from` and continues `to`, which begins as `start` if that is given; returns when
/// something switches back. The C library's swapcontext would make a system call each time, which
/// these jumps do not.
[[gnu::noinline]] inline void switch_context(Context &from, Context &to,
                                             const ucontext_t *start = nullptr)
{
    from.leaving(to);
    if (_setjmp(from.registers) == 0) {
        if (start)
            setcontext(start);
        jump(to.registers);
    }
    from.entered();
}

/// A stack, and the CUDA thread which waits on it.
struct Fiber {
    Context context;
    uint3 thread{};
    const char *file = nullptr;
    int line = 0;

    /// Takes a stack above a guard of the same size, wide enough that no usual frame leaps over it.
    Fiber()
    {
        const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
        const size_t wanted = setting("CUDA_EMULATION_STACK", default_stack);
        const size_t bytes = (wanted + page - 1) / page * page;
        void *guard = mmap(nullptr, 2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        context.stack = static_cast<char *>(guard) + bytes;
        context.stack_bytes = bytes;
        if (guard == MAP_FAILED || mprotect(stack(), bytes, PROT_READ | PROT_WRITE) != 0) {
            std::perror("cuda emulation: no memory for a stack");
            std::abort();
        }
    }
    Fiber(const Fiber &) = delete;
    Fiber &operator=(const Fiber &) = delete;

    /// Gives the stack back.
    ~Fiber()
    {
        munmap(static_cast<char *>(stack()) - context.stack_bytes, 2 * context.stack_bytes);
    }

    /// Calls `entry` on the stack; returns when it switches back to `from`.
    void begin(Context &from, void (*entry)())
    {
        ucontext_t start;
        getcontext(&start);
        start.uc_stack.ss_sp = stack();
        start.uc_stack.ss_size = context.stack_bytes;
        start.uc_link = nullptr;
        makecontext(&start, entry, 0);
        switch_context(from, context, &start);
    }

  private:
    /// Lowest address of the stack.
    void *stack() const
    {
        return const_cast<void *>(context.stack);
    }
};

} // namespace cuda_emulation

#endif
