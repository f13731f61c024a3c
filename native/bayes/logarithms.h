// Logarithms in integers: the same bits on every machine.
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
// For a count of 0: so low that it adds nothing.
constexpr Steps kNoSteps = INT16_MIN;

// 64 log2(value), rounded, of a positive number.
int32_t steps_of(double value);

// Logarithms by tables.
class Weights {
public:
    static const Weights& shared();

    // 64 log2(count), rounded; kNoSteps for 0.
    Steps steps_of(int64_t count) const {
        if (count < kTabled) [[likely]]
            return steps_[static_cast<size_t>(count)];
        return static_cast<Steps>(addhash::steps_of(static_cast<double>(count)));
    }
    // weight(u) = log2(1 + 2^(u / 64)).
    // `steps` is below kHighest.
    Weight operator()(int32_t steps) const {
        return table_[static_cast<size_t>(std::max(steps, kLowest) - kLowest)];
    }

    static constexpr int32_t kLowest = -11 * kSteps;  // the weight rounds to 0 here
    static constexpr int32_t kHighest = 63 * kSteps;

private:
    static constexpr int64_t kTabled = 4096;  // most counts are small

    Weights();
    std::vector<Weight> table_;
    std::vector<Steps> steps_;
};

}  // namespace addhash
