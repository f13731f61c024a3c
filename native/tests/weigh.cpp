#include "weigh/weigh.h"

#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

void check_weighted_rows(Random& random, size_t bits, const std::vector<int64_t>& weights) {
    const size_t columns = (bits / 8 + 63) / 64;
    std::vector<Bytes> held;
    std::vector<const uint8_t*> rows;
    for (size_t i = 0; i < weights.size(); ++i) {
        held.push_back(random_bytes(random, bits / 8));
        held.back().resize(64 * columns);
    }
    for (const Bytes& row : held) rows.push_back(row.data());
    std::vector<int64_t> start(bits);
    for (int64_t& sum : start) sum = static_cast<int64_t>(random()) >> 3;
    int64_t total = 0;
    for (int64_t weight : weights) total += weight;
    for (bool is_first : {false, true}) {
        // Whatever the total is, it is taken away once.
        const int64_t more = is_first ? 0 : 77;
        std::vector<int64_t> expected = is_first ? std::vector<int64_t>(bits) : start;
        for (int64_t& sum : expected) sum -= more;
        for (size_t i = 0; i < weights.size(); ++i) {
            for (size_t c = 0; c < bits; ++c) {
                expected[c] += component_bit(rows[i], bits, c) ? weights[i] : -weights[i];
            }
        }
        for_each_set([&](const Kernels& kernels) {
            std::vector<int64_t> sums = start;
            kernels.add_weighted_rows(rows.data(), weights.data(), weights.size(), total + more,
                                      bits, is_first, sums.data());
            CHECK(sums == expected);
        });
    }
}

}  // namespace

TEST(weighted_rows_are_added_component_by_component) {
    constexpr int64_t kMost = (int64_t{1} << 58) - 1;
    const std::vector<int64_t> weights = {1, -1, 0, 3, -12345, int64_t{1} << 40, kMost, -kMost};
    Random random(12);
    std::vector<size_t> lengths(std::begin(kEdgeBits), std::end(kEdgeBits));
    lengths.push_back(kMostBits);
    for (size_t bits : lengths) {
        for (size_t count = 0; count <= weights.size(); ++count) {
            check_weighted_rows(random, bits, {weights.begin(), weights.begin() + count});
        }
    }
}

// AVX-512 takes eight rows at a time, and up to eight such groups.
TEST(weighted_rows_are_added_in_groups) {
    Random random(14);
    for (size_t count : {9, 15, 16, 17, 56, 63, 64, 65, 71, 72, 73, 128, 129}) {
        std::vector<int64_t> weights(count);
        for (int64_t& weight : weights) weight = static_cast<int64_t>(random()) >> 12;
        check_weighted_rows(random, 520, weights);
    }
}

TEST(narrow_sums_are_added_to_wide_ones) {
    Random random(13);
    for (size_t count : {0, 1, 7, 8, 9, 63, 64, 65, 520}) {
        std::vector<int16_t> narrow(count);
        for (int16_t& value : narrow) value = static_cast<int16_t>(random());
        std::vector<int64_t> start(count), expected(count);
        for (size_t i = 0; i < count; ++i) {
            start[i] = static_cast<int64_t>(random()) >> 2;
            expected[i] = start[i] + narrow[i];
        }
        for_each_set([&](const Kernels& kernels) {
            std::vector<int64_t> wide = start;
            kernels.add_narrow(narrow.data(), count, wide.data());
            CHECK(wide == expected);
        });
    }
}
