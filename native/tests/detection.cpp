#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "detection/detector.h"
#include "detection/tally.h"
#include "tests/check.h"
#include "tests/ngram_counts.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

// More characters than are scored without tables.
constexpr size_t kMany = 10'000'000;

Text text_of(const std::u32string& letters) { return {letters.data(), letters.size(), 4, nullptr}; }

std::vector<std::u32string> words_of(const std::u32string& text) {
    std::vector<std::u32string> words;
    WordReader reader;
    reader.read(text_of(text), [&](const Word& word) {
        words.emplace_back(word.letters, word.letters + word.length);
    });
    return words;
}

struct Facts {
    std::vector<int64_t> totals;
    std::vector<uint8_t> is_rare;
    std::vector<double> prior;
    std::vector<uint16_t> groups;

    explicit Facts(size_t classes)
        : totals(classes * script_count(), 50'000),
          is_rare(classes),
          prior(classes * script_count()),
          groups(classes) {
        for (size_t i = 0; i < classes; ++i) groups[i] = static_cast<uint16_t>(i);
        for (size_t i = 0; i < totals.size(); ++i) {
            if (i % script_count() > 9) totals[i] = 0;
        }
    }
    // All classes write only these.
    void write(const std::set<std::string>& scripts) {
        for (size_t i = 0; i < totals.size(); ++i) {
            const auto script = static_cast<Script>(i % script_count());
            totals[i] = scripts.contains(script_name(script)) ? 1000 : 0;
        }
    }
    ClassFacts view() const { return {totals, is_rare, prior, groups}; }
};

// The rule as the README has it, in half bits.
int slow_units(int64_t count, int64_t total, double mean) {
    const double share = static_cast<double>(count) / (static_cast<double>(total) + 3000);
    return static_cast<int>(std::floor(2 * std::log2(1 + 0.95 * share / (0.05 * mean)) + 0.5));
}

}  // namespace

TEST(detection_words) {
    CHECK((words_of(U"Hello, World") == std::vector<std::u32string>{U"hello", U"world"}));
    CHECK((words_of(U"don\u2019t l'eau 'x'") ==
           std::vector<std::u32string>{U"don't", U"l'eau", U"x"}));
    CHECK((words_of(U"e\u0301t\u00e9") == std::vector<std::u32string>{U"\u00e9t\u00e9"}));
    CHECK((words_of(U"aбв") == std::vector<std::u32string>{U"a", U"бв"}));
    CHECK((words_of(U"см. http://a.b/c да") == std::vector<std::u32string>{U"см", U"да"}));
    CHECK((words_of(U"a x1 y_z b") == std::vector<std::u32string>{U"a", U"b"}));
    CHECK((words_of(U"me@example.com @you hi") == std::vector<std::u32string>{U"hi"}));
    CHECK((words_of(U"<b class='x'>hi</b> &amp; 2 < 3") == std::vector<std::u32string>{U"hi"}));
    CHECK((words_of(U"getElementById McDonald isn't") ==
           std::vector<std::u32string>{U"mcdonald", U"isn't"}));
    CHECK((words_of(U"中文2024年か") == std::vector<std::u32string>{U"中文年か"}));
    CHECK((words_of(U"see Example.com. www ll") == std::vector<std::u32string>{U"see", U"ll"}));
    CHECK(
        (words_of(U"done.now xxx AAAA xx") == std::vector<std::u32string>{U"done", U"now", U"xx"}));
    CHECK(words_of(U"").empty());
    CHECK(words_of(std::u32string(1000, U'a')).empty());
}

TEST(detection_runs_without_spaces_come_in_parts) {
    size_t letters = 0;
    for (const auto& word : words_of(std::u32string(1000, U'中'))) {
        CHECK(word.size() <= kLongestWord);
        letters += word.size();
    }
    CHECK(letters == 1000);
    // Letters that are common to all scripts do not make a run longer.
    for (const char32_t common : {U'ː', U'ー', U'々'}) {
        for (const auto& word : words_of(U"中" + std::u32string(1000, common))) {
            CHECK(word.size() <= kLongestWord);
        }
    }
}

TEST(detection_marks_without_end) {
    std::u32string text = U"e";
    text += std::u32string(100'000, U'\u0334');
    const auto words = words_of(text);
    CHECK(words.size() == 1 && words[0].size() == 1 + kMostMarks);
}

TEST(detection_ngrams) {
    const std::u32string letters = U"abcdef";
    std::set<NgramKey> keys;
    size_t count = 0;
    WordReader reader;
    reader.read(text_of(letters), [&](const Word& word) {
        for_each_ngram(word, [&](NgramKey key, ptrdiff_t, size_t) {
            keys.insert(key);
            ++count;
        });
    });
    // Of " abcdef ": 6 letters; at the start, 2 to 5 letters, and as many at the end; inside, 3 of
    // four and 2 of five; and the word.
    CHECK(count == 20 && keys.size() == 20);
}

TEST(detection_weights_follow_the_rule) {
    Random random(4);
    constexpr uint16_t kClasses = 40;  // lists are not cut
    const Counts counts = random_counts(random, 2000, kClasses);
    const Facts facts(kClasses);
    const NgramCounts packed(flat(counts));
    const Detector detector(packed, facts.view(), false);
    for (const auto& [key, list] : counts) {
        double mean = 1e-8;
        for (const auto& [label, count] : list) {
            mean += static_cast<double>(count) / 53'000.0 / kClasses;
        }
        for (uint16_t label = 0; label < kClasses; ++label) {
            const auto found = list.find(label);
            const int expected = found == list.end() ? 0 : slow_units(found->second, 50'000, mean);
            CHECK(detector.weight(key, label) == expected * static_cast<int>(weight_of(key)));
        }
        CHECK(detector.weight(key ^ 2, 0) == 0 || counts.count(key ^ 2) > 0);
    }
}

TEST(detection_scores_are_sums_of_weights) {
    Random random(5);
    const std::u32string alphabet = U"abcdeé жш中文 .1";
    Counts counts;
    std::vector<std::u32string> texts;
    for (int i = 0; i < 60; ++i) {
        std::u32string text;
        for (size_t j = random() % 60; j > 0; --j) text += alphabet[random() % alphabet.size()];
        texts.push_back(text);
        const Text view = text_of(text);
        const int64_t one = 1;
        for (const NgramTally& t : tally_ngrams({&view, 1}, {&one, 1})) {
            counts[t.key][static_cast<uint16_t>(i % 5)] += t.weight;
        }
    }
    Facts facts(5);
    facts.write({"Cyrl", "Hani", "Latn"});
    const NgramCounts packed(flat(counts));
    const Detector detector(packed, facts.view(), false);
    const Detector with_tables(packed, facts.view(), false);
    with_tables.expect(kMany);
    CHECK(with_tables.has_tables() && !detector.has_tables());
    bool is_evidence = false;
    for (const std::u32string& text : texts) {
        std::vector<int32_t> expected(5);
        std::set<std::u32string> seen;
        WordReader reader;
        reader.read(text_of(text), [&](const Word& word) {
            if (!seen.emplace(word.letters, word.letters + word.length).second) return;
            for_each_ngram(word, [&](NgramKey key, ptrdiff_t, size_t) {
                for (uint16_t c = 0; c < 5; ++c) expected[c] += detector.weight(key, c);
            });
        });
        is_evidence |= expected[0] > 0;
        for (const Detector* each : {&detector, &with_tables}) {
            for_each_set([&](const Kernels& kernels) {
                Detector::Scorer scorer(*each, kernels);
                scorer.score(text_of(text));
                std::vector<int32_t> found(5);
                scorer.class_scores(found);
                CHECK(found == expected);
            });
        }
    }
    CHECK(is_evidence);
}

TEST(detection_chooses_alike_on_every_set) {
    Random random(6);
    constexpr uint16_t kClasses = 100;
    const Counts counts = random_counts(random, 500, kClasses);
    const Facts facts(kClasses);
    const NgramCounts packed(flat(counts));
    const Detector detector(packed, facts.view(), false);
    const DetectionRule rule{4, 80, 0.4, 10, 0};
    std::vector<int32_t> scores(kClasses);
    for (int32_t& score : scores) score = static_cast<int32_t>(random() % 100);
    std::vector<Answer> first;
    for_each_set([&](const Kernels& kernels) {
        std::vector<Answer> answers(3);
        Detector::Workspace workspace;
        CHECK(detector.choose(scores, {20, 1, false, true, {}}, rule, {}, kernels, answers,
                              workspace));
        if (first.empty()) first = answers;
        for (size_t i = 0; i < 3; ++i) {
            CHECK(answers[i].label == first[i].label);
            CHECK(answers[i].probability == first[i].probability);
        }
        CHECK(scores[static_cast<size_t>(answers[0].label)] ==
              *std::max_element(scores.begin(), scores.end()));
    });
}

// Rows, blocks and single entries, with sums that outgrow 16 bits, in several scripts.
TEST(detection_long_texts_are_sums_of_weights) {
    Random random(7);
    constexpr uint16_t kClasses = 90;
    const std::u32string alphabet = U"abcdefghiжшщыэ ";
    std::u32string text;
    for (int i = 0; i < 12'000; ++i) text += alphabet[random() % alphabet.size()];
    const Text view = text_of(text);
    const int64_t one = 1;
    Counts counts;
    for (const NgramTally& t : tally_ngrams({&view, 1}, {&one, 1})) {
        const size_t size = 1 + random() % (random() % 8 == 0 ? kClasses : 8);
        counts[t.key][0] = 100'000;
        for (size_t i = 0; i < size; ++i) {
            const auto count = 1 + static_cast<int64_t>(random() % 40);
            counts[t.key][static_cast<uint16_t>(random() % kClasses)] = count;
        }
    }
    Facts facts(kClasses);
    facts.write({"Cyrl", "Hani", "Latn"});
    const NgramCounts packed(flat(counts));
    const Detector detector(packed, facts.view(), false);
    std::vector<int32_t> expected(kClasses);
    std::set<std::u32string> seen;
    WordReader reader;
    reader.read(view, [&](const Word& word) {
        if (!seen.emplace(word.letters, word.letters + word.length).second) return;
        for_each_ngram(word, [&](NgramKey key, ptrdiff_t, size_t) {
            for (uint16_t c = 0; c < kClasses; ++c) expected[c] += detector.weight(key, c);
        });
    });
    CHECK(*std::max_element(expected.begin(), expected.end()) > 0xFFFF);
    for (const size_t characters : {size_t{0}, kMany}) {  // without tables, then with them
        detector.expect(characters);
        CHECK(detector.has_tables() == (characters > 0));
        for_each_set([&](const Kernels& kernels) {
            Detector::Scorer scorer(detector, kernels);
            const TextFacts facts_of_text = scorer.score(view);
            std::vector<int32_t> found(kClasses);
            scorer.class_scores(found);
            CHECK(found == expected);
            // All classes write the script of the text, and the other one.
            const auto scores = scorer.scores();
            CHECK(std::equal(expected.begin(), expected.end(), scores.begin(), scores.end()));
            CHECK(detector.writers(facts_of_text.script).size() == kClasses);
        });
    }
}

TEST(detection_rows_are_added_alike_on_every_set) {
    constexpr uint16_t kWeight = 5;
    Random random(8);
    for (const size_t width : {kRowUnit, 3 * kRowUnit}) {
        for (const size_t count : {0, 1, 7, 8, 9, 16, 50}) {
            std::vector<std::vector<uint8_t>> rows(count, std::vector<uint8_t>(width));
            std::vector<const uint8_t*> places;
            std::vector<uint16_t> expected(width, 1000);
            for (auto& row : rows) {
                for (size_t i = 0; i < width; ++i) {
                    row[i] = random() % 4 == 0 ? 31 : static_cast<uint8_t>(random() % 32);
                    expected[i] = static_cast<uint16_t>(expected[i] + kWeight * row[i]);
                }
                places.push_back(row.data());
            }
            for_each_set([&](const Kernels& kernels) {
                std::vector<uint16_t> sums(width, 1000);
                kernels.add_units(places.data(), count, width, kWeight, sums.data());
                CHECK(sums == expected);
            });
        }
    }
}

// Evidence of n-grams in tables whose hashes are far apart, close together and the same but for
// their lowest bits, so that lines are full and what they hold stands behind them or nowhere.
TEST(detection_tables_have_what_counts_have) {
    Random random(9);
    constexpr uint16_t kClasses = 150;
    Facts facts(kClasses);
    facts.write({"Latn"});
    Script latin = 0;
    while (script_name(latin) != std::string("Latn")) ++latin;
    for (const unsigned bits : {30u, 22u, 12u, 10u}) {
        Counts counts;
        for (int i = 0; i < 6000; ++i) {
            const NgramKey hash = (random() & ((1u << bits) - 1)) | (random() & 3) << kHashBits;
            const size_t size = 1 + random() % (i % 9 == 0 ? kClasses : i % 2 == 0 ? 1 : 5);
            auto& list = counts[NgramKey{latin} << 32 | hash];
            for (size_t j = 0; j < size; ++j) {
                list[static_cast<uint16_t>(random() % kClasses)] = 1 + static_cast<int64_t>(j % 7);
            }
        }
        const NgramCounts packed(flat(counts));
        const ScriptClasses classes(
            [&] {
                std::vector<ScriptClasses::Class> writers;
                for (uint16_t i = 0; i < kClasses; ++i) writers.push_back({i, false, 5000});
                return writers;
            }(),
            kClasses, true);
        ScriptEvidence table(packed.sizes().subspan(latin * kKinds).first<kKinds>(),
                             classes.width());
        ScriptClasses::Evidence evidence;
        packed.for_each_list([&](NgramKey key, const NgramCounts::List& list) {
            classes.weigh(list, evidence);
            table.add(static_cast<uint32_t>(key), evidence);
        });
        table.finish();
        ScriptEvidence::Batch batch(1);
        NgramCounts::Room room;
        const auto check = [&](NgramKey key) {
            std::vector<uint16_t> sums(classes.width()), expected(classes.width());
            table.add_up({&key, 1}, all_kernels().front()->add_units, batch, sums.data());
            classes.weigh(packed.find(key, room), evidence);
            for (const uint16_t entry : evidence.list) {
                const unsigned units = (entry & kMostUnits) * weight_of(key);
                expected[entry >> kUnitBits] = static_cast<uint16_t>(units);
            }
            CHECK(sums == expected);
        };
        for (const auto& [key, list] : counts) {
            check(key);
            if (!counts.contains(key + 1)) check(key + 1);
            check(key ^ 1u << 29);
        }
    }
}
