// What each token of a document counts: its weight, and how its number of occurrences enters it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "buckets/buckets.h"

namespace addhash {

// The weights of the tokens in each bucket of the hashing trick.
struct TokenWeights {
    static constexpr uint8_t kMost = 127;

    BucketRule rule;
    std::vector<uint8_t> of;  // one for each bucket, up to kMost

    uint32_t bucket(uint32_t hash) const { return rule.key(hash) >> 1; }
};

struct TokenWeighting {
    const TokenWeights* weights = nullptr;  // without them, each weighs 1, or kUnit if sublinear
    bool is_sublinear = false;              // n occurrences count 1 + ln(n)

    static constexpr uint8_t kUnit = 16;

    bool is_plain() const { return weights == nullptr && !is_sublinear; }
};

// A weight rounded to three significant bits, halves up. Rows are added once for each set bit of
// their weight, and more digits than these make no practical difference.
constexpr int64_t rounded_weight(int64_t weight) {
    if (weight < 8) return weight;
    const int dropped = static_cast<int>(std::bit_width(static_cast<uint64_t>(weight))) - 3;
    return (weight + (int64_t{1} << (dropped - 1))) >> dropped << dropped;
}

// weight * (1 + ln(count)), rounded to three significant bits.
class SublinearWeight {
public:
    SublinearWeight() : factors_(factors()) {}

    // Counts above 65535 count as 65535; the result is at most 1536.
    int64_t operator()(uint8_t weight, uint64_t count) const {
        const int64_t factor = factors_[std::min<uint64_t>(count, kCounts - 1)];
        return rounded_weight((weight * factor + (1 << (kFractionBits - 1))) >> kFractionBits);
    }

private:
    static constexpr size_t kCounts = size_t{1} << 16;
    static constexpr int kFractionBits = 8;

    // 1 + ln(count) in units of 2^-8.
    static const uint16_t* factors();

    const uint16_t* factors_;
};

}  // namespace addhash
