#include "elementary/elementary.h"

#include <bit>
#include <cmath>
#include <limits>

#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

using Double = std::numeric_limits<double>;

// How far `found` is from a result with more bits than a double has, in units in the last place.
double error_of(double found, long double exact) {
    const auto rounded = static_cast<double>(exact);
    if (found == rounded) return 0;
    const double size = std::max(std::fabs(rounded), Double::min());
    const double unit = std::ldexp(1.0, std::ilogb(size) - 52);
    return static_cast<double>(std::fabs(static_cast<long double>(found) - exact) / unit);
}

uint64_t bits_of(double value) { return std::bit_cast<uint64_t>(value); }

// From all magnitudes, and from those of softmax.
std::vector<double> random_exponents(Random& random, size_t count) {
    std::uniform_real_distribution<double> wide(-760, 720), usual(-40, 0), near(-1, 1);
    std::vector<double> values(count);
    for (size_t i = 0; i < count; ++i) {
        switch (i % 4) {
            case 0: values[i] = wide(random); break;
            case 1: values[i] = usual(random); break;
            case 2: values[i] = near(random); break;
            default: values[i] = std::ldexp(near(random), -static_cast<int>(random() % 1000));
        }
    }
    return values;
}

}  // namespace

TEST(exponentials_are_right_to_the_last_bit_on_every_set) {
    Random random(51);
    const std::vector<double> values = random_exponents(random, 100000);
    std::vector<double> first;
    for_each_set([&](const Kernels& kernels) {
        std::vector<double> found = values;
        kernels.exponentials(found.data(), found.size());
        if (first.empty()) first = found;
        CHECK(same_bits(found.data(), first.data(), found.size()));
    });
    for (size_t i = 0; i < values.size(); ++i) {
        const double error = error_of(first[i], std::exp(static_cast<long double>(values[i])));
        CHECK(error < 1);
    }
}

TEST(exponentials_of_any_number_of_values) {
    constexpr double kOutside = -7;
    Random random(52);
    for (size_t count : kEdgeCounts) {
        const std::vector<double> values = random_exponents(random, count);
        std::vector<double> expected;
        for (double value : values) {
            baseline_kernels().exponentials(&value, 1);
            expected.push_back(value);
        }
        for_each_set([&](const Kernels& kernels) {
            for (size_t before = 0; before < 9; ++before) {
                std::vector<double> found(before + count + 8, kOutside);
                std::copy(values.begin(), values.end(), found.begin() + before);
                kernels.exponentials(found.data() + before, count);
                CHECK(same_bits(found.data() + before, expected.data(), count));
                for (size_t i = 0; i < before; ++i) CHECK(found[i] == kOutside);
                for (size_t i = before + count; i < found.size(); ++i) CHECK(found[i] == kOutside);
            }
        });
    }
}

TEST(exponentials_at_the_edges) {
    constexpr double kInfinity = Double::infinity(), kNaN = Double::quiet_NaN();
    constexpr double kLeast = Double::denorm_min(), kMost = Double::max();
    const std::vector<std::pair<double, double>> edges = {
        {0.0, 1},
        {-0.0, 1},
        {kLeast, 1},
        {-kLeast, 1},
        {1e-300, 1},
        {-0x1p-54, 1},
        {-0x1.1p-53, 1 - 0x1p-53},
        {0x1p-52, 1 + 0x1p-52},
        {1, 0x1.5bf0a8b145769p+1},
        {-1, 0x1.78b56362cef38p-2},
        {-708.3964185322641, 0x1.000000000007cp-1022},  // the last normal number
        {-708.3964185322642, 0x0.ffffffffffe7cp-1022},
        {-745.1, kLeast},
        {-745.1332191019411, kLeast},
        {-745.1332191019412, 0},
        {-745.2, 0},
        {-746, 0},
        {-1e9, 0},
        {-kMost, 0},
        {-kInfinity, 0},
        {709.782712893384, 0x1.fffffffffff2ap+1023},
        {709.7827128933841, kInfinity},
        {709.8, kInfinity},
        {746, kInfinity},
        {kMost, kInfinity},
        {kInfinity, kInfinity},
        {kNaN, kNaN},
        {-kNaN, -kNaN},
    };
    for_each_set([&](const Kernels& kernels) {
        std::vector<double> all;
        for (const auto& [value, expected] : edges) {
            double found = value;
            kernels.exponentials(&found, 1);
            CHECK(bits_of(found) == bits_of(expected));
            all.push_back(value);
        }
        kernels.exponentials(all.data(), all.size());
        for (size_t i = 0; i < all.size(); ++i) CHECK(bits_of(all[i]) == bits_of(edges[i].second));
    });
}

TEST(logarithms_are_right_to_the_last_bit) {
    Random random(53);
    std::uniform_real_distribution<double> near(0.5, 2), wide(0, 1e6), exponent(-1074, 1024);
    for (int i = 0; i < 100000; ++i) {
        const double values[] = {near(random), wide(random), std::exp2(exponent(random)),
                                 static_cast<double>(i + 1)};
        for (double value : values) {
            const double error =
                error_of(logarithm(value), std::log(static_cast<long double>(value)));
            CHECK(error < 1);
        }
    }
}

TEST(logarithms_at_the_edges) {
    constexpr double kInfinity = Double::infinity(), kNaN = Double::quiet_NaN();
    const std::pair<double, double> edges[] = {
        {1, 0},
        {1 + 0x1p-52, 0x1.fffffffffffffp-53},
        {1 - 0x1p-53, -0x1p-53},
        {2, 0x1.62e42fefa39efp-1},
        {0.5, -0x1.62e42fefa39efp-1},
        {Double::denorm_min(), -0x1.74385446d71c3p+9},
        {Double::min(), -0x1.6232bdd7abcd2p+9},
        {Double::max(), 0x1.62e42fefa39efp+9},
        {0.0, -kInfinity},
        {-0.0, -kInfinity},
        {-1, kNaN},
        {-Double::denorm_min(), kNaN},
        {-kInfinity, kNaN},
        {kInfinity, kInfinity},
        {kNaN, kNaN},
        {-kNaN, -kNaN},
    };
    for (const auto& [value, expected] : edges) {
        CHECK(bits_of(logarithm(value)) == bits_of(expected));
    }
}
