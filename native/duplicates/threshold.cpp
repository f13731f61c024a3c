#include "duplicates/threshold.h"

#include <algorithm>
#include <cmath>

namespace addhash {
namespace {

// Below 2^106: (2^32)^2 * (10^6)^2.
using Wide = unsigned __int128;

uint64_t quotient_up(uint64_t value, uint64_t divisor) { return (value + divisor - 1) / divisor; }

// The least s with (s * denominator)^2 >= value.
uint64_t root_up(Wide value, uint64_t denominator) {
    const auto enough = [&](uint64_t s) {
        return Wide{s} * s * denominator * denominator >= value;
    };
    // The estimate is off by no more than a few units; the loops make it exact.
    auto s = static_cast<uint64_t>(std::sqrt(static_cast<double>(value)) /
                                   static_cast<double>(denominator));
    while (!enough(s)) ++s;
    while (s > 0 && enough(s - 1)) --s;
    return s;
}

}  // namespace

uint64_t Threshold::least_shared(uint64_t size, uint64_t other) const {
    switch (measure_) {
        case Measure::jaccard:  // s / (a + b - s) >= n / d
            return quotient_up(numerator_ * (size + other), numerator_ + denominator_);
        case Measure::containment:
            return quotient_up(numerator_ * std::min(size, other), denominator_);
        case Measure::cosine:
            return root_up(Wide{numerator_} * numerator_ * size * other, denominator_);
    }
    return 1;
}

double Threshold::similarity(uint64_t shared, uint64_t size, uint64_t other) const {
    const auto a = static_cast<double>(size), b = static_cast<double>(other);
    const auto s = static_cast<double>(shared);
    switch (measure_) {
        case Measure::jaccard: return s / (a + b - s);
        case Measure::containment: return s / std::min(a, b);
        case Measure::cosine: return s / std::sqrt(a * b);
    }
    return 0;
}

uint64_t Threshold::least_size(uint64_t size) const {
    switch (measure_) {
        case Measure::jaccard: return quotient_up(numerator_ * size, denominator_);
        case Measure::containment: return 1;
        case Measure::cosine:  // b / sqrt(a b) >= n / d
            return static_cast<uint64_t>(
                (Wide{numerator_} * numerator_ * size + Wide{denominator_} * denominator_ - 1) /
                (Wide{denominator_} * denominator_));
    }
    return 1;
}

}  // namespace addhash
