#include "weigh/weigh.h"

#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

TEST(a_weighted_row_is_added_component_by_component) {
    constexpr int64_t kMost = (int64_t{1} << 61) - 1;
    constexpr int64_t kWeights[] = {1, -1, 0, 3, -12345, int64_t{1} << 40, kMost, -kMost};
    Random random(12);
    std::vector<size_t> lengths(std::begin(kEdgeBits), std::end(kEdgeBits));
    lengths.push_back(kMostBits);
    for (size_t bits : lengths) {
        const Bytes row = random_bytes(random, bits / 8);
        std::vector<int64_t> start(bits);
        for (int64_t& sum : start) sum = static_cast<int64_t>(random()) >> 3;
        for (int64_t weight : kWeights) {
            std::vector<int64_t> expected = start;
            for (size_t c = 0; c < bits; ++c) {
                expected[c] += component_bit(row.data(), bits, c) ? weight : -weight;
            }
            for_each_set([&](const Kernels& kernels) {
                std::vector<int64_t> sums = start;
                kernels.add_weighted_row(row.data(), bits, weight, sums.data());
                CHECK(sums == expected);
            });
        }
    }
}
