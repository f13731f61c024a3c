#include "weigh/weigh.h"

#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

TEST(weighted_rows_are_added_component_by_component) {
    constexpr int64_t kMost = (int64_t{1} << 58) - 1;
    constexpr int64_t kWeights[] = {1, -1, 0, 3, -12345, int64_t{1} << 40, kMost, -kMost};
    Random random(12);
    std::vector<size_t> lengths(std::begin(kEdgeBits), std::end(kEdgeBits));
    lengths.push_back(kMostBits);
    for (size_t bits : lengths) {
        const size_t columns = (bits / 8 + 63) / 64;
        std::vector<Bytes> held;
        std::vector<const uint8_t*> rows;
        for (size_t i = 0; i < std::size(kWeights); ++i) {
            held.push_back(random_bytes(random, bits / 8));
            held.back().resize(64 * columns);
            rows.push_back(held.back().data());
        }
        std::vector<int64_t> start(bits);
        for (int64_t& sum : start) sum = static_cast<int64_t>(random()) >> 3;
        for (size_t count = 0; count <= std::size(kWeights); ++count) {
            std::vector<int64_t> expected = start;
            for (size_t i = 0; i < count; ++i) {
                for (size_t c = 0; c < bits; ++c) {
                    expected[c] += component_bit(rows[i], bits, c) ? kWeights[i] : -kWeights[i];
                }
            }
            for_each_set([&](const Kernels& kernels) {
                std::vector<int64_t> sums = start;
                kernels.add_weighted_rows(rows.data(), kWeights, count, bits, sums.data());
                CHECK(sums == expected);
            });
        }
    }
}

TEST(narrow_sums_are_added_with_their_unit) {
    Random random(13);
    for (size_t count : {0, 1, 7, 8, 9, 63, 64, 65, 520}) {
        std::vector<int16_t> narrow(count);
        for (int16_t& value : narrow) value = static_cast<int16_t>(random());
        for (int64_t unit : {int64_t{1}, int64_t{-5}, (int64_t{1} << 46) + 1}) {
            std::vector<int64_t> start(count), expected(count);
            for (size_t i = 0; i < count; ++i) {
                start[i] = static_cast<int64_t>(random()) >> 2;
                expected[i] = start[i] + unit * narrow[i];
            }
            for_each_set([&](const Kernels& kernels) {
                std::vector<int64_t> wide = start;
                kernels.add_narrow(narrow.data(), count, unit, wide.data());
                CHECK(wide == expected);
            });
        }
    }
}
