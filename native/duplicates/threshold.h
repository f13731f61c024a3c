// When two sets are similar enough, in integers: nothing at the threshold is lost to rounding.
#pragma once

#include <cstdint>

namespace addhash {

enum class Measure {
    jaccard,      // shared / in either
    containment,  // shared / in the smaller
    cosine,       // shared / square root of the product of the sizes
};

// A similarity of at least numerator / denominator, 0 < numerator <= denominator <= kMost.
// Sizes are at least 1 and below 2^32.
class Threshold {
public:
    static constexpr uint64_t kMost = 1'000'000;

    Threshold(Measure measure, uint64_t numerator, uint64_t denominator)
        : measure_(measure), numerator_(numerator), denominator_(denominator) {}

    // The least number of shared tokens, at least 1.
    uint64_t least_shared(uint64_t size, uint64_t other) const;
    // The least size, up to `size`, of a set that can be similar enough to one of `size`.
    uint64_t least_size(uint64_t size) const;

    // The similarity as a number.
    double similarity(uint64_t shared, uint64_t size, uint64_t other) const;

    // Let tokens have any order. A set and a similar one that is no larger share a token among the
    // first probe_prefix tokens of the larger and the first index_prefix ones of the smaller.
    uint64_t probe_prefix(uint64_t size) const {
        return size - least_shared(size, least_size(size)) + 1;
    }
    uint64_t index_prefix(uint64_t size) const { return size - least_shared(size, size) + 1; }

private:
    Measure measure_;
    uint64_t numerator_, denominator_;
};

}  // namespace addhash
