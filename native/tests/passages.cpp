#include <algorithm>
#include <map>
#include <numeric>

#include "passages/suffix_array.h"
#include "passages/window_filter.h"
#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

TEST(suffixes_are_in_order) {
    Random random(83);
    for (int32_t symbols : {1, 2, 3, 30, 1000}) {
        for (size_t size : {0, 1, 2, 3, 7, 8, 9, 64, 200, 1000}) {
            std::vector<int32_t> text(size);
            for (int32_t& symbol : text) symbol = static_cast<int32_t>(random() % symbols);
            // The second half is often the first one again.
            if (random() % 2) std::copy_n(text.begin(), size / 2, text.end() - size / 2);
            std::vector<int32_t> expected(size);
            std::iota(expected.begin(), expected.end(), 0);
            std::sort(expected.begin(), expected.end(), [&](int32_t a, int32_t b) {
                return std::lexicographical_compare(text.begin() + a, text.end(), text.begin() + b,
                                                    text.end());
            });
            const std::vector<int32_t> order = suffix_array(text, symbols);
            CHECK(order == expected);
            const std::vector<int32_t> common = common_prefixes(text, order);
            CHECK(common.size() == size);
            for (size_t i = 1; i < size; ++i) {
                const auto a = text.begin() + order[i - 1], b = text.begin() + order[i];
                const auto differ = std::mismatch(a, text.end(), b, text.end());
                CHECK(common[i] == differ.first - a);
            }
        }
    }
}

TEST(no_window_that_recurs_is_lost) {
    Random random(89);
    for (size_t bytes : {0, 8, 1000, 100000}) {
        SeenBefore seen(bytes);
        HashCounts counts;
        std::map<uint64_t, uint32_t> texts;  // how many have each
        std::vector<std::vector<uint64_t>> all;
        for (size_t text = 0; text < 50; ++text) {
            std::vector<uint64_t>& hashes = all.emplace_back();
            for (size_t i = 0; i < 100; ++i) {
                hashes.push_back((random() % 2000) * 0x9E3779B97F4A7C15);
            }
            std::vector<uint64_t> again, distinct = hashes;
            seen.see(hashes, again);
            counts.add(again);
            std::sort(distinct.begin(), distinct.end());
            distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
            for (uint64_t hash : distinct) ++texts[hash];
        }
        counts.seal();
        CHECK(counts.size() <= texts.size());
        for (size_t text = 0; text < all.size(); ++text) {
            counts.count(all[text], static_cast<uint32_t>(text), true);
        }
        counts.keep(3);
        for (const auto& [hash, count] : texts) CHECK(counts.contains(hash) == (count >= 3));
    }
}
