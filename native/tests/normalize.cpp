#include "normalize/normalize.h"

#include <numbers>

#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

std::vector<size_t> counts() {
    std::vector<size_t> all(std::begin(kEdgeCounts), std::end(kEdgeCounts));
    all.insert(all.end(), std::begin(kEdgeBits), std::end(kEdgeBits));
    all.push_back(kMostBits);
    return all;
}

std::vector<int16_t> random_values(Random& random, size_t count) {
    std::vector<int16_t> values(count);
    for (int16_t& value : values) {
        value = static_cast<int16_t>(static_cast<int>(random() % 65535) - 32767);
    }
    return values;
}

// Checks the norms of `values` on every instruction set.
void check_norms(const std::vector<int16_t>& values) {
    uint64_t squares = 0, magnitudes = 0;
    int16_t largest = 0;
    for (int64_t value : values) {
        largest = std::max(largest, static_cast<int16_t>(value < 0 ? -value : value));
        squares += static_cast<uint64_t>(value * value);
        magnitudes += static_cast<uint64_t>(value < 0 ? -value : value);
    }
    for_each_set([&](const Kernels& kernels) {
        for (int16_t bound : {largest, int16_t{32767}}) {
            CHECK(kernels.sum_squares(values.data(), values.size(), bound) == squares);
        }
        CHECK(kernels.sum_magnitudes(values.data(), values.size()) == magnitudes);
    });
}

}  // namespace

TEST(norms_are_exact_at_every_count) {
    Random random(13);
    for (size_t count : counts()) {
        check_norms(random_values(random, count));
        // The largest values: 2^20 of their squares pass 2^32 by far.
        check_norms(std::vector<int16_t>(count, 32767));
        check_norms(std::vector<int16_t>(count, -32767));
    }
}

TEST(scaled_values_are_rounded_once) {
    // The last one is so near the middle of two floats that a sum of two floats rounds otherwise.
    constexpr double kFactors[] = {
        1, 0.5, 1.0 / 3, 1 / std::numbers::sqrt2, 1e-30, 1e30, 1 + 0x1p-24 + 0x1p-52};
    constexpr size_t kGuarded = 32;
    Random random(14);
    const auto check = [&](const std::vector<int16_t>& values, int16_t largest) {
        const size_t count = values.size();
        for (double factor : kFactors) {
            // The longest go through the loops of the others: one factor will do.
            if (count == kMostBits && factor != kFactors[2]) continue;
            std::vector<double> doubles;
            std::vector<float> floats;
            for (int16_t value : values) {
                const double scaled = static_cast<double>(value) * factor;
                doubles.push_back(scaled);
                floats.push_back(static_cast<float>(scaled));
            }
            for_each_set([&](const Kernels& kernels) {
                std::vector<double> wide(count + kGuarded, -7);
                kernels.scale_to_double(values.data(), count, factor, wide.data());
                CHECK(same_bits(wide.data(), doubles.data(), count));
                for (size_t i = count; i < wide.size(); ++i) CHECK(wide[i] == -7);
                // Streaming stores need alignment: begin at every place of a cache line.
                const size_t shifts = count <= 520 ? 17 : 2;
                for (size_t shift = 0; shift < shifts; ++shift) {
                    for (bool is_streamed : {false, true}) {
                        std::vector<float> out(shift + count + kGuarded, -7);
                        kernels.scale_to_float(values.data(), count, largest, factor, is_streamed,
                                               out.data() + shift);
                        CHECK(same_bits(out.data() + shift, floats.data(), count));
                        for (size_t i = 0; i < shift; ++i) CHECK(out[i] == -7);
                        for (size_t i = shift + count; i < out.size(); ++i) CHECK(out[i] == -7);
                    }
                }
            });
        }
    };
    for (size_t count : counts()) {
        std::vector<int16_t> values = random_values(random, count);
        check(values, 32767);
        // Sums of few tokens.
        for (int16_t largest : {0, 1, 20, 31, 32, 63, 500}) {
            for (int16_t& value : values) {
                value =
                    static_cast<int16_t>(static_cast<int>(random() % (2u * largest + 1)) - largest);
            }
            check(values, largest);
        }
    }
}

TEST(squares_of_wide_sums_are_exact) {
    __extension__ typedef unsigned __int128 uint128;
    Random random(44);
    for (size_t count : {0, 1, 7, 8, 9, 1023, 1024, 1025, 5000}) {
        for (int width : {1, 20, 27, 28, 53, 63}) {
            std::vector<int64_t> values(count);
            for (int64_t& value : values) value = static_cast<int64_t>(random()) >> (63 - width);
            if (count > 0)
                values[count / 2] =
                    -((int64_t{1} << (width - 1)) - 1 + (int64_t{1} << (width - 1)));
            const int shift = width > 53 ? width - 53 : 0;
            uint64_t used = 0;
            uint128 sum = 0;
            for (const int64_t value : values) {
                // -2^63 does not come: sums of weights stay below 2^62.
                const auto size = static_cast<uint64_t>(value < 0 ? -value : value);
                used |= size;
                sum += static_cast<uint128>(size >> shift) * (size >> shift);
            }
            for_each_set([&](const Kernels& kernels) {
                CHECK(kernels.magnitude_bits(values.data(), count) == used);
                if (used >> shift >= uint64_t{1} << 53) return;
                const WideSquares squares = kernels.sum_wide_squares(values.data(), count, shift);
                CHECK(squares.high == static_cast<uint64_t>(sum >> 64));
                CHECK(squares.low == static_cast<uint64_t>(sum));
                std::vector<double> doubles(count);
                kernels.scale_wide_to_double(values.data(), count, 0.1, doubles.data());
                for (size_t i = 0; i < count; ++i) {
                    CHECK(doubles[i] == static_cast<double>(values[i]) * 0.1);
                }
                for (size_t before = 0; before < 9; ++before) {
                    std::vector<float> floats(count + 9, -7);
                    kernels.scale_wide_to_float(values.data(), count, 0.1, before % 2 == 0,
                                                floats.data() + before);
                    for (size_t i = 0; i < floats.size(); ++i) {
                        const bool is_written = i >= before && i < before + count;
                        CHECK(floats[i] ==
                              (is_written ? static_cast<float>(doubles[i - before]) : -7));
                    }
                }
            });
        }
    }
}
