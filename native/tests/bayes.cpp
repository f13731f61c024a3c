#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "bayes/batch.h"
#include "memory/large_pages.h"
#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

constexpr uint32_t kBuckets = 257;  // few, so that tokens share them
constexpr uint32_t kOrders = 3;
constexpr double kSmoothing = 0.25;

struct Example {
    std::vector<CountedToken> tokens;
    uint32_t label;
};

// Each pair of bucket and order once.
Example random_example(Random& random, size_t size, uint32_t classes) {
    Example example = {{}, static_cast<uint32_t>(random() % classes)};
    std::map<std::pair<uint32_t, uint32_t>, int64_t> counts;
    for (size_t i = 0; i < size; ++i) {
        ++counts[{static_cast<uint32_t>(random() % kBuckets),
                  static_cast<uint32_t>(random() % kOrders)}];
    }
    for (const auto& [key, count] : counts) {
        example.tokens.push_back({key.first, key.second, count});
    }
    return example;
}

std::vector<Example> random_examples(Random& random, size_t count, uint32_t classes) {
    std::vector<Example> examples;
    for (size_t i = 0; i < count; ++i) {
        examples.push_back(random_example(random, random() % 80, classes));
    }
    return examples;
}

// Counts by class in maps, and scores by tables made of the standard library's logarithms.
class Slow {
public:
    explicit Slow(uint32_t classes) : texts(classes), tokens(classes * kOrders) {}

    void add(const Example& example, int64_t times) {
        for (const CountedToken& token : example.tokens) {
            counts_[token.bucket][example.label] += times * token.count;
            totals_[token.bucket] += times * token.count;
            tokens[example.label * kOrders + token.order] += times * token.count;
        }
        texts[example.label] += times;
    }

    double score(std::span<const CountedToken> text, uint32_t label, const ClassTotals& totals) {
        if (texts[label] == 0) return kNoScore;
        int64_t all_texts = 0;
        for (const int64_t count : texts) all_texts += count;
        const int64_t common = level(std::max<int64_t>(8, (all_texts + 19) / 20));
        int64_t with_texts = 0;
        for (const int64_t count : texts) with_texts += count > 0;
        const int64_t expected_texts = texts[label] + all_texts / with_texts;
        double score = 0.5 * std::log(2.0) / 65536 * static_cast<double>(units(expected_texts));
        for (uint32_t k = 0; k < kOrders; ++k) {
            int64_t length = 0, sums[2] = {0, 0}, of_order = 0;
            for (size_t c = 0; c < texts.size(); ++c) of_order += tokens[c * kOrders + k];
            const int64_t mine = tokens[label * kOrders + k];
            for (const CountedToken& token : text) {
                if (token.order != k) continue;
                length += token.count;
                const int64_t total = totals_[token.bucket];
                if (total == 0) continue;
                const int64_t found = counts_[token.bucket][label];
                const bool is_shared = classes_with(token.bucket) > 64;
                int64_t counted = bits(found);
                if (!is_shared) counted += 2 * (bits(total) - bits(total - found));
                // What was to be expected of so many of the order's tokens.
                const auto expected = [&](int64_t tokens) {
                    const int64_t at = (level(total) << 14) + (2 << 16);
                    return tokens > 0 ? of_sum(at + units(tokens) - units(of_order)) : 0;
                };
                int64_t value = 128 * std::min<int64_t>(counted, INT16_MAX) - expected(mine);
                if (!is_shared) value -= 2 * (expected(of_order) - expected(of_order - mine));
                sums[level(total) >= common] += token.count * value;
            }
            for (const size_t v : {0, 1}) {
                if (length == 0) continue;
                score += totals.weights(2 * k + v)[label] / 65536 * static_cast<double>(sums[v]) /
                         std::sqrt(static_cast<double>(length));
            }
        }
        return score;
    }

    ClassTotals totals() const {
        // No class is recalled: there are biases, or many texts.
        std::vector<double> weights;
        for (uint32_t v = 0; v < 2 * kOrders; ++v) {
            for (size_t c = 0; c < texts.size(); ++c) {
                weights.push_back(0.1 + 0.07 * v + 0.01 * static_cast<double>(c % 3));
            }
        }
        const std::vector<double> none(texts.size(), std::nan(""));
        return ClassTotals(texts, tokens, kOrders, {weights, none, 0.5}, kSmoothing);
    }

    std::vector<int64_t> texts, tokens;

private:
    size_t classes_with(uint32_t bucket) {
        const auto& counts = counts_[bucket];
        return static_cast<size_t>(std::count_if(counts.begin(), counts.end(),
                                                 [](const auto& each) { return each.second > 0; }));
    }
    static int64_t bits(int64_t count) {
        return count == 0 ? 0 : (of_sum(units(count) + (2 << 16)) + 64) / 128;
    }
    static int64_t rounded(double value) { return static_cast<int64_t>(std::floor(value + 0.5)); }
    // Logarithms take long on an emulated processor: each number asks for its own once.
    template <class Function>
    static int64_t once(std::map<int64_t, int64_t>& known, int64_t i, const Function& function) {
        const auto [place, is_new] = known.try_emplace(i);
        if (is_new) place->second = rounded(function());
        return place->second;
    }
    // 2^16 log2(count), on straight lines between 4,096 steps of an octave.
    static int64_t units(int64_t count) {
        const int octave = static_cast<int>(std::log2(static_cast<double>(count)));
        const auto rest =
            static_cast<int64_t>((static_cast<double>(count) / std::exp2(octave) - 1) * (1 << 28));
        static std::map<int64_t, int64_t> known;
        const auto at = [](int64_t i) {
            return once(known, i,
                        [i] { return (1 << 20) * std::log2(1 + static_cast<double>(i) / 4096); });
        };
        const int64_t step = rest / 65536;
        const int64_t found = at(step) + (at(step + 1) - at(step)) * (rest % 65536) / 65536;
        return 65536 * octave + (found + 8) / 16;
    }
    // log2(1 + 2^u), on straight lines between steps of 1/64.
    static int64_t of_sum(int64_t u) {
        const int64_t step = u >= 0 ? u / 1024 : -((1023 - u) / 1024);
        static std::map<int64_t, int64_t> known;
        const auto at = [](int64_t i) {
            return once(known, i, [i] {
                return 65536 * std::log2(1 + std::exp2(static_cast<double>(i) / 64));
            });
        };
        return at(step) + (at(step + 1) - at(step)) * (u - 1024 * step) / 1024;
    }
    static int64_t level(int64_t count) {
        if (count < 4096) return rounded(4 * std::log2(static_cast<double>(count)));
        int shift = 0;
        while (count >> shift >= 4096) ++shift;
        return level(count >> shift) + 4 * shift;
    }

    std::map<uint32_t, std::map<uint32_t, int64_t>> counts_;  // by bucket and class
    std::map<uint32_t, int64_t> totals_;                      // by bucket
};

std::vector<ClassCount> changes_of(const std::vector<Example>& examples, int64_t times) {
    TokenRows rows;
    std::vector<uint32_t> labels;
    for (const Example& example : examples) {
        rows.push_back(example.tokens);
        labels.push_back(example.label);
    }
    return count_by_class(rows, labels, times);
}

ClassCounts changed(const ClassCounts& counts, const std::vector<Example>& examples,
                    int64_t times) {
    ClassCounts result = counts;
    CHECK(counts.change(changes_of(examples, times), result).status == Status::done);
    return result;
}

bool is_near(double a, double b) { return a == b || std::abs(a - b) < 1e-9 * (1 + std::abs(b)); }

std::vector<double> scores_of(const ClassCounts& counts, const ClassTotals& totals,
                              const Query& query, size_t threads, Status expected = Status::done) {
    std::vector<double> scores(query.size() * totals.classes());
    CHECK(score_all(active_kernels(), counts, totals, query, threads, scores.data()).status ==
          expected);
    return scores;
}

// How much surer scores become where no weights were fitted.
double sureness_of(const std::vector<double>& scores) {
    double count = 0, mean = 0, variance = 0;
    for (const double score : scores) count += score != kNoScore;
    for (const double score : scores) mean += score == kNoScore ? 0 : score / count;
    for (const double score : scores) {
        variance += score == kNoScore ? 0 : (score - mean) * (score - mean) / count;
    }
    return std::max(1.0,
                    std::exp(-0.34) * std::pow(count, 0.23) * std::pow(variance + 0.01, -0.16));
}

// Texts that no class has learnt are scored as by the oracle.
void check_scores(const ClassCounts& counts, Slow& slow, const std::vector<Example>& asked) {
    TokenRows rows;
    for (const Example& example : asked) rows.push_back(example.tokens);
    const ClassTotals totals = slow.totals();
    Query query;
    query.rows = &rows;
    const std::vector<double> scores = scores_of(counts, totals, query, 1);
    CHECK(scores_of(counts, totals, query, 3) == scores);
    for (size_t i = 0; i < asked.size(); ++i) {
        std::vector<double> expected;
        for (uint32_t c = 0; c < totals.classes(); ++c) {
            expected.push_back(slow.score(asked[i].tokens, c, totals));
        }
        const double highest = *std::max_element(expected.begin(), expected.end());
        const double sureness = sureness_of(expected);
        for (uint32_t c = 0; c < totals.classes(); ++c) {
            const double score = scores[i * totals.classes() + c];
            CHECK(is_near(highest + (score - highest) / sureness, expected[c]));
        }
    }
}

// Long texts: none of them is part of a class with few texts.
std::vector<Example> strange_examples(Random& random, uint32_t classes) {
    std::vector<Example> examples;
    for (size_t i = 0; i < 6; ++i) {
        examples.push_back(random_example(random, 3000, classes));
    }
    return examples;
}

bool is_space(uint32_t c) { return c == ' '; }
bool is_word(uint32_t c) { return c >= 'A'; }

const CharacterTable& plain_characters() {
    static const CharacterTable characters({is_space, is_word, {}});
    return characters;
}

}  // namespace

// Layers are not made anew between a change and the scores.
TEST(scores_are_the_oracles_for_every_history) {
    for (const uint32_t classes : {2u, 9u, 32u, 33u, 70u, 300u}) {
        Random random(classes);
        Slow slow(classes);
        ClassCounts counts(kSmoothing);
        const std::vector<Example> asked = strange_examples(random, classes);
        std::vector<std::vector<Example>> history;
        for (size_t i = 0; i < 40; ++i) {
            if (i % 3 == 2) {
                // Buckets that only these had are empty again.
                const size_t which = random() % history.size();
                counts = changed(counts, history[which], -1);
                for (const Example& example : history[which]) slow.add(example, -1);
                history.erase(history.begin() + static_cast<ptrdiff_t>(which));
            } else {
                history.push_back(random_examples(random, 1 + random() % 30, classes));
                counts = changed(counts, history.back(), 1);
                for (const Example& example : history.back()) slow.add(example, 1);
            }
            if (i % 8 == 7) check_scores(counts, slow, asked);
        }
        check_scores(counts, slow, asked);
        check_scores(counts.with_smoothing(kSmoothing), slow, asked);
        const ClassCounts read(kSmoothing, counts.coded(), counts.classes());
        CHECK(read.coded() == counts.coded() && read.entries() == counts.entries());
        check_scores(read, slow, asked);
        for (const auto& examples : history) counts = changed(counts, examples, -1);
        CHECK(counts.coded().empty() && counts.entries() == 0);
    }
}

TEST(a_long_text_is_scored_as_by_the_oracle) {
    Random random(5);
    Slow slow(4);
    const std::vector<Example> examples = random_examples(random, 50, 4);
    const ClassCounts counts = changed(ClassCounts(kSmoothing), examples, 1);
    for (const Example& example : examples) slow.add(example, 1);
    // More of one token than 32 bits can add up, and as many tokens one by one.
    Example large = random_example(random, 300, 4);
    large.tokens[7].count = int64_t{1} << 33;
    check_scores(counts, slow, {large});
    check_scores(counts, slow, {random_example(random, size_t{1} << 17, 4)});
}

TEST(many_tokens_of_large_evidence_are_scored_as_by_the_oracle) {
    Example learnt = {{}, 1}, asked = {{}, 0};
    for (uint32_t bucket = 0; bucket < 1u << 18; ++bucket) {
        learnt.tokens.push_back({bucket, 0, int64_t{1} << 30});
        asked.tokens.push_back({bucket, 0, 1});
    }
    Slow slow(2);
    slow.add(learnt, 1);
    check_scores(changed(ClassCounts(kSmoothing), {learnt}, 1), slow, {asked});
}

TEST(left_out_is_never_learnt) {
    for (const uint32_t classes : {5u, 40u, 90u}) {
        Random random(classes + 1);
        const std::vector<Example> examples = random_examples(random, 60, classes);
        Slow slow(classes);
        for (const Example& example : examples) slow.add(example, 1);
        ClassCounts counts(kSmoothing);
        for (const Example& example : examples) counts = changed(counts, {example}, 1);
        for (const Example& example : examples) {
            TokenRows rows;
            rows.push_back(example.tokens);
            const std::vector<uint32_t> labels = {example.label};
            Query query;
            query.rows = &rows;
            query.labels = labels;
            const std::vector<double> scores = scores_of(counts, slow.totals(), query, 1);
            slow.add(example, -1);
            query.labels = {};
            CHECK(scores == scores_of(changed(counts, {example}, -1), slow.totals(), query, 1));
            slow.add(example, 1);
        }
    }
}

TEST(what_was_never_learnt_cannot_be_left_out) {
    Random random(3);
    const std::vector<Example> examples = random_examples(random, 9, 3);
    Slow slow(3);
    for (const Example& example : examples) slow.add(example, 1);
    const ClassCounts counts = changed(ClassCounts(kSmoothing), examples, 1);
    Example strange = random_example(random, 5000, 3);
    strange.tokens[0].count = int64_t{1} << 40;
    TokenRows rows;
    rows.push_back(strange.tokens);
    const std::vector<uint32_t> labels = {1};
    Query query;
    query.rows = &rows;
    query.labels = labels;
    scores_of(counts, slow.totals(), query, 1, Status::out_of_range);
}

TEST(a_text_is_recalled_by_the_class_that_learnt_it) {
    Random random(8);
    Slow slow(3);
    ClassCounts counts(kSmoothing);
    for (size_t i = 0; i < 500; ++i) {
        Example example = random_example(random, 60, 2);
        counts = changed(counts, {example}, 1);
        slow.add(example, 1);
    }
    for (size_t i = 0; i < 20; ++i) {
        Example taught = random_example(random, 1 + random() % 10, 2);
        taught.label = 2;
        const ClassCounts with = changed(counts, {taught}, 1);
        slow.add(taught, 1);
        TokenRows rows;
        rows.push_back(taught.tokens);
        Query query;
        query.rows = &rows;
        const std::vector<double> scores = scores_of(with, slow.totals(), query, 1);
        CHECK(scores[2] >= std::max(scores[0], scores[1]) + kLift - 1e-9);
        slow.add(taught, -1);
    }
}

TEST(texts_are_scored_as_their_tokens_on_every_instruction_set) {
    const std::u16string words = u"to be or not to be, that is the question: Whether 'tis nobler ";
    for (const uint32_t classes : {3u, 32u, 200u}) {
        Random random(classes);
        const BucketRule rule(4096, false);
        for (const Analyzer analyzer : {Analyzer::text, Analyzer::characters, Analyzer::word,
                                        Analyzer::characters_in_words}) {
            const Tokenization how = {analyzer, {1, 3}};
            const size_t orders = analyzer == Analyzer::text ? 5 : 3;
            std::vector<std::u16string> strings;
            for (size_t i = 0; i < 30; ++i) {
                std::u16string string;
                const size_t size = i == 0 ? 17'000 : random() % 90;  // more than a window
                while (string.size() < size) string += words[random() % words.size()];
                strings.push_back(string);
            }
            std::vector<Text> texts;
            for (const std::u16string& string : strings) {
                texts.push_back({string.data(), string.size(), 2, &plain_characters()});
            }
            TokenRows rows;
            CHECK(count_token_rows(active_kernels(), rule, how, texts, 2, rows).status ==
                  Status::done);
            std::vector<uint32_t> labels;
            for (size_t i = 0; i < texts.size(); ++i) {
                labels.push_back(static_cast<uint32_t>(random() % classes));
            }
            std::vector<int64_t> of_class(classes), tokens(classes * orders);
            ClassCounts counts(kSmoothing);
            const auto change = [&](size_t i, int64_t times) {
                TokenRows row;
                row.push_back(rows[i]);
                const ClassCounts before = counts;
                CHECK(before.change(count_by_class(row, {&labels[i], 1}, times), counts).status ==
                      Status::done);
                of_class[labels[i]] += times;
                for (const CountedToken& token : rows[i]) {
                    tokens[labels[i] * orders + token.order] += times * token.count;
                }
            };
            for (size_t i = 0; i < texts.size(); ++i) change(i, 1);
            // Buckets that only these had are empty again, in a layer above those that have them.
            for (size_t i = 10; i < texts.size(); i += 4) change(i, -1);
            const ClassTotals totals(of_class, tokens, orders,
                                     {std::vector<double>(2 * orders * classes, 0.3),
                                      std::vector<double>(classes, std::nan("")), 0.5},
                                     kSmoothing);
            const PendingTexts pending = {texts, how, rule};
            Query by_text, by_rows;
            by_text.texts = &pending;
            by_rows.rows = &rows;
            const std::vector<double> expected = scores_of(counts, totals, by_rows, 1);
            for (const Kernels* kernels : all_kernels()) {
                if (!kernels->is_available()) continue;
                for (const Query& query : {by_text, by_rows}) {
                    std::vector<double> scores(expected.size());
                    CHECK(score_all(*kernels, counts, totals, query, 3, scores.data()).status ==
                          Status::done);
                    CHECK(scores == expected);
                }
            }
        }
    }
}

TEST(logarithms_are_those_of_the_standard_library_rounded) {
    const Logarithms& logarithms = Logarithms::shared();
    for (const int64_t count : {1, 2, 3, 5, 100, 4095, 4096, 4097, 1 << 20, 123456789}) {
        const double exact = 65536 * std::log2(static_cast<double>(count));
        CHECK(std::fabs(logarithms.of(count) - exact) < 0.51);
    }
    CHECK(logarithms.of(0) == kNoLogarithm);
    CHECK(logarithms.of(INT64_MAX) == 63 << kLogBits);
    int falls = 0;
    for (int64_t count = 1; count < 50000; ++count) {
        falls += logarithms.of(count + 1) < logarithms.of(count);
    }
    CHECK(falls == 0);
    for (const int64_t count : {1, 2, 3, 700, 4095, 4096, 5000, 1 << 30}) {
        CHECK(std::fabs(logarithms.level_of(count) - 4 * std::log2(static_cast<double>(count))) <
              0.505);
    }
    CHECK(logarithms.level_of(INT64_MAX) < Logarithms::kLevels);
    CHECK(logarithms.of_sum(0) == 1 << kLogBits);
    CHECK(logarithms.of_sum(kNoLogarithm) == 0 && logarithms.of_sum(INT32_MIN) == 0);
    CHECK(logarithms.of_sum(INT32_MAX) == logarithms.of_sum(Logarithms::kHighest));
    int wrong = 0;
    for (int32_t u = Logarithms::kLowest; u < Logarithms::kHighest; u += 97) {
        const double exact = 65536 * std::log2(1 + std::exp2(u / 65536.0));
        wrong += std::fabs(logarithms.of_sum(u) - exact) > 2;
    }
    CHECK(wrong == 0);
}

TEST(evidence_tells_its_count_or_that_it_cannot) {
    for (const double smoothing : {1e-6, 0.03, 0.25, 0.5, 1.0, 300.0, 1e6}) {
        const EvidenceRule rule(smoothing);
        int32_t last = -1;
        for (int64_t count = 0; count < 10000; ++count) {
            const int32_t weight = rule.of(count);
            const double exact = 512 * std::log2(1 + static_cast<double>(count) / smoothing);
            CHECK(weight >= last && (weight == INT16_MAX || std::fabs(weight - exact) < 0.52));
            const int64_t told = rule.count_of(weight);
            CHECK(told == count || (told == -1 && (count > 500 || smoothing > 1)));
            last = weight;
        }
        CHECK(rule.of(INT64_MAX) <= INT16_MAX);
    }
}

TEST(masked_evidence_is_added_to_its_classes_on_every_instruction_set) {
    Random random(77);
    constexpr size_t kLine = 16;  // words
    for (size_t count : {0, 1, 2, 17, 300}) {
        // As they lie in memory: one that fits into a cache line does not cross into the next.
        std::vector<uint32_t, LargePages<uint32_t>> memory(40 * (count + 2));
        std::vector<const uint32_t*> lists;
        std::vector<int64_t> expected(32, 5);
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
                const auto value = static_cast<int16_t>(random());
                memory[end++] = static_cast<uint32_t>(int32_t{value});
                expected[c] += value;
            }
        }
        for (const Kernels* kernels : all_kernels()) {
            if (!kernels->is_available()) continue;
            std::vector<int32_t> sums(32, 5);
            kernels->add_masked(lists.data(), count, sums.data());
            for (size_t c = 0; c < 32; ++c) CHECK(sums[c] == expected[c]);
        }
    }
}

TEST(coded_counts_are_read_or_refused) {
    constexpr uint32_t kClasses = 9;
    Random random(76);
    const auto examples = random_examples(random, 50, kClasses);
    ClassCounts counts = changed(ClassCounts(1), examples, 1);
    const ClassCount large[] = {{kBuckets, 3, INT64_MAX / 2}, {kBuckets + 300, 0, 129}};
    ClassCounts more(1);
    CHECK(counts.change(large, more).status == Status::done);
    const std::vector<uint8_t> coded = more.coded();
    std::vector<int64_t> tokens(kClasses), sums(kClasses);
    CHECK(check_counts(coded, kBuckets + 301, tokens) == Status::done);
    for (const Example& example : examples) {
        for (const CountedToken& token : example.tokens) sums[example.label] += token.count;
    }
    sums[3] += INT64_MAX / 2;
    sums[0] += 129;
    CHECK(tokens == sums);
    CHECK(ClassCounts(1, coded, kClasses).coded() == coded);
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

TEST(classes_are_renumbered_and_dropped) {
    ClassCounts counts(1);
    const ClassCount some[] = {{3, 0, 2}, {3, 1, 5}, {7, 1, 1}, {7, 2, 4}};
    CHECK(ClassCounts(1).change(some, counts).status == Status::done);
    const uint32_t numbers[] = {4, ClassCounts::kDropped, 5};
    const ClassCount expected[] = {{3, 4, 2}, {7, 5, 4}};
    ClassCounts other(1);
    CHECK(ClassCounts(1).change(expected, other).status == Status::done);
    CHECK(counts.renumbered(numbers).coded() == other.coded());
    CHECK(counts.renumbered(numbers).classes() == 6);
}
// Labels are moved apart, so that new classes come between those that are known.
TEST(classes_may_come_between_others) {
    for (const uint32_t classes : {3u, 20u, 60u}) {
        Random random(classes + 2);
        std::vector<std::vector<Example>> parts;
        ClassCounts counts(kSmoothing);
        uint32_t known = classes;
        for (int step = 0; step < 4; ++step) {
            parts.push_back(random_examples(random, 30, known));
            counts = changed(counts, parts.back(), 1);
            // Every number is doubled: the odd ones are free.
            std::vector<uint32_t> numbers(known);
            for (uint32_t label = 0; label < known; ++label) numbers[label] = 2 * label;
            counts = counts.renumbered(numbers);
            for (auto& part : parts) {
                for (Example& example : part) example.label *= 2;
            }
            known *= 2;
        }
        const std::vector<Example> forgotten = parts.front();
        parts.erase(parts.begin());
        counts = changed(counts, forgotten, -1);
        Slow slow(known);
        ClassCounts fresh(kSmoothing);
        for (const auto& part : parts) {
            for (const Example& example : part) slow.add(example, 1);
            fresh = changed(fresh, part, 1);
        }
        CHECK(counts.coded() == fresh.coded() && counts.entries() == fresh.entries());
        CHECK(counts.classes() <= known);
        check_scores(counts, slow, strange_examples(random, known));
        const Example& left_out = parts.back().front();
        TokenRows rows;
        rows.push_back(left_out.tokens);
        const std::vector<uint32_t> labels = {left_out.label};
        Query query;
        query.rows = &rows;
        query.labels = labels;
        CHECK(scores_of(counts, slow.totals(), query, 1) ==
              scores_of(fresh, slow.totals(), query, 1));
        const ClassTotals totals = slow.totals();
        RowScorer one(active_kernels(), counts, totals), other(active_kernels(), fresh, totals);
        std::vector<double> parts_of(left_out.tokens.size()), expected(left_out.tokens.size());
        one.explain(left_out.tokens, left_out.label, parts_of.data());
        other.explain(left_out.tokens, left_out.label, expected.data());
        CHECK(parts_of == expected);
    }
}

TEST(counts_stay_between_0_and_2_to_the_63) {
    ClassCounts counts(1), after(1);
    const ClassCount most[] = {{1, 0, INT64_MAX}};
    CHECK(ClassCounts(1).change(most, counts).status == Status::done);
    const ClassCount same[] = {{1, 0, 1}}, other[] = {{1, 1, 1}}, less[] = {{1, 0, -1}},
                     none[] = {{2, 0, -1}};
    CHECK(counts.change(same, after).status == Status::overflow);
    CHECK(counts.change(other, after).status == Status::overflow);
    CHECK(counts.change(none, after).status == Status::out_of_range);
    CHECK(counts.change(less, after).status == Status::done);
    const ClassCounts::Found found = after.find(1);
    CHECK(after.count(found, 0) == INT64_MAX - 1 && after.total(found) == INT64_MAX - 1);
}

// The same with views that add to the scores of other classes; the last class has no bias.
ClassTotals crossed(const Slow& slow) {
    const size_t classes = slow.texts.size(), with_bias = classes - 1;
    std::vector<double> weights(2 * kOrders * classes, 0.2), biases(classes, 0.5), crosses;
    biases.back() = std::nan("");
    for (size_t i = 0; i < 2 * kOrders * with_bias * with_bias; ++i) {
        crosses.push_back(0.01 * static_cast<double>(i % 17) - 0.07);
    }
    return ClassTotals(slow.texts, slow.tokens, kOrders, {weights, biases, 0, crosses}, kSmoothing);
}

TEST(views_add_to_the_scores_of_other_classes) {
    Random random(23);
    constexpr uint32_t kClasses = 4;
    Slow slow(kClasses);
    std::vector<Example> examples = random_examples(random, 60, kClasses);
    examples.push_back(examples.front());
    const ClassCounts counts = changed(ClassCounts(kSmoothing), examples, 1);
    for (const Example& example : examples) slow.add(example, 1);
    const ClassTotals totals = crossed(slow);
    CHECK(totals.crossed().size() == kClasses - 1);
    const ClassTotals plain(
        slow.texts, slow.tokens, kOrders,
        {std::vector<double>(2 * kOrders * kClasses, 0.2), {0.5, 0.5, 0.5, std::nan("")}, 0},
        kSmoothing);
    RowScorer scorer(active_kernels(), counts, totals), other(active_kernels(), counts, plain);
    std::vector<double> views(2 * kOrders * kClasses), scores(kClasses), expected(kClasses);
    for (const Example& example : strange_examples(random, kClasses)) {
        scorer.score(example.tokens, scores.data(), views.data());
        other.score(example.tokens, expected.data());
        for (size_t v = 0; v < 2 * kOrders; ++v) {
            for (size_t from = 0; from < 3; ++from) {
                for (size_t to = 0; to < 3; ++to) {
                    expected[to] +=
                        (0.01 * static_cast<double>((9 * v + 3 * from + to) % 17) - 0.07) *
                        views[v * kClasses + from];
                }
            }
        }
        for (uint32_t c = 0; c < kClasses; ++c) {
            // The class without a bias may have learnt the text word for word.
            if (c + 1 < kClasses) CHECK(is_near(scores[c], expected[c]));
        }
    }
    // Leaving an example out is never having learnt it, for its own class and all others.
    const Example& left_out = examples.front();
    const ClassCounts without = changed(counts, {left_out}, -1);
    slow.add(left_out, -1);
    const ClassTotals fewer = crossed(slow);
    RowScorer fresh(active_kernels(), without, fewer);
    CHECK(scorer.score_without(left_out.tokens, left_out.label, scores.data()));
    fresh.score(left_out.tokens, expected.data());
    CHECK(scores == expected);
}

TEST(parts_add_up_to_the_score) {
    Random random(17);
    Slow slow(4);
    const std::vector<Example> examples = random_examples(random, 40, 4);
    const ClassCounts counts = changed(ClassCounts(kSmoothing), examples, 1);
    for (const Example& example : examples) slow.add(example, 1);
    for (const ClassTotals& totals : {slow.totals(), crossed(slow)}) {
        RowScorer scorer(active_kernels(), counts, totals);
        for (const Example& example : strange_examples(random, 4)) {
            std::vector<double> scores(4), parts(example.tokens.size());
            scorer.score(example.tokens, scores.data());
            for (uint32_t c = 0; c < 4; ++c) {
                scorer.explain(example.tokens, c, parts.data());
                double sum = totals.start(c);
                for (const double part : parts) sum += part;
                // A text that the class without a bias has learnt word for word is lifted besides.
                if (totals.is_recalled(c, totals.texts(c))) continue;
                CHECK(std::abs(sum - scores[c]) < 1e-9 * (1 + std::abs(sum)));
            }
        }
    }
}
