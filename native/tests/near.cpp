#include "near/near.h"

#include <bit>

#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

TEST(near_signatures_are_selected) {
    Random random(81);
    for (size_t words : {1, 2, 4, 8}) {
        for (size_t count : kEdgeCounts) {
            std::vector<std::vector<uint64_t>> held(words, std::vector<uint64_t>(count));
            std::vector<const uint64_t*> columns;
            std::vector<uint64_t> signature(words);
            for (uint64_t& word : signature) word = random();
            for (size_t w = 0; w < words; ++w) {
                for (uint64_t& word : held[w]) {
                    // All bits, none, or some differ.
                    const uint64_t kind = random() % 4;
                    word = signature[w] ^ (kind == 0   ? 0
                                           : kind == 1 ? ~uint64_t{0}
                                                       : random() & random());
                }
                columns.push_back(held[w].data());
            }
            std::vector<uint16_t> most(count);
            for (uint16_t& bound : most) bound = static_cast<uint16_t>(random() % (64 * words + 2));
            if (count > 0) most[0] = UINT16_MAX;
            const size_t first = count > 3 ? 3 : 0;
            const auto more = static_cast<uint16_t>(count % 3 == 0 ? random() % 70 : 0);
            std::vector<uint32_t> expected;
            for (size_t i = first; i < count; ++i) {
                int bits = 0;
                for (size_t w = 0; w < words; ++w) bits += std::popcount(held[w][i] ^ signature[w]);
                if (bits <= most[i] + more) expected.push_back(static_cast<uint32_t>(i));
            }
            for_each_set([&](const Kernels& kernels) {
                std::vector<uint32_t> near(count + 16);
                const size_t found =
                    kernels.select_near(columns.data(), words, signature.data(), most.data(), more,
                                        first, count, near.data());
                near.resize(found);
                CHECK(near == expected);
            });
        }
    }
}
