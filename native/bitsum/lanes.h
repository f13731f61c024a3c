// A carry-save adder over bit rows (Harley-Seal), written once for any register width.
#pragma once

#include "bitsum/bitsum.h"
#include "simd/bytes.h"

namespace addhash {
namespace {

// sum + a + b = 2 * (the returned carry) + sum
template <class V> inline V carry_save(V& sum, V a, V b) {
    const V carry = V::majority(sum, a, b);
    sum = V::xor3(sum, a, b);
    return carry;
}

// The lowest four planes of some columns, while rows are added.
template <class V> struct LowPlanes {
    V ones, twos, fours, eights;

    explicit LowPlanes(const uint64_t* plane)
        : ones(V::load(plane)),
          twos(V::load(plane + kColumnWords)),
          fours(V::load(plane + 2 * kColumnWords)),
          eights(V::load(plane + 3 * kColumnWords)) {}

    void store(uint64_t* plane) const {
        ones.store(plane);
        twos.store(plane + kColumnWords);
        fours.store(plane + 2 * kColumnWords);
        eights.store(plane + 3 * kColumnWords);
    }

    // Adds kRowGroup rows, which row(0), row(1) and so on give in order; the carry goes to the
    // planes above, of which there are `levels` in all.
    template <class Row> void add_group(uint64_t* plane, unsigned levels, Row&& row) {
        const auto add_four = [&](size_t j) {
            const V row0 = row(j), row1 = row(j + 1);
            const V a = carry_save(ones, row0, row1);
            const V row2 = row(j + 2), row3 = row(j + 3);
            const V b = carry_save(ones, row2, row3);
            return carry_save(twos, a, b);
        };
        const auto add_eight = [&](size_t j) {
            const V a = add_four(j);
            const V b = add_four(j + 4);
            return carry_save(fours, a, b);
        };
        const V a = add_eight(0);
        const V b = add_eight(8);
        V carry = carry_save(eights, a, b);
        for (unsigned level = 4; level < levels; ++level) {
            const V old = V::load(plane + level * kColumnWords);
            (old ^ carry).store(plane + level * kColumnWords);
            carry = old & carry;
        }
    }
};

template <class V, class Row> inline void add_group(uint64_t* plane, unsigned levels, Row&& row) {
    LowPlanes<V> low(plane);
    low.add_group(plane, levels, row);
    low.store(plane);
}

template <class V> inline void add_rows_lanes(uint64_t* planes, size_t columns,
                                              const uint8_t* const* rows, size_t count,
                                              unsigned levels) {
    for (size_t word = 0; word < columns * kColumnWords; word += V::lanes) {
        uint64_t* plane =
            planes + word / kColumnWords * kPlanes * kColumnWords + word % kColumnWords;
        LowPlanes<V> low(plane);
        for (size_t i = 0; i < count; i += kRowGroup) {
            low.add_group(plane, levels, [&](size_t j) {
                return V::load(reinterpret_cast<const uint64_t*>(rows[i + j]) + word);
            });
        }
        low.store(plane);
    }
}

}  // namespace
}  // namespace addhash
