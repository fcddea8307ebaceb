/// Settings from the environment, read anew at each use so that a test can change them.
#ifndef CUDA_EMULATION_ENVIRONMENT_HPP
#define CUDA_EMULATION_ENVIRONMENT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace cuda_emulation
{

/// Ends the program: with a setting misread, a test would check nothing.
[[noreturn]] inline void refuse_setting(const char *name, const char *value)
{
    std::fprintf(stderr, "cuda emulation: cannot read %s=%s\n", name, value);
    std::abort();
}

/// The number which `text` consists of.
inline unsigned long long parse_number(const char *name, const char *text)
{
    char *end = nullptr;
    const unsigned long long number = std::strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0')
        refuse_setting(name, text);
    return number;
}

/// A number from the environment, or `fallback` where it is not set.
inline size_t setting(const char *name, size_t fallback)
{
    const char *text = std::getenv(name);
    return text ? parse_number(name, text) : fallback;
}

/// The order in which blocks, and the threads of a block, run: CUDA_EMULATION_ORDER.
class Order
{
  public:
    /// Reads "forward", "reverse" or "shuffle:SEED".
    Order()
    {
        const char *name = "CUDA_EMULATION_ORDER";
        const char *text = std::getenv(name);
        if (!text || std::strcmp(text, "forward") == 0)
            return;
        reverse_ = std::strcmp(text, "reverse") == 0;
        shuffle_ = std::strncmp(text, "shuffle:", 8) == 0;
        if (shuffle_)
            random_.seed(parse_number(name, text + 8));
        else if (!reverse_)
            refuse_setting(name, text);
    }

    /// The numbers below `count` in the order in which they are to run.
    void fill(std::vector<size_t> &sequence, size_t count)
    {
        sequence.resize(count);
        std::iota(sequence.begin(), sequence.end(), size_t{0});
        if (reverse_)
            std::reverse(sequence.begin(), sequence.end());
        mix(sequence);
    }

    /// Shuffles what is in order already, if shuffling is requested.
    template <typename T> void mix(std::vector<T> &sequence)
    {
        if (shuffle_)
            std::shuffle(sequence.begin(), sequence.end(), random_);
    }

  private:
    bool reverse_ = false;
    bool shuffle_ = false;
    std::minstd_rand random_;
};

} // namespace cuda_emulation

#endif
