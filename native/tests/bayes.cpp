#include <bit>
#include <cmath>
#include <cstring>
#include <map>

#include "bayes/batch.h"
#include "memory/large_pages.h"
#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

constexpr uint32_t kBuckets = 257;  // few, so that tokens share them
constexpr uint32_t kClasses = 9;

struct Example {
    std::vector<CountedToken> tokens;
    uint32_t label;
    int64_t length() const {
        int64_t sum = 0;
        for (const CountedToken& token : tokens) sum += token.count;
        return sum;
    }
};

// Each pair of bucket and prefix once, prefixes before what extends them.
Example random_example(Random& random, size_t size) {
    Example example = {{}, static_cast<uint32_t>(random() % kClasses)};
    std::map<std::pair<uint32_t, uint32_t>, size_t> known;
    for (size_t i = 0; i < size; ++i) {
        const auto bucket = static_cast<uint32_t>(random() % kBuckets);
        const uint32_t prefix = i == 0 || random() % 4 == 0
                                    ? kNoPrefix
                                    : static_cast<uint32_t>(random() % example.tokens.size());
        const auto [place, is_new] = known.try_emplace({bucket, prefix}, example.tokens.size());
        if (is_new) {
            example.tokens.push_back({bucket, prefix, 1});
        } else {
            ++example.tokens[place->second].count;
        }
    }
    return example;
}

std::vector<Example> random_examples(Random& random, size_t count) {
    std::vector<Example> examples;
    for (size_t i = 0; i < count; ++i) examples.push_back(random_example(random, random() % 80));
    return examples;
}

// Counts by class in maps, and scores by the standard library's logarithms.
class Slow {
public:
    void add(const Example& example, int64_t times) {
        for (const CountedToken& token : example.tokens) {
            counts_[token.bucket][example.label] += times * token.count;
            totals_[token.bucket] += times * token.count;
        }
        tokens.resize(std::max<size_t>(tokens.size(), kClasses));
        texts.resize(tokens.size());
        tokens[example.label] += times * example.length();
        texts[example.label] += times;
        all += times * example.length();
    }

    int64_t score(const std::vector<CountedToken>& text, uint32_t label, double smoothing,
                  bool has_priors = true) {
        if (texts[label] == 0) return kNoScore;
        int64_t score = has_priors ? 4 * 8 * steps(static_cast<double>(texts[label])) : 0;
        for (const CountedToken& token : text) {
            if (totals_[token.bucket] == 0) continue;
            const auto gain = [&](int64_t count, int64_t total, int64_t factor) {
                if (count == 0) return int64_t{0};
                return weight(steps(static_cast<double>(count)) + factor -
                              steps(static_cast<double>(total)) / 2 - steps(smoothing));
            };
            const int64_t mine = counts_[token.bucket][label], total = totals_[token.bucket];
            score += token.count * gain(mine, total, 96);
            if (token.prefix == kNoPrefix) {
                score += token.count * (gain(mine, total, 96) - gain(mine, total, 0));
                score -= token.count * gain(tokens[label], all, 0);
            } else {
                const uint32_t prefix = text[token.prefix].bucket;
                score -= token.count * gain(counts_[prefix][label], totals_[prefix], 0);
            }
        }
        return score;
    }

    std::vector<int64_t> tokens, texts;
    int64_t all = 0;

private:
    static int64_t steps(double value) {
        return value > 0 ? static_cast<int64_t>(std::floor(64 * std::log2(value) + 0.5)) : -32768;
    }
    static int64_t weight(int64_t u) {
        const double power = std::exp2(static_cast<double>(u) / 64);
        return static_cast<int64_t>(std::floor(512 * std::log2(1 + power) + 0.5));
    }

    std::map<uint32_t, std::map<uint32_t, int64_t>> counts_;
    std::map<uint32_t, int64_t> totals_;
};

TokenRows rows_of(const std::vector<Example>& examples) {
    TokenRows rows;
    for (const Example& example : examples) rows.push_back(example.tokens);
    return rows;
}

std::vector<uint32_t> labels_of(const std::vector<Example>& examples) {
    std::vector<uint32_t> labels;
    for (const Example& example : examples) labels.push_back(example.label);
    return labels;
}

ClassCounts learnt(const ClassCounts& counts, const std::vector<Example>& examples, int64_t times) {
    ClassCounts result = counts;
    const Outcome outcome =
        counts.change(count_by_class(rows_of(examples), labels_of(examples), times), result);
    CHECK(outcome.status == Status::done);
    return result;
}

bool same(const ClassCounts& a, const ClassCounts& b) {
    return a.coded() == b.coded() && a.entries() == b.entries();
}

std::vector<int64_t> scores_of(const ClassCounts& counts, const ClassTotals& totals,
                               const Asked& asked, size_t threads) {
    std::vector<int64_t> scores(asked.size() * totals.texts.size());
    const Outcome outcome =
        score_all(active_kernels(), counts, totals, asked, threads, scores.data());
    CHECK(outcome.status == Status::done);
    return scores;
}

}  // namespace

TEST(logarithms_are_those_of_the_standard_library_rounded) {
    const Weights& weights = Weights::shared();
    for (int64_t count : {1, 2, 3, 5, 100, 4095, 4096, 4097, 1 << 20, 123456789}) {
        const double exact = 64 * std::log2(static_cast<double>(count));
        CHECK(weights.steps_of(count) == static_cast<Steps>(std::floor(exact + 0.5)));
    }
    CHECK(weights.steps_of(0) == kNoSteps);
    CHECK(weights.steps_of(INT64_MAX) == 63 * kSteps);
    CHECK(weights(0) == 1 << kWeightBits);
    CHECK(weights(kNoSteps) == 0);
    int wrong = 0;
    for (int32_t u = Weights::kLowest; u < Weights::kHighest; ++u) {
        const double exact = 512 * std::log2(1 + std::exp2(u / 64.0));
        wrong += std::fabs(weights(u) - exact) > 0.5001;
    }
    CHECK(wrong == 0);
}

TEST(scores_are_the_oracles_for_every_history_and_number_of_threads) {
    Random random(71);
    for (size_t count : {0, 1, 2, 30, 300}) {
        const auto examples = random_examples(random, count), more = random_examples(random, 40);
        Slow slow;
        slow.tokens.resize(kClasses);
        slow.texts.resize(kClasses);
        ClassCounts one_by_one(1);
        for (const Example& example : examples) {
            slow.add(example, 1);
            one_by_one = learnt(one_by_one, {example}, 1);
        }
        const ClassCounts at_once = learnt(ClassCounts(1), examples, 1);
        CHECK(same(at_once, one_by_one));
        CHECK(same(learnt(learnt(one_by_one, more, 1), more, -1), at_once));
        const auto asked = random_examples(random, 20);
        const TokenRows rows = rows_of(asked);
        for (double smoothing : {0.0625, 0.25, 3.0}) {
            const ClassCounts counts = one_by_one.with_smoothing(smoothing);
            CHECK(same(counts, one_by_one));
            for (size_t threads : {1, 3}) {
                const bool has_priors = threads == 1;
                const ClassTotals totals = {slow.tokens, slow.texts, slow.all, has_priors};
                const auto scores = scores_of(counts, totals, {.rows = &rows}, threads);
                for (size_t i = 0; i < asked.size(); ++i) {
                    for (uint32_t c = 0; c < kClasses; ++c) {
                        CHECK(scores[i * kClasses + c] ==
                              slow.score(asked[i].tokens, c, smoothing, has_priors));
                    }
                }
            }
        }
    }
}

TEST(left_out_is_never_learnt) {
    Random random(72);
    // Of many texts, one changes the evidence of its own class alone, for the most part.
    for (size_t count : {60, 400}) {
        const auto examples = random_examples(random, count);
        Slow slow;
        for (const Example& example : examples) slow.add(example, 1);
        const ClassCounts counts = learnt(ClassCounts(0.25), examples, 1);
        const ClassTotals totals = {slow.tokens, slow.texts, slow.all, true};
        const TokenRows rows = rows_of(examples);
        const std::vector<uint32_t> labels = labels_of(examples);
        const auto scores = scores_of(counts, totals, {.rows = &rows, .labels = labels}, 2);
        for (size_t i = 0; i < examples.size(); i += count / 60) {
            slow.add(examples[i], -1);
            for (uint32_t c = 0; c < kClasses; ++c) {
                CHECK(scores[i * kClasses + c] == slow.score(examples[i].tokens, c, 0.25));
            }
            slow.add(examples[i], 1);
        }
    }
}

namespace {

bool is_space(uint32_t c) { return c == ' '; }
bool is_word(uint32_t c) { return c > ' '; }

const CharacterTable& plain_characters() {
    static const CharacterTable characters({is_space, is_word, {}});
    return characters;
}

// Texts of a few letters, with some that are new and some of more than one byte.
std::u16string random_text(Random& random, size_t size) {
    std::u16string text;
    for (size_t i = 0; i < size; ++i) {
        const uint64_t next = random() % 12;
        text += next < 2 ? u' ' : next == 2 ? u'\u0431' : static_cast<char16_t>(u'a' + next);
    }
    return text;
}

}  // namespace

// With few buckets most tokens share one and differ in what they extend: a table that looked for
// them by bucket alone would take minutes.
TEST(tokens_of_few_buckets_are_counted_with_what_they_extend) {
    Random random(75);
    const BucketRule rule(16, false);
    const std::u16string string = random_text(random, 300000);
    const Text text = {string.data(), string.size(), 2, &plain_characters()};
    for (const Analyzer analyzer : {Analyzer::characters, Analyzer::characters_in_words}) {
        TokenRows rows;
        CHECK(count_token_rows(active_kernels(), rule, analyzer, {1, 6}, {&text, 1}, 1, rows)
                  .status == Status::done);
        std::map<std::pair<uint32_t, uint32_t>, size_t> known;
        int64_t sum = 0;
        for (size_t i = 0; i < rows[0].size(); ++i) {
            const CountedToken& token = rows[0][i];
            CHECK(token.bucket < 16 && (token.prefix == kNoPrefix || token.prefix < i));
            CHECK(known.try_emplace({token.bucket, token.prefix}, i).second);
            sum += token.count;
        }
        CHECK(sum == rows.length(0));
        if (analyzer == Analyzer::characters) {
            // One space stands for several, and every n-gram is counted.
            size_t characters = 0;
            for (size_t i = 0; i < string.size(); ++i) {
                characters += string[i] != u' ' || i == 0 || string[i - 1] != u' ';
            }
            CHECK(sum == static_cast<int64_t>(6 * characters - 15) && known.size() > 50000);
        }
    }
}

TEST(texts_are_scored_as_their_counted_tokens_on_every_instruction_set) {
    Random random(74);
    const BucketRule few(1021, false), many(1 << 20, false);
    for (const BucketRule& rule : {few, many}) {
        for (const Analyzer analyzer :
             {Analyzer::characters, Analyzer::characters_in_words, Analyzer::word}) {
            for (const NgramRange range :
                 {NgramRange{1, 5}, NgramRange{2, 3}, NgramRange{3, 3}, NgramRange{1, 20}}) {
                std::vector<std::u16string> strings;
                for (size_t size : {0, 1, 2, 3, 7, 60, 400, 900}) {
                    for (int i = 0; i < 5; ++i) strings.push_back(random_text(random, size));
                }
                if (range.max <= 5)
                    strings.push_back(random_text(random, 20000));  // more than a window
                std::vector<Text> texts;
                for (const std::u16string& string : strings) {
                    texts.push_back({string.data(), string.size(), 2, &plain_characters()});
                }
                TokenRows rows, half;
                const std::span all(texts);
                const auto count_rows = [&](std::span<const Text> of, TokenRows& into) {
                    CHECK(count_token_rows(active_kernels(), rule, analyzer, range, of, 1, into)
                              .status == Status::done);
                };
                count_rows(all, rows);
                count_rows(all.subspan(0, 20), half);
                for (const uint32_t classes : {1u, 9u, 32u, 33u, 70000u}) {
                    if (range.max > 5 && classes != 33) continue;  // enough for long chains
                    std::vector<uint32_t> labels;
                    for (size_t i = 0; i < half.size(); ++i) {
                        labels.push_back(static_cast<uint32_t>(random() % classes));
                    }
                    ClassCounts counts(0.25), changed(0.25);
                    CHECK(counts.change(count_by_class(half, labels, 1), changed).status ==
                          Status::done);
                    std::vector<int64_t> tokens(classes), numbers(classes);
                    int64_t sum = 0;
                    for (size_t i = 0; i < half.size(); ++i) {
                        tokens[labels[i]] += half.length(i);
                        numbers[labels[i]] += 1;
                        sum += half.length(i);
                    }
                    const ClassTotals totals = {tokens, numbers, sum, true};
                    const auto expected = scores_of(changed, totals, {.rows = &rows}, 1);
                    const UncutTexts uncut = {texts, analyzer, range, rule};
                    for (const Kernels* kernels : all_kernels()) {
                        if (!kernels->is_available()) continue;
                        std::vector<int64_t> scores(expected.size());
                        CHECK(score_all(*kernels, changed, totals, {.texts = &uncut}, 2,
                                        scores.data())
                                  .status == Status::done);
                        CHECK(scores == expected);
                        if (classes == 70000) break;
                        // And as if they had never been learnt.
                        const UncutTexts known = {all.subspan(0, 20), analyzer, range, rule};
                        CHECK(scores_of(changed, totals, {.texts = &known, .labels = labels}, 2) ==
                              scores_of(changed, totals, {.rows = &half, .labels = labels}, 1));
                    }
                }
            }
        }
    }
}

TEST(masked_evidence_is_added_to_its_classes_on_every_instruction_set) {
    Random random(77);
    constexpr size_t kLine = 16;  // words
    for (size_t count : {0, 1, 2, 17, 300}) {
        // As they lie in memory: one that fits into a cache line does not cross into the next.
        std::vector<uint32_t, LargePages<uint32_t>> memory(40 * (count + 2));
        std::vector<const uint32_t*> lists;
        std::vector<int64_t> alone(32), extended(32);
        size_t end = 1;
        for (size_t i = 0; i < count; ++i) {
            uint32_t mask = static_cast<uint32_t>(random());
            if (i % 3 == 1) mask &= static_cast<uint32_t>(random() & random() & random());
            if (i % 5 == 2) mask = i % 2 ? UINT32_MAX : UINT32_MAX >> 1;
            const size_t size = 1 + static_cast<size_t>(std::popcount(mask));
            const size_t line = (end + kLine - 1) / kLine * kLine;
            const size_t start = end + size > line ? line : end;
            lists.push_back(&memory[start]);
            end = start;
            memory[end++] = mask;
            for (size_t c = 0; c < 32; ++c) {
                if ((mask >> c & 1) == 0) continue;
                const Evidence evidence = {static_cast<int16_t>(random()),
                                           static_cast<int16_t>(random())};
                std::memcpy(&memory[end++], &evidence, sizeof evidence);
                alone[c] += evidence.alone;
                extended[c] += evidence.extended;
            }
        }
        for (const Kernels* kernels : all_kernels()) {
            if (!kernels->is_available()) continue;
            for (const bool is_alone : {false, true}) {
                std::vector<int32_t> sums(32, 5);
                kernels->add_masked(lists.data(), count, is_alone, sums.data());
                for (size_t c = 0; c < 32; ++c) {
                    CHECK(sums[c] == 5 + (is_alone ? alone : extended)[c]);
                }
            }
        }
    }
}

TEST(classes_are_renumbered_and_dropped) {
    Random random(75);
    const auto examples = random_examples(random, 80);
    std::vector<Example> kept;
    std::vector<uint32_t> numbers(kClasses);
    for (uint32_t c = 0; c < kClasses; ++c) {
        numbers[c] = c % 3 == 1 ? ClassCounts::kDropped : 2 * c;
    }
    for (const Example& example : examples) {
        if (numbers[example.label] == ClassCounts::kDropped) continue;
        kept.push_back({example.tokens, numbers[example.label]});
    }
    CHECK(same(learnt(ClassCounts(1), examples, 1).renumbered(numbers),
               learnt(ClassCounts(1), kept, 1)));
}

TEST(coded_counts_are_read_or_refused) {
    Random random(76);
    const auto examples = random_examples(random, 50);
    ClassCounts counts = learnt(ClassCounts(1), examples, 1);
    const ClassCount large[] = {{kBuckets, 3, INT64_MAX / 2}, {kBuckets + 300, 0, 129}};
    ClassCounts more(1);
    CHECK(counts.change(large, more).status == Status::done);
    const std::vector<uint8_t> coded = more.coded();
    std::vector<int64_t> tokens(kClasses), sums(kClasses);
    CHECK(check_counts(coded, kBuckets + 301, tokens) == Status::done);
    for (const Example& example : examples) sums[example.label] += example.length();
    sums[3] += INT64_MAX / 2;
    sums[0] += 129;
    CHECK(tokens == sums);
    CHECK(same(ClassCounts(1, coded, kClasses), more));
    const auto refuses = [](std::vector<uint8_t> bytes, uint32_t buckets, size_t classes) {
        std::vector<int64_t> ignored(classes);
        return check_counts(bytes, buckets, ignored) != Status::done;
    };
    CHECK(refuses(coded, kBuckets + 300, kClasses));  // a bucket too many
    CHECK(refuses(coded, kBuckets + 301, 3));         // a class too many
    CHECK(refuses({0, 0}, 9, 9));                     // a bucket of no class
    CHECK(refuses({0}, 9, 9));
    CHECK(refuses({0, 1, 0x80, 0}, 9, 9));  // a number longer than need be
    CHECK(refuses({0, 1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, 9, 9));
    CHECK(refuses({0, 1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, 9, 9));
    std::vector<uint8_t> twice = {0, 2};  // counts of 2^62 + 2 each
    for (int i = 0; i < 2; ++i) {
        twice.push_back(1);
        for (int j = 0; j < 8; ++j) twice.push_back(0x80);
        twice.push_back(0x40);
    }
    CHECK(refuses(twice, 9, 9));
    // Whatever is read without complaint is written again as it was.
    for (int i = 0; i < 20000; ++i) {
        std::vector<uint8_t> bytes(random() % 12);
        for (uint8_t& byte : bytes) {
            byte = static_cast<uint8_t>(random() % 3 ? random() % 6 : random());
        }
        if (refuses(bytes, 1 << 20, 300)) continue;
        CHECK(ClassCounts(1, bytes, 300).coded() == bytes);
    }
}

TEST(parts_add_up_to_the_score) {
    Random random(73);
    const auto examples = random_examples(random, 50);
    Slow slow;
    for (const Example& example : examples) slow.add(example, 1);
    const ClassCounts counts = learnt(ClassCounts(0.5), examples, 1);
    const ClassTotals totals = {slow.tokens, slow.texts, slow.all, true};
    RowScorer scorer(active_kernels(), counts, totals);
    for (const Example& asked : random_examples(random, 10)) {
        for (uint32_t c = 0; c < kClasses; ++c) {
            std::vector<int64_t> parts(asked.tokens.size());
            scorer.explain(asked.tokens, c, parts.data());
            int64_t sum = scorer.start(c);
            for (const int64_t part : parts) sum += part;
            CHECK(sum == slow.score(asked.tokens, c, 0.5));
        }
    }
}

TEST(classes_beyond_a_mask_join_those_in_masks) {
    Random random(78);
    auto examples = random_examples(random, 80);
    constexpr uint32_t kMore = 41;  // classes
    const ClassCounts few(0.5, learnt(ClassCounts(0.5), examples, 1).coded(), kClasses);
    std::vector<Example> more = random_examples(random, 6);
    for (Example& example : more) example.label = 32 + example.label % kClasses;
    const ClassCounts counts = learnt(few, more, 1);
    examples.insert(examples.end(), more.begin(), more.end());
    Slow slow;
    slow.tokens.resize(kMore);
    slow.texts.resize(kMore);
    for (const Example& example : examples) slow.add(example, 1);
    const ClassTotals totals = {slow.tokens, slow.texts, slow.all, true};
    const TokenRows rows = rows_of(examples);
    const std::vector<uint32_t> labels = labels_of(examples);
    const auto known = scores_of(counts, totals, {.rows = &rows}, 1);
    const auto without = scores_of(counts, totals, {.rows = &rows, .labels = labels}, 1);
    RowScorer scorer(active_kernels(), counts, totals);
    for (size_t i = 0; i < examples.size(); ++i) {
        const std::vector<CountedToken>& text = examples[i].tokens;
        for (uint32_t c = 0; c < kMore; ++c) {
            if (slow.texts[c] == 0) continue;
            std::vector<int64_t> parts(text.size());
            scorer.explain(text, c, parts.data());
            int64_t sum = scorer.start(c);
            for (const int64_t part : parts) sum += part;
            CHECK(sum == slow.score(text, c, 0.5));
            CHECK(known[i * kMore + c] == sum);
        }
        slow.add(examples[i], -1);
        for (uint32_t c = 0; c < kMore; ++c) {
            if (slow.texts[c] > 0) CHECK(without[i * kMore + c] == slow.score(text, c, 0.5));
        }
        slow.add(examples[i], 1);
    }
}

TEST(counts_stay_between_0_and_2_to_the_63) {
    const ClassCount most = {5, 1, INT64_MAX};
    ClassCounts counts(1), kept(1);
    CHECK(counts.change({&most, 1}, kept).status == Status::done);
    const ClassCount one_more = {5, 2, 1}, less = {5, 2, -1}, unknown = {6, 1, -1};
    ClassCounts result = kept;
    CHECK(kept.change({&one_more, 1}, result).status == Status::overflow);
    CHECK(kept.change({&less, 1}, result).status == Status::out_of_range);
    CHECK(kept.change({&unknown, 1}, result).status == Status::out_of_range);
    CHECK(same(result, kept));
}
