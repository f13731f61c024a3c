#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "passages/repeats.h"
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
            const std::vector<uint32_t> common = common_prefixes(text, order);
            CHECK(common.size() == size);
            if (size > 0) CHECK(common[order[0]] == 0);
            for (size_t i = 1; i < size; ++i) {
                const auto a = text.begin() + order[i - 1], b = text.begin() + order[i];
                const auto differ = std::mismatch(a, text.end(), b, text.end());
                CHECK(common[order[i]] == static_cast<size_t>(differ.first - a));
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

namespace {

struct Occurrence {
    size_t place;
    uint32_t text;
};

// Where the words [start, start + count) stand.
std::vector<Occurrence> occurrences(const std::vector<int32_t>& words,
                                    const std::vector<uint32_t>& texts, size_t start,
                                    size_t count) {
    std::vector<Occurrence> found;
    for (size_t i = 0; i + count <= words.size(); ++i) {
        if (std::equal(words.begin() + i, words.begin() + i + count, words.begin() + start)) {
            found.push_back({i, texts[i]});
        }
    }
    return found;
}

uint32_t texts_of(const std::vector<Occurrence>& found) {
    std::set<uint32_t> texts;
    for (const Occurrence& one : found) texts.insert(one.text);
    return static_cast<uint32_t>(texts.size());
}

}  // namespace

TEST(repeats_are_those_of_a_naive_search) {
    Random random(97);
    for (size_t round = 0; round < 60; ++round) {
        const size_t texts = 1 + random() % 6;
        const auto alphabet = static_cast<int32_t>(1 + random() % 3);
        WordSequence sequence;
        sequence.symbols = alphabet;
        std::vector<int32_t> all_words;
        std::vector<uint32_t> text_of;
        std::vector<Stretch> stretches;
        for (uint32_t text = 0; text < texts; ++text) {
            for (size_t stretch = random() % 3; stretch-- > 0;) {
                stretches.push_back({text, static_cast<uint32_t>(all_words.size()), 0});
                const size_t words = round % 10 ? random() % 12 : 100;
                for (size_t i = 0; i < words; ++i) {
                    all_words.push_back(static_cast<int32_t>(random() % alphabet));
                }
                all_words.push_back(sequence.symbols++);
                text_of.resize(all_words.size(), text);
            }
        }
        for (int32_t word : all_words) sequence.words.push_back(word);
        const auto least_words = static_cast<int32_t>(1 + random() % 4);
        const auto least_texts = static_cast<uint32_t>(1 + random() % 3);
        const Repeats found =
            find_repeats(std::move(sequence), stretches, texts, least_words, least_texts);
        for (size_t i = 0; i < all_words.size(); ++i) {
            const auto is_repeat = [&](size_t count) {
                const auto all = occurrences(all_words, text_of, i, count);
                return all.size() > 1 && texts_of(all) >= least_texts;
            };
            size_t longest = 0;
            for (size_t count = least_words; i + count <= all_words.size(); ++count) {
                if (!is_repeat(count)) break;
                longest = count;
            }
            CHECK((found.longest[i] == Repeats::kNone) == (longest == 0));
            if (longest == 0 || found.longest[i] == Repeats::kNone) {
                CHECK(found.window_texts[i] == 0 && !found.stood_before[i]);
                continue;
            }
            const Repeat& repeat = found.repeats[found.longest[i]];
            const auto all = occurrences(all_words, text_of, i, longest);
            CHECK(repeat.words == static_cast<int32_t>(longest));
            CHECK(repeat.texts == texts_of(all));
            CHECK(repeat.first == static_cast<int32_t>(all[0].place));
            const auto windows = occurrences(all_words, text_of, i, least_words);
            CHECK(found.window_texts[i] == texts_of(windows));
            CHECK(found.stood_before[i] == (i - windows[0].place >= size_t(least_words)));
        }
    }
}
