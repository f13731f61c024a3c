#include "bayes/logarithms.h"

#include <cmath>

namespace addhash {
namespace {

// log2(value) with `digits` binary digits after the point, rounded down, for values above 0.
// Squares and halves alone: IEEE arithmetic gives every machine the same digits, which log2() does
// not.
int64_t digits_of_log2(double value, int digits) {
    int exponent = 0;
    double rest = 2 * std::frexp(value, &exponent);  // from 1 to 2
    int64_t result = exponent - 1;
    for (int i = 0; i < digits; ++i) {
        rest *= rest;
        result *= 2;
        if (rest >= 2) {
            rest /= 2;
            ++result;
        }
    }
    return result;
}

}  // namespace

int32_t steps_of(double value) {
    static_assert(kSteps == 1 << 6);
    return static_cast<int32_t>((digits_of_log2(value, 7) + 1) >> 1);
}

const Weights& Weights::shared() {
    static const Weights weights;
    return weights;
}

Weights::Weights() {
    steps_.push_back(kNoSteps);
    for (int64_t count = 1; count < kTabled; ++count) {
        steps_.push_back(static_cast<Steps>(addhash::steps_of(static_cast<double>(count))));
    }
    double step = 2;  // 2^(1 / 64)
    for (int32_t i = 1; i < kSteps; i *= 2) step = std::sqrt(step);
    double within = 1;
    table_.reserve(static_cast<size_t>(kHighest - kLowest));
    for (int32_t steps = kLowest; steps < kHighest; ++steps) {
        const int32_t octave = steps >= 0 ? steps / kSteps : -((kSteps - 1 - steps) / kSteps);
        within = steps == octave * kSteps ? 1 : within * step;
        const double power = std::ldexp(within, octave);
        table_.push_back(
            static_cast<Weight>((digits_of_log2(1 + power, kWeightBits + 1) + 1) >> 1));
    }
}

}  // namespace addhash
