// Elementary functions that have the same bits everywhere: those of libm and NumPy choose their
// code by the processor, and their last bit with it.
#pragma once

#include <cstddef>

namespace addhash {

// values[i] = e^values[i], for any double: 0, subnormal numbers and infinity where they belong,
// NaN for NaN. The error is below 1 unit in the last place.
using Exponentials = void (*)(double* values, size_t count);

// The natural logarithm of any double: -infinity for 0, NaN below, infinity and NaN as they are.
// The error is below 1 unit in the last place.
double logarithm(double x);

// ln 2 as a sum. The first part has 32 bits, so its product with an exponent is exact.
constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

}  // namespace addhash
