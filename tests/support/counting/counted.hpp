/// A number that counts what is done with it: operations, and values of arrays read and written.
#ifndef SUPPORT_COUNTED_HPP
#define SUPPORT_COUNTED_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <math.h>

#include "support/counting/counting.h"

/// A double, whose name the sources of the stages take for Counted.
using number = double;

class Counted
{
  public:
    Counted() = default;
    /// Implicit, as that of a constant is.
    Counted(number value) : value_(value)
    {
    }
    Counted(const Counted &other) : value_(other.read()), varies_(other.varies())
    {
    }
    Counted &operator=(const Counted &other);

    friend Counted operator+(const Counted &a, const Counted &b)
    {
        return result(&counting_operations::additions, a, b, a.read() + b.read());
    }
    friend Counted operator-(const Counted &a, const Counted &b)
    {
        return result(&counting_operations::additions, a, b, a.read() - b.read());
    }
    friend Counted operator*(const Counted &a, const Counted &b)
    {
        return result(&counting_operations::multiplications, a, b, a.read() * b.read());
    }
    friend Counted operator/(const Counted &a, const Counted &b)
    {
        return result(&counting_operations::divisions, a, b, a.read() / b.read());
    }
    friend Counted sqrt(const Counted &a)
    {
        return result(&counting_operations::roots, a, a, ::sqrt(a.read()));
    }
    /// A sign and a comparison cost nothing.
    friend Counted operator-(const Counted &a)
    {
        return Counted(-a.read(), a.varies());
    }
    friend bool operator<(const Counted &a, const Counted &b)
    {
        return a.read() < b.read();
    }
    friend bool operator>(const Counted &a, const Counted &b)
    {
        return a.read() > b.read();
    }
    friend bool operator<=(const Counted &a, const Counted &b)
    {
        return a.read() <= b.read();
    }
    friend bool operator>=(const Counted &a, const Counted &b)
    {
        return a.read() >= b.read();
    }
    friend Counted fabs(const Counted &a)
    {
        return Counted(::fabs(a.read()), a.varies());
    }
    friend bool operator==(const Counted &a, const Counted &b)
    {
        return a.read() == b.read();
    }
    Counted &operator+=(const Counted &other)
    {
        return *this = *this + other;
    }
    Counted &operator-=(const Counted &other)
    {
        return *this = *this - other;
    }
    Counted &operator*=(const Counted &other)
    {
        return *this = *this * other;
    }

    /// What is counted from now on.
    struct Tally {
        counting_operations on_values = {}, on_constants = {};
        std::vector<bool> read, written; ///< By place in the memory.
    };
    /// The memory of all arrays, and where counts go.
    static std::vector<Counted> memory;
    static Tally *tally;

  private:
    Counted(number value, bool varies) : value_(value), varies_(varies)
    {
    }
    static Counted result(int64_t counting_operations::*kind, const Counted &a, const Counted &b,
                          number value)
    {
        const bool varies = a.varies() || b.varies();
        counting_operations &counts = varies ? tally->on_values : tally->on_constants;
        ++(counts.*kind);
        return Counted(value, varies);
    }
    /// The place in the memory; its size for a number elsewhere.
    size_t place() const
    {
        const auto offset =
            reinterpret_cast<uintptr_t>(this) - reinterpret_cast<uintptr_t>(memory.data());
        const size_t at = offset / sizeof(Counted); // an address below gives a large number
        return at < memory.size() ? at : memory.size();
    }
    bool in_memory() const
    {
        return place() < memory.size();
    }
    bool varies() const
    {
        return varies_ || in_memory();
    }
    number read() const
    {
        if (tally && in_memory())
            tally->read[place()] = true;
        return value_;
    }

    number value_ = 0;
    bool varies_ = false;
};

inline Counted &Counted::operator=(const Counted &other)
{
    value_ = other.read();
    varies_ = other.varies();
    if (tally && in_memory())
        tally->written[place()] = true;
    return *this;
}

#endif
