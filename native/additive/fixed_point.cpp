#include "additive/fixed_point.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace addhash {
namespace {

bool is_whole(double weight) {
    constexpr double kAllWhole = 0x1p53;  // from here on
    // The answer for NaN does not matter; it is refused later.
    if (!(std::fabs(weight) < kAllWhole)) return true;
    return static_cast<double>(static_cast<int64_t>(weight)) == weight;
}

}  // namespace

FixedPoint to_fixed_point(const double* weights, size_t count, std::vector<int64_t>& integers) {
    constexpr int kBits = 61;
    constexpr int kMostExponent = 1000;  // 2^-exponent and 2^exponent are normal numbers
    if (std::all_of(weights, weights + count, [](double weight) { return weight == 1; })) {
        integers.assign(count, 1);
        return {true, true, 0};
    }
    double largest = 0;
    bool is_finite = true, is_integral = true;
    for (size_t i = 0; i < count; ++i) {
        is_finite &= std::isfinite(weights[i]);
        largest = std::max(largest, std::fabs(weights[i]));
        is_integral = is_integral && is_whole(weights[i]);
    }
    if (!is_finite) return {false, false, 0};
    integers.assign(count, 0);
    if (largest == 0) return {true, false, 0};
    // |weight| < 2^top, so with this exponent `count` of them sum to less than 2^kBits.
    const int top = std::ilogb(largest) + 1;
    const int exponent = top + static_cast<int>(std::bit_width(count)) - kBits;
    const int used = is_integral && exponent <= 0 ? 0 : exponent;
    // Rounds to even; exact unless the weight has bits below 2^used. A product that is too small
    // to be exact rounds to 0 all the same.
    const bool is_common = std::abs(used) <= kMostExponent;
    const double factor = is_common ? std::ldexp(1.0, -used) : 0;
    const auto rounded = [&](double weight) -> int64_t {
        return std::llrint(is_common ? weight * factor : std::ldexp(weight, -used));
    };
    for (size_t i = 0; i < count; ++i) integers[i] = rounded(weights[i]);
    return {true, false, used};
}

}  // namespace addhash
