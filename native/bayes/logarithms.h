// Logarithms in whole numbers: the same bits on every machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace addhash {

// Steps of 1/64 of an octave: counts differ by 1 % from one to the next.
constexpr int32_t kSteps = 64;
// Weights are in units of 2^-9 bits, and fit into 16.
constexpr unsigned kWeightBits = 9;

using Weight = int16_t;

using Steps = int16_t;
// Of a count of 0: so low that nothing is added to it.
constexpr Steps kNoSteps = INT16_MIN;

// 64 log2(count), rounded; kNoSteps for 0.
Steps steps_of(int64_t count);
// The same of a positive number that need not be whole.
int32_t steps_of(double value);

// weight(u) = log2(1 + 2^(u / 64)), by a table.
class Weights {
public:
    static const Weights& shared();

    // `steps` is below kHighest.
    Weight operator()(int32_t steps) const {
        return table_[static_cast<size_t>(std::max(steps, kLowest) - kLowest)];
    }

    static constexpr int32_t kLowest = -11 * kSteps;  // the weight rounds to 0 here
    static constexpr int32_t kHighest = 63 * kSteps;

private:
    Weights();
    std::vector<Weight> table_;
};

}  // namespace addhash
