// Logarithms in integers: the same bits on every machine.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace addhash {

// Logarithms are in units of 2^-16: octaves of counts, and bits of what is expected.
constexpr unsigned kLogBits = 16;
// The evidence of counts is in units of 2^-9 bits, and fits into 16.
constexpr unsigned kWeightBits = 9;

using Weight = int16_t;

// For a count of 0: so low that it adds nothing.
constexpr int32_t kNoLogarithm = INT32_MIN / 2;

// log2(value) with `digits` binary digits after the point, rounded down, for values above 0.
int64_t digits_of_log2(double value, int digits);

// 2^16 log2(value), rounded, of a positive number.
int32_t logarithm_of(double value);

// Logarithms by tables.
class Logarithms {
public:
    static const Logarithms& shared();

    // 2^16 log2(count), to one unit; kNoLogarithm for 0. It never falls as the count rises.
    int32_t of(int64_t count) const {
        if (count == 0) return kNoLogarithm;
        const auto octave = static_cast<int>(std::bit_width(static_cast<uint64_t>(count))) - 1;
        const uint64_t rest = static_cast<uint64_t>(count) << (63 - octave) << 1;
        const auto at = static_cast<size_t>(rest >> (64 - kTabledBits));
        const auto between = static_cast<int64_t>(rest << kTabledBits >> 48);
        const int64_t low = mantissas_[at], high = mantissas_[at + 1];
        const int64_t found = low + ((high - low) * between >> 16);
        return (octave << kLogBits) + static_cast<int32_t>((found + 8) >> 4);
    }
    // 2^16 log2(1 + 2^(u / 2^16)), between table entries on a straight line. It is 0 for the lowest
    // u, and no more than that of kHighest.
    int32_t of_sum(int32_t u) const {
        u = std::clamp(u, kLowest, kHighest) - kLowest;
        const int32_t* at = sums_.data() + (u >> kBetweenBits);
        const int32_t between = u & ((1 << kBetweenBits) - 1);
        return at[0] + ((at[1] - at[0]) * between >> kBetweenBits);
    }
    // 4 log2(count), rounded, of a positive number. It never falls as the count rises.
    uint32_t level_of(int64_t count) const {
        if (count < kTabled) [[likely]]
            return levels_[static_cast<size_t>(count)];
        const int shift =
            static_cast<int>(std::bit_width(static_cast<uint64_t>(count))) - kTabledBits;
        return levels_[static_cast<size_t>(count >> shift)] + 4 * static_cast<uint32_t>(shift);
    }
    static constexpr uint32_t kLevels = 256;
    static constexpr int32_t kOfLevel = 1
                                        << (kLogBits - 2);  // the logarithm that a level stands for

    static constexpr int32_t kLowest = -(18 << kLogBits);  // the sum rounds to 0 here
    static constexpr int32_t kHighest = 63 << kLogBits;

private:
    static constexpr int kTabledBits = 12;
    static constexpr int64_t kTabled = 1 << kTabledBits;  // most counts are small
    static constexpr int kBetweenBits = 10;               // of_sum has a value for each 1/64 octave

    Logarithms();
    std::vector<int32_t> mantissas_;  // 2^20 log2(1 + i / 2^12)
    std::vector<int32_t> sums_;
    std::vector<uint8_t> levels_;
};

}  // namespace addhash
