/// Memory in registered blocks between red zones, which betray a write outside a block.
#ifndef CUDA_EMULATION_GUARDED_MEMORY_HPP
#define CUDA_EMULATION_GUARDED_MEMORY_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

namespace cuda_emulation
{

class GuardedMemory
{
  public:
    /// `kind` names the memory in messages.
    explicit GuardedMemory(const char *kind) : kind_(kind)
    {
    }
    GuardedMemory(const GuardedMemory &) = delete;
    GuardedMemory &operator=(const GuardedMemory &) = delete;
    ~GuardedMemory()
    {
        clear();
    }

    /// A new block filled with NaNs, or null if there is no memory.
    void *allocate(size_t bytes, int device)
    {
        if (bytes > SIZE_MAX - 2 * zone_bytes - alignment)
            return nullptr;
        const size_t whole = whole_of(bytes);
        auto *raw = static_cast<unsigned char *>(std::aligned_alloc(alignment, whole));
        if (!raw)
            return nullptr;
        unsigned char *payload = raw + zone_bytes;
        std::memset(payload, 0xFF, bytes);
        std::memcpy(raw, zone_pattern(raw), zone_bytes);
        std::memcpy(payload + bytes, zone_pattern(payload + bytes), zone_bytes);
        blocks_[address(payload)] = {payload, bytes, device, false, -1, false};
        return payload;
    }

    /// By which another process finds a block.
    struct Name {
        int process, file;
        size_t bytes;
    };

    /// Puts the block which begins at `pointer` into memory that other processes can map; false if
    /// there is none, or no such memory.
    bool share(const void *pointer, Name *name)
    {
        const auto found = blocks_.find(address(pointer));
        if (found == blocks_.end() || found->second.is_foreign)
            return false;
        Block &block = found->second;
        if (block.file < 0 && !move_to_file(block))
            return false;
        *name = {getpid(), block.file, block.bytes};
        return true;
    }

    /// The block that another process has shared; null if it cannot be mapped.
    void *open(const Name &name, int device)
    {
        char path[64];
        std::snprintf(path, sizeof path, "/proc/%d/fd/%d", name.process, name.file);
        const int file = name.process != getpid() ? ::open(path, O_RDWR | O_CLOEXEC) : -1;
        if (file < 0)
            return nullptr;
        void *raw =
            mmap(nullptr, whole_of(name.bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        ::close(file);
        if (raw == MAP_FAILED)
            return nullptr;
        unsigned char *payload = static_cast<unsigned char *>(raw) + zone_bytes;
        blocks_[address(payload)] = {payload, name.bytes, device, false, -1, true};
        return payload;
    }

    /// Whether the block which begins at `pointer` is of another process.
    bool is_foreign(const void *pointer) const
    {
        const auto found = blocks_.find(address(pointer));
        return found != blocks_.end() && found->second.is_foreign;
    }

    /// Frees the block which begins at `pointer`; false if there is none.
    bool release(const void *pointer)
    {
        const auto found = blocks_.find(address(pointer));
        if (found == blocks_.end())
            return false;
        const Block &block = found->second;
        unsigned char *raw = block.payload - zone_bytes;
        if (block.is_foreign)
            munmap(raw, whole_of(block.bytes));
        else if (block.file >= 0) /* what the allocator gave */
            mmap(raw, whole_of(block.bytes), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (block.file >= 0)
            ::close(block.file);
        if (!block.is_foreign)
            std::free(raw);
        blocks_.erase(found);
        return true;
    }

    /// Frees every block.
    void clear()
    {
        while (!blocks_.empty())
            release(blocks_.begin()->second.payload);
    }

    /// Does one block hold the whole range?
    bool contains(const void *pointer, size_t bytes) const
    {
        const uintptr_t begin = address(pointer);
        const auto next = blocks_.upper_bound(begin);
        if (next == blocks_.begin())
            return false;
        const auto &[start, block] = *std::prev(next);
        const size_t offset = begin - start;
        return offset <= block.bytes && bytes <= block.bytes - offset;
    }

    /// Does any part of the range lie in a block or its red zones?
    bool touches(const void *pointer, size_t bytes) const
    {
        const uintptr_t begin = address(pointer);
        for (const auto &[start, block] : blocks_)
            if (begin < start + block.bytes + zone_bytes && begin + bytes > start - zone_bytes)
                return true;
        return false;
    }

    /// Whether all red zones are unchanged; reports changed ones, once for each block.
    bool intact(const char *last_kernel)
    {
        bool good = true;
        for (auto &[start, block] : blocks_) {
            const bool before = zone_intact(block, block.payload - zone_bytes, last_kernel);
            const bool after = zone_intact(block, block.payload + block.bytes, last_kernel);
            good = good && before && after;
        }
        return good;
    }

    /// Number of blocks.
    size_t count() const
    {
        return blocks_.size();
    }

    /// Bytes in use on a device.
    size_t used(int device) const
    {
        size_t sum = 0;
        for (const auto &[start, block] : blocks_)
            sum += block.device == device ? block.bytes : 0;
        return sum;
    }

  private:
    struct Block {
        unsigned char *payload;
        size_t bytes;
        int device;
        bool reported;
        int file;        // that other processes map; -1: none
        bool is_foreign; // of another process
    };

    // Whole pages, so that a block can be shared with other processes.
    static constexpr size_t alignment = 4096;
    // Wide enough for a stencil's neighbour in the next row of a small field.
    static constexpr size_t zone_bytes = 4096;
    // Read as float or double a red zone is NaN, so that a read outside a block shows too. It is
    // not the 0xFF of fresh memory, so that a copy of that shows as a write.
    static constexpr std::array<unsigned char, 4> word = {0xC3, 0xA5, 0xF7, 0xFF};

    static size_t whole_of(size_t bytes)
    {
        return (bytes + 2 * zone_bytes + alignment - 1) / alignment * alignment;
    }

    /// Puts the pages of a block into a file in memory, at the same addresses.
    static bool move_to_file(Block &block)
    {
        unsigned char *raw = block.payload - zone_bytes;
        const size_t whole = whole_of(block.bytes);
        block.file = memfd_create("cuda_emulation", MFD_CLOEXEC);
        if (block.file < 0)
            return false;
        if (write(block.file, raw, whole) == static_cast<ssize_t>(whole) &&
            mmap(raw, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, block.file, 0) == raw)
            return true;
        ::close(block.file);
        block.file = -1;
        return false;
    }

    static uintptr_t address(const void *pointer)
    {
        return reinterpret_cast<uintptr_t>(pointer);
    }

    /// Contents of a red zone at `place`.
    static const unsigned char *zone_pattern(const unsigned char *place)
    {
        static const auto pattern = [] {
            std::array<unsigned char, zone_bytes + word.size()> bytes{};
            for (size_t i = 0; i < bytes.size(); ++i)
                bytes[i] = word[i % word.size()];
            return bytes;
        }();
        return pattern.data() + address(place) % word.size();
    }

    /// Whether one red zone is unchanged; reports it if not.
    bool zone_intact(Block &block, const unsigned char *zone, const char *last_kernel)
    {
        const unsigned char *expected = zone_pattern(zone);
        if (std::memcmp(zone, expected, zone_bytes) == 0)
            return true;
        const unsigned char *hit = zone;
        while (*hit == *expected)
            ++hit, ++expected;
        if (!block.reported)
            std::fprintf(stderr,
                         "cuda emulation: write outside a %s block of %zu bytes, at offset %td "
                         "(last kernel: %s)\n",
                         kind_, block.bytes, hit - block.payload, last_kernel);
        block.reported = true;
        return false;
    }

    const char *kind_;
    std::map<uintptr_t, Block> blocks_;
};

} // namespace cuda_emulation

#endif
