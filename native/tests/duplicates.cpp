#include <algorithm>
#include <map>
#include <set>

#include "duplicates/characters.h"
#include "duplicates/clusters.h"
#include "duplicates/collection.h"
#include "duplicates/join.h"
#include "duplicates/token_order.h"
#include "duplicates/units.h"
#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

constexpr Measure kMeasures[] = {Measure::jaccard, Measure::containment, Measure::cosine};

struct Fraction {
    uint64_t numerator, denominator;
};
constexpr Fraction kFractions[] = {{1, 1'000'000}, {1, 10},  {1, 2},      {2, 3}, {4, 5},
                                   {9, 10},        {19, 20}, {333, 1000}, {1, 1}};

// By its definition, in 128 bits.
bool slow_reaches(Measure measure, Fraction t, uint64_t shared, uint64_t a, uint64_t b) {
    using Wide = unsigned __int128;
    const Wide n = t.numerator, d = t.denominator;
    switch (measure) {
        case Measure::jaccard: return Wide{shared} * d >= n * (a + b - shared);
        case Measure::containment: return Wide{shared} * d >= n * std::min(a, b);
        default: return Wide{shared} * shared * d * d >= n * n * a * b;
    }
}

std::vector<std::vector<uint64_t>> random_sets(Random& random, size_t count, uint64_t tokens,
                                               size_t longest) {
    std::vector<std::vector<uint64_t>> sets;
    for (size_t i = 0; i < count; ++i) {
        std::set<uint64_t> set;
        if (!sets.empty() && random() % 2) {
            const auto& other = sets[random() % sets.size()];
            set.insert(other.begin(), other.end());
            for (size_t edits = random() % 4; edits > 0; --edits) {
                if (set.size() > 1 && random() % 2) set.erase(set.begin());
                set.insert(random() % tokens * 0x9E3779B97F4A7C15);
            }
        }
        const size_t size = 1 + random() % longest;
        while (set.empty() || (set.size() < size && random() % 8)) {
            set.insert(random() % tokens * 0x9E3779B97F4A7C15);
        }
        sets.emplace_back(set.begin(), set.end());
    }
    return sets;
}

TokenSets stored(const std::vector<std::vector<uint64_t>>& sets) {
    TokenSets all;
    for (const auto& set : sets) {
        const auto size = static_cast<uint32_t>(set.size());
        CHECK(all.add(std::span(&size, 1), set));
    }
    return all;
}

uint32_t slow_shared(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
    std::vector<uint64_t> both;
    std::ranges::set_intersection(a, b, std::back_inserter(both));
    return static_cast<uint32_t>(both.size());
}

using Pairs = std::map<std::pair<uint32_t, uint32_t>, uint32_t>;

Pairs slow_join(const std::vector<std::vector<uint64_t>>& sets, Measure measure, Fraction t,
                std::optional<size_t> boundary) {
    Pairs pairs;
    for (uint32_t j = 0; j < sets.size(); ++j) {
        for (uint32_t i = 0; i < j; ++i) {
            if (boundary && (i >= *boundary || j < *boundary)) continue;
            const uint32_t shared = slow_shared(sets[i], sets[j]);
            if (shared && slow_reaches(measure, t, shared, sets[i].size(), sets[j].size())) {
                pairs[{i, j}] = shared;
            }
        }
    }
    return pairs;
}

// All pairs of sets, from those of distinct ones.
Pairs expanded(const SimilarSets& found, const TokenSets& sets, std::optional<size_t> boundary) {
    std::map<uint32_t, std::vector<uint32_t>> equal;
    for (uint32_t i = 0; i < found.first_equal.size(); ++i) {
        equal[found.first_equal[i]].push_back(i);
    }
    Pairs pairs;
    const auto add = [&](uint32_t i, uint32_t j, uint32_t shared) {
        if (i > j) std::swap(i, j);
        if (boundary && (i >= *boundary || j < *boundary)) return;
        CHECK(pairs.emplace(std::pair(i, j), shared).second);
    };
    for (const auto& [first, all] : equal) {
        for (size_t b = 0; b < all.size(); ++b) {
            for (size_t a = 0; a < b; ++a) {
                add(all[a], all[b], static_cast<uint32_t>(sets[first].size()));
            }
        }
    }
    for (const SimilarPair& pair : found.pairs) {
        CHECK(pair.left < pair.right);
        for (uint32_t i : equal[pair.left]) {
            for (uint32_t j : equal[pair.right]) add(i, j, pair.shared);
        }
    }
    return pairs;
}

class Collect final : public TokenSink {
public:
    void consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                 size_t count) override {
        for (size_t i = 0; i < count; ++i) {
            tokens.emplace_back(bytes + starts[i], bytes + ends[i]);
        }
    }
    std::vector<std::string> tokens;
};

const CharacterTable& plain_table() {
    static const CharacterTable table({[](uint32_t c) { return c == ' '; },
                                       [](uint32_t c) {
                                           return (c >= 'a' && c <= 'z') || c == 0x905 ||
                                                  (c >= 0x4E00 && c <= 0x9FFF);
                                       },
                                       {}});
    return table;
}

std::vector<std::string> cut(const std::u32string& text, NgramRange range) {
    Collect sink;
    UnitCutter cutter(range);
    CHECK(cutter.run({text.data(), text.size(), 4, &plain_table()}, sink) == Status::done);
    return sink.tokens;
}

}  // namespace

TEST(words_and_characters_of_scripts_without_spaces_are_units) {
    using Tokens = std::vector<std::string>;
    CHECK(cut(U"ab cd", {1, 1}) == (Tokens{"ab", "cd"}));
    CHECK(cut(U"ab, cd; e", {2, 2}) == (Tokens{"ab cd", "cd e"}));
    CHECK(cut(U"ab cd e", {1, 2}) == (Tokens{"ab", "cd", "e", "ab cd", "cd e"}));
    CHECK(cut(U"ab\u4E2D\u6587cd", {1, 1}) == (Tokens{"ab", "\u4E2D", "\u6587", "cd"}));
    CHECK(cut(U"\u0905\u093F\u0905 ab", {1, 1}) == (Tokens{"\u0905\u093F\u0905", "ab"}));
    CHECK(cut(U"\u0301ab", {1, 1}) == (Tokens{"ab"}));  // a mark without a character
    CHECK(cut(U"ab cd", {3, 3}) == (Tokens{"ab cd"}));  // shorter than an n-gram
    CHECK(cut(U"ab", {2, 5}) == (Tokens{"ab"}));
    CHECK(cut(U"", {1, 1}).empty());
    CHECK(cut(U"... !", {1, 1}).empty());
}

TEST(characters_at_the_ends_of_ranges) {
    CHECK(is_mark(0x300) && is_mark(0x36F) && !is_mark(0x2FF) && !is_mark(0x370));
    CHECK(is_mark(0xE01EF) && !is_mark(0xE01F0) && !is_mark(0x10FFFF));
    CHECK(stands_alone(0xE01) && !stands_alone(0xE00) && stands_alone(0x3FFFF));
    CHECK(!stands_alone(0x40000) && !stands_alone('a') && stands_alone(0x4E00));
}

TEST(thresholds_are_exact) {
    for (Measure measure : kMeasures) {
        for (Fraction t : kFractions) {
            const Threshold threshold(measure, t.numerator, t.denominator);
            for (uint64_t a = 1; a < 40; ++a) {
                uint64_t least_size = a;
                for (uint64_t b = a; b >= 1; --b) {
                    // A set inside the other one is as similar as one of its size can be.
                    if (slow_reaches(measure, t, b, a, b)) least_size = b;
                    uint64_t least = 1;
                    while (!slow_reaches(measure, t, least, a, b) && least <= a) ++least;
                    CHECK(threshold.least_shared(a, b) == least);
                    CHECK(threshold.least_shared(b, a) == least);
                }
                CHECK(threshold.least_size(a) == least_size);
                CHECK(threshold.index_prefix(a) <= threshold.probe_prefix(a));
                CHECK(threshold.probe_prefix(a) <= a);
            }
        }
    }
}

TEST(thresholds_of_the_largest_sets_do_not_overflow) {
    constexpr uint64_t kLargest = UINT32_MAX;
    for (Measure measure : kMeasures) {
        for (Fraction t : {Fraction{999'999, 1'000'000}, Fraction{1, 1'000'000}, Fraction{1, 1}}) {
            const Threshold threshold(measure, t.numerator, t.denominator);
            const uint64_t least = threshold.least_shared(kLargest, kLargest);
            CHECK(slow_reaches(measure, t, least, kLargest, kLargest));
            CHECK(least == 1 || !slow_reaches(measure, t, least - 1, kLargest, kLargest));
        }
    }
}

TEST(shared_hashes_are_counted_or_given_up_early) {
    Random random(71);
    for (size_t count : kEdgeCounts) {
        const auto sets = random_sets(random, 6, 2 * count + 1, count + 1);
        for (const auto& a : sets) {
            for (const auto& b : sets) {
                const size_t shared = slow_shared(a, b);
                CHECK(shared_hashes(a, b, 0) == shared);
                CHECK(shared_hashes(a, b, shared) == shared);
                CHECK(shared_hashes(a, b, shared + 1) <= shared);
            }
        }
    }
}

TEST(joins_are_those_of_brute_force) {
    Random random(72);
    for (uint64_t tokens : {3, 30, 1000}) {
        for (size_t count : {0, 1, 2, 90}) {
            const auto sets = random_sets(random, count, tokens, 30);
            const TokenSets all = stored(sets);
            for (Measure measure : kMeasures) {
                for (Fraction t : kFractions) {
                    const Threshold threshold(measure, t.numerator, t.denominator);
                    for (std::optional<size_t> boundary :
                         {std::optional<size_t>(), std::optional<size_t>(count / 3)}) {
                        const Pairs expected = slow_join(sets, measure, t, boundary);
                        for (size_t threads : {1, 3}) {
                            const SimilarSets found =
                                join(active_kernels(), all, threshold, boundary, SIZE_MAX, threads);
                            CHECK(expanded(found, all, boundary) == expected);
                            CHECK(std::ranges::is_sorted(found.pairs, {}, [](const SimilarPair& p) {
                                return std::pair(p.left, p.right);
                            }));
                        }
                    }
                }
            }
        }
    }
}

// Sets large enough for signatures of every length, and for none.
TEST(joins_by_signatures_are_those_of_brute_force) {
    Random random(75);
    for (size_t longest : {12, 60, 300, 900}) {
        const auto sets = random_sets(random, 70, 3 * longest, longest);
        const TokenSets all = stored(sets);
        for (Measure measure : kMeasures) {
            for (Fraction t : {Fraction{3, 10}, Fraction{1, 2}, Fraction{4, 5}, Fraction{19, 20}}) {
                const Threshold threshold(measure, t.numerator, t.denominator);
                const Pairs expected = slow_join(sets, measure, t, std::nullopt);
                for_each_set([&](const Kernels& kernels) {
                    CHECK(expanded(join(kernels, all, threshold, std::nullopt, SIZE_MAX, 2), all,
                                   std::nullopt) == expected);
                });
            }
        }
    }
}

// One token in all sets makes a list of more items than a tile has.
TEST(long_lists_are_walked_in_tiles) {
    // More sets than a tile has, and so many rows that they are divided too.
    constexpr uint64_t kReferences = 17'000, kRows = 500;
    std::vector<std::vector<uint64_t>> sets;
    for (uint64_t i = 0; i < kReferences + kRows; ++i) {
        // A row and one reference share two of four tokens, all others one.
        const uint64_t own = i < kReferences ? i : (i - kReferences) * 33;
        sets.push_back({1, 100 + own, uint64_t{1} << 40 | i, uint64_t{2} << 40 | i});
    }
    const TokenSets all = stored(sets);
    const Threshold threshold(Measure::containment, 1, 2);
    for (size_t threads : {1, 2}) {
        const SimilarSets found =
            join(active_kernels(), all, threshold, kReferences, SIZE_MAX, threads);
        CHECK(found.pairs.size() == kRows);
        for (const SimilarPair& pair : found.pairs) {
            CHECK(pair.left == (pair.right - kReferences) * 33 && pair.shared == 2);
        }
    }
}

TEST(order_keys_grow_with_counts_and_keep_the_hash) {
    for (uint32_t count = 1; count < 5000; ++count) {
        CHECK(order_key(~uint64_t{0}, count) >> 56 <= order_key(0, count + 1) >> 56);
        CHECK((order_key(0x123456789ABCDEF0, count) & (~uint64_t{0} >> 8)) == 0x123456789ABCDE);
    }
    CHECK(order_key(0, UINT32_MAX) >> 56 == 239);
    CHECK(order_key(0, 15) >> 56 == 15 && order_key(0, 16) >> 56 == 16);
}

TEST(sets_of_one_digest_are_told_apart_by_their_hashes) {
    // Frequent tokens fill their counters, which then go on in larger ones.
    std::vector<std::vector<uint64_t>> sets;
    for (uint64_t i = 0; i < 700; ++i) sets.push_back({1, 2, 3, 100 + i});
    const TokenSets all = stored(sets);
    const Threshold threshold(Measure::jaccard, 3, 5);
    CHECK(join(active_kernels(), all, threshold, std::nullopt, SIZE_MAX, 2).pairs.size() ==
          700 * 699 / 2);
    CHECK(join(active_kernels(), all, Threshold(Measure::jaccard, 2, 3), std::nullopt, SIZE_MAX, 2)
              .pairs.empty());
}

TEST(a_join_ends_soon_after_as_many_pairs_as_are_wanted) {
    std::vector<std::vector<uint64_t>> sets;
    for (uint64_t i = 0; i < 2000; ++i) sets.push_back({1, 2, 3, 4, 5, 6, 7, 8, 9, 100 + i});
    const TokenSets all = stored(sets);
    const Threshold threshold(Measure::jaccard, 4, 5);
    constexpr size_t kAll = 2000 * 1999 / 2;
    for (size_t threads : {1, 3}) {
        const SimilarSets whole =
            join(active_kernels(), all, threshold, std::nullopt, kAll, threads);
        CHECK(whole.is_complete && whole.pairs.size() == kAll);
        const SimilarSets some =
            join(active_kernels(), all, threshold, std::nullopt, 1000, threads);
        CHECK(!some.is_complete && some.pairs.size() > 1000 && some.pairs.size() < 1000 + 3 * 2000);
    }
}

TEST(sets_that_are_not_sets_are_refused) {
    TokenSets sets;
    const auto refused = [&](std::vector<uint32_t> sizes, std::vector<uint64_t> hashes) {
        return !sets.add(sizes, hashes) && sets.size() == 0 && sets.tokens() == 0;
    };
    CHECK(refused({2}, {1}));
    CHECK(refused({1}, {1, 2}));
    CHECK(refused({0}, {}));
    CHECK(refused({2}, {2, 1}));
    CHECK(refused({2}, {1, 1}));
    CHECK(refused({UINT32_MAX}, {1}));
    CHECK(refused({1, UINT32_MAX}, {1}));
    CHECK(sets.add(std::vector<uint32_t>{1, 2}, std::vector<uint64_t>{9, 1, 2}));
    CHECK(sets.size() == 2 && sets.tokens() == 3);
}

TEST(texts_have_the_same_sets_on_every_instruction_set) {
    Random random(73);
    std::vector<std::u32string> strings = {U"", U"!", U"?", U"ab", U"ab cd ef gh"};
    for (int i = 0; i < 300; ++i) {
        std::u32string text;
        for (size_t n = random() % 60; n > 0; --n)
            text += U"abc  !\u4E2D\u0905\u093F"[random() % 9];
        strings.push_back(text);
    }
    std::vector<Text> texts;
    for (const auto& text : strings) texts.push_back({text.data(), text.size(), 4, &plain_table()});
    std::vector<std::vector<uint64_t>> expected;
    const AesKey key = aes_key({0x243F6A8885A308D3, 0x13198A2E03707344});
    const AesKey text_key = aes_key({0xA4093822299F31D0, 0x082EFA98EC4E6C89});
    for (const auto& text : strings) {
        std::set<uint64_t> set;
        for (const auto& token : cut(text, {2, 3})) set.insert(slow_aes_cmac(key, token).low);
        if (set.empty()) {
            const std::string bytes(reinterpret_cast<const char*>(text.data()), 4 * text.size());
            set.insert(slow_aes_cmac(text_key, bytes).low);
        }
        expected.emplace_back(set.begin(), set.end());
    }
    for_each_set([&](const Kernels& kernels) {
        for (size_t threads : {1, 3}) {
            TokenSets sets;
            const auto added = sets.add(kernels, {true, {Analyzer::word, {2, 3}}}, texts, threads);
            CHECK(added.status == Status::done && sets.size() == texts.size());
            for (size_t i = 0; i < texts.size(); ++i) {
                CHECK(std::ranges::equal(sets[i], expected[i]));
            }
        }
    });
}

TEST(groups_by_representative_and_by_chains) {
    const std::vector<uint32_t> items = {1, 2, 3, 3, 5}, others = {0, 1, 2, 0, 3};
    std::vector<uint32_t> groups(7);
    group_by_representative(items, others, groups);
    CHECK(groups == (std::vector<uint32_t>{0, 0, 2, 2, 4, 5, 6}));
    group_connected(items, others, groups);
    CHECK(groups == (std::vector<uint32_t>{0, 0, 0, 0, 4, 0, 6}));
}

TEST(a_collection_knows_the_pairs_of_what_is_left) {
    Random random(74);
    for (Measure measure : kMeasures) {
        for (Fraction t : {Fraction{1, 2}, Fraction{4, 5}}) {
            const auto sets = random_sets(random, 120, 40, 20);
            Collection collection(Threshold(measure, t.numerator, t.denominator));
            std::vector<bool> is_in(sets.size());
            for (int step = 0; step < 25; ++step) {
                std::vector<int64_t> ids;
                std::vector<std::vector<uint64_t>> some;
                const bool adds = step % 3 < 2;
                for (size_t i = 0; i < sets.size(); ++i) {
                    if (is_in[i] == adds || random() % 4) continue;
                    ids.push_back(static_cast<int64_t>(i));
                    some.push_back(sets[i]);
                    is_in[i] = adds;
                }
                if (adds) {
                    collection.add(ids, stored(some), 1 + random() % 3);
                } else {
                    collection.remove(ids);
                }
                Pairs expected;
                for (const auto& [pair, shared] : slow_join(sets, measure, t, std::nullopt)) {
                    if (is_in[pair.first] && is_in[pair.second]) expected[pair] = shared;
                }
                Pairs found;
                for (const IdPair& pair : collection.pairs()) {
                    found[{static_cast<uint32_t>(pair.left), static_cast<uint32_t>(pair.right)}] =
                        pair.shared;
                }
                CHECK(found == expected);
                Collection copy(Threshold(measure, t.numerator, t.denominator));
                CHECK(copy.restore(collection.state(), 2));
                CHECK(copy.state().clusters == collection.state().clusters);
            }
        }
    }
}

TEST(a_collection_that_runs_out_of_memory_is_as_before) {
    Random random(75);
    const auto sets = random_sets(random, 60, 20, 10);
    const TokenSets first = stored({sets.begin(), sets.begin() + 30});
    const TokenSets more = stored({sets.begin() + 30, sets.end()});
    std::vector<int64_t> ids(30), others(30);
    for (int64_t i = 0; i < 30; ++i) {
        ids[static_cast<size_t>(i)] = i;
        others[static_cast<size_t>(i)] = 30 + i;
    }
    Collection collection(Threshold(Measure::jaccard, 1, 2));
    collection.add(ids, first, 1);
    const size_t before = collection.pairs().size();
    bool has_failed = true;
    for (size_t after = 0; has_failed; ++after) {
        has_failed = false;
        try {
            const FailingAllocation failing(after);
            collection.add(others, more, 1);
        } catch (const std::bad_alloc&) {
            has_failed = true;
        }
        if (has_failed) CHECK(collection.size() == 30 && collection.pairs().size() == before);
    }
    Collection whole(Threshold(Measure::jaccard, 1, 2));
    whole.add(ids, first, 1);
    whole.add(others, more, 1);
    CHECK(collection.pairs().size() == whole.pairs().size());
    CHECK(collection.state().clusters == whole.state().clusters);
    has_failed = true;
    for (size_t after = 0; has_failed; ++after) {
        has_failed = false;
        try {
            const FailingAllocation failing(after);
            collection.remove(ids);
        } catch (const std::bad_alloc&) {
            has_failed = true;
        }
        if (has_failed) CHECK(collection.state().clusters == whole.state().clusters);
    }
    whole.remove(ids);
    CHECK(collection.size() == 30 && collection.state().clusters == whole.state().clusters);
}
