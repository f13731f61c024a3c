#include <cmath>
#include <limits>

#include "exact_sums/digits.h"
#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

// Carried digits as a plain sum, exact for what the tests add: integers times 2^exponent.
template <class T> std::vector<int64_t> digits_of(const std::vector<T>& values) {
    std::vector<int64_t> digits(80);
    for (T value : values) {
        int exponent;
        const double fraction = std::frexp(static_cast<double>(value), &exponent);
        auto integer = static_cast<int64_t>(std::ldexp(std::fabs(fraction), 53));
        const int place = exponent - 53 + 32 * kUnitLimb;
        for (int bit = 0; integer != 0; ++bit, integer >>= 1) {
            if ((integer & 1) == 0) continue;
            const int64_t part = int64_t{1} << ((place + bit) % 32);
            digits[(place + bit) / 32] += value < 0 ? -part : part;
        }
    }
    for (size_t j = 0; j + 1 < digits.size(); ++j) {
        const int64_t carry = (digits[j] + (int64_t{1} << 31)) >> 32;
        digits[j] -= carry * (int64_t{1} << 32);
        digits[j + 1] += carry;
    }
    return digits;
}

template <class T> void check_sums(const std::vector<T>& values) {
    const LimbRange range = limbs_of(values.data(), values.size());
    std::vector<int64_t> found(80);
    if (range.first <= range.last) {
        std::vector<int64_t> limbs(range.last - range.first + 1);
        const std::vector<int64_t> groups(values.size(), 0);
        add_digits(values.data(), values.size(), 1, groups.data(), 1, range.first, 1, limbs.data(),
                   1);
        std::copy(limbs.begin(), limbs.end(), found.begin() + range.first);
        add_digits(values.data(), values.size(), 1, groups.data(), 1, range.first, -1, limbs.data(),
                   2);
        CHECK(std::all_of(limbs.begin(), limbs.end(), [](int64_t x) { return x == 0; }));
    }
    for (size_t j = 0; j + 1 < found.size(); ++j) {
        const int64_t carry = (found[j] + (int64_t{1} << 31)) >> 32;
        found[j] -= carry * (int64_t{1} << 32);
        found[j + 1] += carry;
    }
    CHECK(found == digits_of(values));
}

}  // namespace

TEST(exact_sums_of_floats_equal_sums_bit_by_bit) {
    using Double = std::numeric_limits<double>;
    using Float = std::numeric_limits<float>;
    check_sums<double>({});
    check_sums<double>({0.0, -0.0});
    check_sums<double>({1e16, 0.1, 1.0, -1e16, 1e-300});
    check_sums<double>({Double::denorm_min(), Double::min(), 1e120, -Double::denorm_min()});
    check_sums<float>({0.1f, -0.2f, Float::denorm_min(), Float::min(), Float::max(), -1e-20f});
    Random random(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<double> doubles;
        std::vector<float> floats;
        for (int i = 0; i < 50; ++i) {
            const auto exponent = static_cast<int>(random() % 200) - 100;
            const double value =
                std::ldexp(static_cast<double>(static_cast<int64_t>(random())), exponent);
            doubles.push_back(value);
            floats.push_back(static_cast<float>(std::ldexp(value, -63 - exponent / 2)));
        }
        check_sums(doubles);
        check_sums(floats);
    }
}

TEST(exact_sums_of_integers_go_to_their_groups) {
    const std::vector<int32_t> vectors = {1, -2, 3, 4, INT32_MAX, INT32_MIN};
    const std::vector<int64_t> groups = {1, 0, 1};
    std::vector<int64_t> digits(4);
    add_digits(vectors.data(), 3, 2, groups.data(), 2, kUnitLimb, 1, digits.data(), 1);
    CHECK((digits == std::vector<int64_t>{3, 4, int64_t{1} + INT32_MAX, int64_t{-2} + INT32_MIN}));
    const std::vector<int64_t> wide = {(int64_t{1} << 53) - 1, -(int64_t{1} << 53) + 1};
    std::vector<int64_t> limbs(4);
    const std::vector<int64_t> one = {0};
    add_digits(wide.data(), 1, 2, one.data(), 1, kUnitLimb, 1, limbs.data(), 3);
    for (int c = 0; c < 2; ++c) CHECK(limbs[c] + (limbs[2 + c] << 32) == wide[c]);
}
