// Exact sums of numbers: digits of base 2^32 that are added without any rounding.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

// Limb j of a sum weighs 2^(32 * (j - kUnitLimb)): below the limb that counts units there is room
// for the smallest double.
constexpr int kUnitLimb = 36;

// The limbs that finite numbers need; none if first > last.
struct LimbRange {
    int first;
    int last;
};

template <class T> LimbRange limbs_of(const T* values, size_t count);

// Adds sign * vectors[i] to the digits of groups[i]: digits[limb][group][component], the first
// limb being `first`, as limbs_of told. `groups` are below n_groups. A value adds less than 2^33
// to a digit, so that 2^30 vectors fit. Threads share the components, a few hundred at a time,
// whose digits stay in the cache.
template <class T> void add_digits(const T* vectors, size_t n_vectors, size_t width,
                                   const int64_t* groups, size_t n_groups, int first, int sign,
                                   int64_t* digits, size_t threads);

}  // namespace addhash
