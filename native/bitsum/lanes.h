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

    // Adds kRowGroup rows, which row(0), row(1) and so on return in order; the carry goes to the
    // planes above, of which there are `levels` in all.
    template <class Row> void add_group(uint64_t* plane, unsigned levels, Row&& row) {
        const auto add_eight = [&](size_t j) {
            const V a = add_four(j, row);
            const V b = add_four(j + 4, row);
            return carry_save(fours, a, b);
        };
        const V a = add_eight(0);
        const V b = add_eight(8);
        ripple(plane, levels, carry_save(eights, a, b));
    }

    // The same for fewer than kRowGroup rows.
    template <class Row> void add_few(uint64_t* plane, unsigned levels, size_t count, Row&& row) {
        size_t j = 0;
        for (; j + 4 <= count; j += 4) {
            V carry = add_four(j, row);
            carry = half_add(fours, carry);
            ripple(plane, levels, half_add(eights, carry));
        }
        for (; j < count; ++j) {
            V carry = half_add(ones, row(j));
            carry = half_add(twos, carry);
            carry = half_add(fours, carry);
            ripple(plane, levels, half_add(eights, carry));
        }
    }

private:
    static V half_add(V& sum, V a) {
        const V carry = sum & a;
        sum = sum ^ a;
        return carry;
    }

    template <class Row> V add_four(size_t j, Row&& row) {
        const V row0 = row(j), row1 = row(j + 1);
        const V a = carry_save(ones, row0, row1);
        const V row2 = row(j + 2), row3 = row(j + 3);
        const V b = carry_save(ones, row2, row3);
        return carry_save(twos, a, b);
    }

    static void ripple(uint64_t* plane, unsigned levels, V carry) {
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

// Adds what waits in `carries`, and up to kRowGroup - 1 rows, to one plane. Leaves the carries for
// the next plane, and returns their number: at most kRowGroup - 1 again.
template <class V, class Row>
inline size_t add_rest(uint64_t* plane, V* carries, size_t waiting, size_t rows, Row&& row) {
    V sum = V::load(plane);
    size_t made = 0, next = 0, j = 0;
    for (; next + 2 <= waiting; next += 2) {
        carries[made++] = carry_save(sum, carries[next], carries[next + 1]);
    }
    if (next < waiting && j < rows) carries[made++] = carry_save(sum, carries[next++], row(j++));
    for (; j + 2 <= rows; j += 2) carries[made++] = carry_save(sum, row(j), row(j + 1));
    if (next < waiting || j < rows) {
        const V last = next < waiting ? carries[next] : row(j);
        carries[made++] = sum & last;
        sum = sum ^ last;
    }
    sum.store(plane);
    return made;
}

template <class V> inline void add_rows_lanes(uint64_t* planes, size_t columns,
                                              const uint8_t* const* rows, const size_t* counts,
                                              unsigned weights, unsigned levels) {
    for (size_t word = 0; word < columns * kColumnWords; word += V::lanes) {
        uint64_t* plane =
            planes + word / kColumnWords * kPlanes * kColumnWords + word % kColumnWords;
        const uint8_t* const* next = rows;
        const auto row = [&](size_t j) {
            return V::load(reinterpret_cast<const uint64_t*>(next[j]) + word);
        };
        V carries[kRowGroup];
        size_t waiting = 0;
        for (unsigned level = 0; level < levels; ++level, plane += kColumnWords) {
            size_t left = level < weights ? counts[level] : 0;
            if (left >= kRowGroup || weights == 1) {
                LowPlanes<V> low(plane);
                for (; left >= kRowGroup; left -= kRowGroup, next += kRowGroup) {
                    low.add_group(plane, levels - level, row);
                }
                if (weights == 1) {
                    low.add_few(plane, levels, left, row);
                    left = 0;
                }
                low.store(plane);
            }
            if (left + waiting > 0) {
                waiting = add_rest(plane, carries, waiting, left, row);
                next += left;
            } else if (level >= weights) {
                break;
            }
        }
    }
}

}  // namespace
}  // namespace addhash
