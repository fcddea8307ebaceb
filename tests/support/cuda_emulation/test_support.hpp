/// Shared by the tests of the CUDA emulation.
#ifndef CUDA_EMULATION_TEST_SUPPORT_HPP
#define CUDA_EMULATION_TEST_SUPPORT_HPP

#include <cuda_runtime.h>

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include <cmocka.h>
}

/// A value of an environment variable while the object lives.
class Setting
{
  public:
    Setting(const char *name, const char *value) : name_(name)
    {
        setenv(name, value, 1);
    }
    Setting(const Setting &) = delete;
    Setting &operator=(const Setting &) = delete;
    ~Setting()
    {
        unsetenv(name_);
    }

  private:
    const char *name_;
};

/// Captures standard error while the object lives.
class Messages
{
  public:
    Messages() : file_(std::tmpfile()), stderr_(dup(STDERR_FILENO))
    {
        dup2(fileno(file_), STDERR_FILENO);
    }
    Messages(const Messages &) = delete;
    Messages &operator=(const Messages &) = delete;
    ~Messages()
    {
        dup2(stderr_, STDERR_FILENO);
        close(stderr_);
        std::fclose(file_);
    }

    /// Does `text` occur in it?
    bool mention(const char *text) const
    {
        char written[4096] = {};
        return pread(fileno(file_), written, sizeof written - 1, 0) > 0 &&
               std::strstr(written, text);
    }

  private:
    FILE *file_;
    int stderr_;
};

/// Does the action end the program with a failure? Tried in a child process, without its words.
inline bool dies(void (*action)())
{
    const pid_t child = fork();
    if (child == 0) {
        const rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        const Messages silence;
        action();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status != 0;
}

/// Every test begins with a runtime as new, and has to leave no block behind.
inline int begin_test(void **)
{
    return cudaDeviceReset() == cudaSuccess ? 0 : -1;
}

inline int end_test(void **)
{
    return cuda_emulation_live_blocks() == 0 ? 0 : -1;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_test, end_test)

#endif
