#include "bayes/logarithms.h"

#include <cmath>

namespace addhash {

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

int32_t logarithm_of(double value) {
    return static_cast<int32_t>((digits_of_log2(value, kLogBits + 1) + 1) >> 1);
}

const Logarithms& Logarithms::shared() {
    static const Logarithms logarithms;
    return logarithms;
}

Logarithms::Logarithms() {
    for (int64_t i = 0; i <= kTabled; ++i) {
        const double mantissa = 1 + static_cast<double>(i) / kTabled;
        mantissas_.push_back(static_cast<int32_t>((digits_of_log2(mantissa, 21) + 1) >> 1));
    }
    levels_.push_back(0);
    for (int64_t count = 1; count < kTabled; ++count) {
        const int64_t digits = digits_of_log2(static_cast<double>(count), 3);
        levels_.push_back(static_cast<uint8_t>((digits + 1) >> 1));
    }
    constexpr int32_t kPerOctave = 1 << (kLogBits - kBetweenBits);
    double step = 2;  // 2^(1 / kPerOctave)
    for (int32_t i = 1; i < kPerOctave; i *= 2) step = std::sqrt(step);
    for (int32_t octave = kLowest >> kLogBits; octave <= kHighest >> kLogBits; ++octave) {
        double power = std::ldexp(1.0, octave);
        for (int32_t i = 0; i < kPerOctave; ++i, power *= step) {
            sums_.push_back(logarithm_of(1 + power));
        }
    }
}

}  // namespace addhash
