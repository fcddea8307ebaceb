/// A number that counts what is done with it: operations, and values of arrays read and written.
#ifndef SUPPORT_COUNTED_HPP
#define SUPPORT_COUNTED_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <math.h>

#include "support/counting/counting.h"

/// A double; in the sources of the stages its name stands for Counted.
using number = double;

class Counted
{
  public:
    Counted() = default;
    /// Implicit, as that of a constant is.
    Counted(number value) : value_(value)
    {
    }
    Counted(const Counted &other)
        : value_(other.read()), origin_(other.origin_), again_(other.again_)
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
        const bool is_square = &a == &b, again = is_square ? a.is_squared_again() : false;
        Counted product = result(&counting_operations::multiplications, a, b, a.read() * b.read(),
                                 again || a.again_ || b.again_);
        product.again_ = again;
        return product;
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
        return Counted(-a.read(), a.origin_);
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
        return Counted(::fabs(a.read()), a.origin_);
    }
    friend bool operator==(const Counted &a, const Counted &b)
    {
        const bool are_equal = a.read() == b.read();
        return are_equal && !values_differ;
    }
    /// While it is set, no two values are equal: a cube vertex always has a mean to compute.
    static bool values_differ;
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

    /// Origin of the operands of an operation: constants alone, values of arrays, padding of an
    /// array.
    enum Origin : unsigned char { CONSTANT, VALUE, PADDING, ORIGINS };

    /// The counts from now on.
    struct Tally {
        counting_operations operations[ORIGINS] = {};
        /// Multiplications for the square of a value, and the factor of that square, if the square
        /// was computed before. They are not among the operations.
        int64_t squares_again = 0;
        std::vector<bool> read, written, squared; ///< By place in the memory.
    };
    /// The memory of all arrays, and where counts go.
    static std::vector<Counted> memory;
    static Tally *tally;

    /// Set the value at a place of the memory, and what the place is.
    static void set(size_t place, number value, Origin origin)
    {
        memory[place].value_ = value;
        memory[place].origin_ = origin;
    }

  private:
    Counted(number value, Origin origin) : value_(value), origin_(origin)
    {
    }
    static Counted result(int64_t counting_operations::*kind, const Counted &a, const Counted &b,
                          number value, bool again = false)
    {
        const Origin origin = a.origin_ > b.origin_ ? a.origin_ : b.origin_;
        ++(again ? tally->squares_again : tally->operations[origin].*kind);
        return Counted(value, origin);
    }
    /// The place in the memory; its size or more for a number elsewhere.
    size_t place() const
    {
        const auto offset =
            reinterpret_cast<uintptr_t>(this) - reinterpret_cast<uintptr_t>(memory.data());
        return offset / sizeof(Counted); // an address below gives a large number
    }
    bool is_squared_again() const
    {
        const size_t at = place();
        if (at >= memory.size())
            return false;
        const bool again = tally->squared[at];
        tally->squared[at] = true;
        return again;
    }
    number read() const
    {
        const size_t at = place();
        if (at < memory.size())
            tally->read[at] = true;
        return value_;
    }

    number value_ = 0;
    Origin origin_ = CONSTANT; ///< A place of the memory keeps its own.
    bool again_ = false;       ///< A square that was computed before.
};

inline Counted &Counted::operator=(const Counted &other)
{
    const size_t at = place();
    value_ = other.read();
    if (at < memory.size()) {
        tally->written[at] = true;
    } else {
        origin_ = other.origin_;
        again_ = other.again_;
    }
    return *this;
}

#endif
