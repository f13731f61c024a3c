// Weights as integers on a common scale, so that their sums do not depend on order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace addhash {

struct FixedPoint {
    bool is_finite;
    bool is_unit;  // every weight is 1
    int exponent;  // weight i is about integers[i] * 2^exponent
};

// Rounds finite weights to multiples of one power of two. The sum of all |integers| is below 2^61.
// Integer weights are kept exactly, with exponent 0, if that allows it; otherwise the largest
// weight keeps 61 - bit_width(count) bits, and the others the bits above the same position.
FixedPoint to_fixed_point(const double* weights, size_t count, std::vector<int64_t>& integers);

}  // namespace addhash
