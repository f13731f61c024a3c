#include "additive/fixed_point.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace addhash {

FixedPoint to_fixed_point(const double* weights, size_t count, std::vector<int64_t>& integers) {
    constexpr int kBits = 61;
    double largest = 0;
    bool is_unit = true;
    bool is_integral = true;
    for (size_t i = 0; i < count; ++i) {
        if (!std::isfinite(weights[i])) return {false, false, 0};
        largest = std::max(largest, std::fabs(weights[i]));
        is_unit &= weights[i] == 1;
        is_integral &= weights[i] == std::trunc(weights[i]);
    }
    integers.assign(count, 0);
    if (largest == 0) return {true, is_unit, 0};
    // |weight| < 2^top, so with this exponent `count` of them sum to less than 2^kBits.
    const int top = std::ilogb(largest) + 1;
    const int exponent = top + static_cast<int>(std::bit_width(count)) - kBits;
    const int used = is_integral && exponent <= 0 ? 0 : exponent;
    for (size_t i = 0; i < count; ++i) {
        // Rounds to even; exact unless the weight has bits below 2^used.
        integers[i] = static_cast<int64_t>(std::nearbyint(std::ldexp(weights[i], -used)));
    }
    return {true, is_unit, used};
}

}  // namespace addhash
