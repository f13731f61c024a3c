#include <cmath>
#include <limits>

#include "elementary/elementary.h"

namespace addhash {

double logarithm(double x) {
    using Double = std::numeric_limits<double>;
    if (x == 0) return -Double::infinity();
    if (x < 0) return Double::quiet_NaN();
    if (!(x < Double::infinity())) return x;

    // x = 2^exponent (1 + f), where 1 + f is from sqrt(1/2) to sqrt(2).
    constexpr double kRootOfHalf = 0x1.6a09e667f3bcdp-1;
    int whole;
    double part = std::frexp(x, &whole);
    if (part < kRootOfHalf) {
        part *= 2;
        --whole;
    }
    const double exponent = whole, f = part - 1;

    // ln(1 + f) = f - f^2/2 + s (f^2/2 + z (2/3 + z (2/5 + ...))), where s = f / (2 + f), z = s^2.
    const double s = f / (2 + f), z = s * s;
    double series = 0;
    for (int n = 21; n > 1; n -= 2) series = series * z + 2.0 / n;
    const double half = 0.5 * f * f;
    const double small = s * (half + z * series) + exponent * kLn2Low;
    return small - half + f + exponent * kLn2High;
}

}  // namespace addhash
