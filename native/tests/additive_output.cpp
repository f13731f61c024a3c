#include <cmath>
#include <limits>

#include "additive/output.h"
#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

Components narrow_of(const std::vector<int16_t>& values) {
    return {values.data(), nullptr, values.size(), 32767, 0, 0};
}

Components wide_of(const std::vector<int64_t>& values, int exponent) {
    return {nullptr, values.data(), values.size(), 0, 0, exponent};
}

template <class T> constexpr ValueType type_of() {
    if constexpr (std::is_same_v<T, float>) return ValueType::float32;
    if constexpr (std::is_same_v<T, double>) return ValueType::float64;
    if constexpr (std::is_same_v<T, int16_t>) return ValueType::int16;
    if constexpr (std::is_same_v<T, int32_t>) return ValueType::int32;
    if constexpr (std::is_same_v<T, int64_t>) return ValueType::int64;
    return ValueType::bits;
}

// Writes to row 1 of 3, and checks that the rows around it are left alone.
template <class T> Status write(const Kernels& kernels, const Components& components, Norm norm,
                                std::vector<T>& row, bool is_streamed = false) {
    const size_t width = row.size();
    std::vector<T> all(3 * width, T{77});
    const Status status = write_vector(kernels, components,
                                       {type_of<T>(), norm, reinterpret_cast<uint8_t*>(all.data()),
                                        width * sizeof(T), is_streamed},
                                       1);
    for (size_t i = 0; i < width; ++i) CHECK(all[i] == T{77} && all[2 * width + i] == T{77});
    row.assign(all.begin() + static_cast<ptrdiff_t>(width),
               all.begin() + static_cast<ptrdiff_t>(2 * width));
    return status;
}

std::vector<int16_t> random_values(Random& random, size_t count) {
    std::vector<int16_t> values;
    for (size_t i = 0; i < count; ++i) {
        values.push_back(static_cast<int16_t>(static_cast<int>(random() % 65535) - 32767));
    }
    return values;
}

long double slow_norm(const std::vector<int64_t>& values, Norm norm) {
    long double size = 0;
    for (int64_t value : values) {
        const auto x = static_cast<long double>(value);
        size += norm == Norm::l1 ? std::fabs(x) : x * x;
    }
    return norm == Norm::l2 ? std::sqrt(size) : size;
}

// Five roundings of 2^-53 each: the value, the sum of the squares, its root, the inverse, the
// product.
bool is_near(double value, long double expected) {
    return std::fabs(value - expected) <= 6e-16L * std::fabs(expected);
}

}  // namespace

TEST(float_vectors_have_norm_one_and_the_same_bits_everywhere) {
    Random random(31);
    for (size_t count : kEdgeBits) {
        const std::vector<int16_t> narrow = random_values(random, count);
        const std::vector<int64_t> wide(narrow.begin(), narrow.end());
        for (Norm norm : {Norm::none, Norm::l1, Norm::l2}) {
            const long double size = norm == Norm::none ? 1 : slow_norm(wide, norm);
            std::vector<double> first(count);
            write(baseline_kernels(), narrow_of(narrow), norm, first);
            for (size_t i = 0; i < count; ++i) {
                CHECK(is_near(first[i], static_cast<long double>(narrow[i]) / size));
            }
            for_each_set([&](const Kernels& kernels) {
                std::vector<double> doubles(count);
                std::vector<float> floats(count);
                for (const Components& components : {narrow_of(narrow), wide_of(wide, 0)}) {
                    CHECK(write(kernels, components, norm, doubles) == Status::done);
                    CHECK(doubles == first);
                    for (bool is_streamed : {false, true}) {
                        write(kernels, components, norm, floats, is_streamed);
                        for (size_t i = 0; i < count; ++i) {
                            CHECK(floats[i] == static_cast<float>(first[i]));
                        }
                    }
                }
            });
        }
    }
}

TEST(a_vector_of_zeros_stays_zero) {
    for_each_set([](const Kernels& kernels) {
        for (Norm norm : {Norm::none, Norm::l1, Norm::l2}) {
            std::vector<double> row(16);
            write(kernels, narrow_of(std::vector<int16_t>(16)), norm, row);
            CHECK(row == std::vector<double>(16));
            write(kernels, wide_of(std::vector<int64_t>(16), 5), norm, row);
            CHECK(row == std::vector<double>(16));
        }
    });
}

TEST(wide_components_are_normalised_without_overflow) {
    Random random(32);
    const Kernels& kernels = active_kernels();
    for (int bits : {20, 40, 53, 54, 60, 61}) {
        std::vector<int64_t> values;
        for (size_t i = 0; i < 4096; ++i) {
            values.push_back(static_cast<int64_t>(random()) >> (63 - bits));
        }
        values[0] = int64_t{1} << bits;
        for (Norm norm : {Norm::l1, Norm::l2}) {
            const long double size = slow_norm(values, norm);
            for (int exponent : {0, -70, 30}) {  // a common factor: it does not change the vector
                std::vector<double> row(values.size());
                CHECK(write(kernels, wide_of(values, exponent), norm, row) == Status::done);
                for (size_t i = 0; i < values.size(); ++i) {
                    CHECK(is_near(row[i], static_cast<long double>(values[i]) / size));
                }
            }
        }
    }
    const std::vector<int64_t> largest(kMostBits, -(int64_t{1} << 61));
    std::vector<double> row(kMostBits);
    write(kernels, wide_of(largest, 0), Norm::l2, row);
    CHECK(is_near(row[0], -1.0L / 1024) && row[0] == row[kMostBits - 1]);
}

TEST(without_a_norm_the_exponent_counts) {
    const std::vector<int64_t> values = {3, -5, 0, int64_t{1} << 60, 1, 2, 4, 8};
    for (int exponent : {0, 1, -1, 10, -60, -1074}) {
        std::vector<double> row(values.size());
        write(active_kernels(), wide_of(values, exponent), Norm::none, row);
        for (size_t i = 0; i < values.size(); ++i) {
            CHECK(row[i] == std::ldexp(static_cast<double>(values[i]), exponent));
        }
    }
}

namespace {

template <class T> void check_integers() {
    constexpr int64_t kLeast = std::numeric_limits<T>::min(), kMost = std::numeric_limits<T>::max();
    const Kernels& kernels = active_kernels();
    std::vector<T> row(8);
    CHECK(write(kernels, wide_of({0, 1, -1, kLeast, kMost, 5, 6, 7}, 0), Norm::none, row) ==
          Status::done);
    CHECK(row == (std::vector<T>{0, 1, -1, std::numeric_limits<T>::min(),
                                 std::numeric_limits<T>::max(), 5, 6, 7}));
    CHECK(write(kernels, narrow_of({0, 1, -1, -32767, 32767, 5, 6, 7}), Norm::none, row) ==
          Status::done);
    CHECK(row == (std::vector<T>{0, 1, -1, -32767, 32767, 5, 6, 7}));
    if constexpr (sizeof(T) < 8) {
        for (int64_t beyond : {kMost + 1, kLeast - 1, int64_t{1} << 40, -(int64_t{1} << 61)}) {
            CHECK(write(kernels, wide_of({0, 0, 0, 0, 0, 0, 0, beyond}, 0), Norm::none, row) ==
                  Status::overflow);
        }
    }
    CHECK(write(kernels, wide_of({1, 2, 3, 4, 5, 6, 7, 8}, -1), Norm::none, row) ==
          Status::fractional);
}

}  // namespace

TEST(integer_vectors_are_exact_or_refused) {
    check_integers<int16_t>();
    check_integers<int32_t>();
    check_integers<int64_t>();
}

TEST(sums_beyond_the_integers_overflow_and_are_not_called_fractional) {
    std::vector<int64_t> row(8);
    CHECK(write(active_kernels(), wide_of({1, 2, 3, 4, 5, 6, 7, 8}, 3), Norm::none, row) ==
          Status::overflow);
}

TEST(signs_are_packed_with_the_first_component_on_top) {
    Random random(33);
    for (size_t count : kEdgeBits) {
        std::vector<int16_t> narrow = random_values(random, count);
        narrow[1] = 0;  // zero is not positive
        const std::vector<int64_t> wide(narrow.begin(), narrow.end());
        Bytes expected(count / 8);
        for (size_t c = 0; c < count; ++c) {
            if (narrow[c] > 0) expected[c / 8] |= static_cast<uint8_t>(0x80 >> c % 8);
        }
        for_each_set([&](const Kernels& kernels) {
            Bytes row(count / 8);
            CHECK(write(kernels, narrow_of(narrow), Norm::none, row) == Status::done);
            CHECK(row == expected);
            CHECK(write(kernels, wide_of(wide, -4), Norm::none, row) == Status::done);
            CHECK(row == expected);
        });
    }
}
