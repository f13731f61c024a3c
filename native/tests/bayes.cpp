#include <cmath>
#include <map>

#include "bayes/batch.h"
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
        tokens.resize(kClasses);
        texts.resize(kClasses);
        tokens[example.label] += times * example.length();
        texts[example.label] += times;
        all += times * example.length();
    }

    int64_t score(const std::vector<CountedToken>& text, uint32_t label, double smoothing) {
        if (texts[label] == 0) return kNoScore;
        int64_t score = 4 * 1024 * steps(static_cast<double>(texts[label]));
        for (const CountedToken& token : text) {
            if (totals_[token.bucket] == 0) continue;
            const bool begins = token.prefix == kNoPrefix;
            const uint32_t prefix = begins ? 0 : text[token.prefix].bucket;
            const int64_t before = steps(static_cast<double>(begins ? all : totals_[prefix]));
            const int64_t own = begins ? tokens[label] : counts_[prefix][label];
            const int64_t mine = counts_[token.bucket][label];
            score += token.count *
                     weight(steps(static_cast<double>(mine)) + before / 2 -
                            steps(static_cast<double>(totals_[token.bucket])) - steps(smoothing));
            score -= token.count *
                     weight(steps(static_cast<double>(own)) - before / 2 - steps(smoothing));
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
        const double power = std::exp2(static_cast<double>(std::max<int64_t>(u, -18 * 64)) / 64);
        return static_cast<int64_t>(std::floor(65536 * std::log2(1 + power) + 0.5));
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

TokenCounts learnt(const TokenCounts& counts, const std::vector<Example>& examples, int64_t times) {
    TokenCounts result = counts;
    const Outcome outcome =
        counts.change(count_by_class(rows_of(examples), labels_of(examples), times), result);
    CHECK(outcome.status == Status::done);
    return result;
}

bool same(const TokenCounts& a, const TokenCounts& b) {
    const auto one = a.all(), two = b.all();
    if (one.size() != two.size() || a.entries() != one.size() || b.entries() != two.size()) {
        return false;
    }
    for (size_t i = 0; i < one.size(); ++i) {
        if (one[i].bucket != two[i].bucket || one[i].label != two[i].label ||
            one[i].count != two[i].count) {
            return false;
        }
    }
    return true;
}

}  // namespace

TEST(logarithms_are_those_of_the_standard_library_rounded) {
    for (int64_t count : {1, 2, 3, 5, 100, 4095, 4096, 4097, 1 << 20, 123456789}) {
        const double exact = 64 * std::log2(static_cast<double>(count));
        CHECK(steps_of(count) == static_cast<Steps>(std::floor(exact + 0.5)));
    }
    CHECK(steps_of(int64_t{0}) == kNoSteps);
    CHECK(steps_of(INT64_MAX) == 63 * kSteps);
    const Weights& weights = Weights::shared();
    CHECK(weights(0) == 1 << kWeightBits);
    CHECK(weights(kNoSteps) == 0);
    int wrong = 0;
    for (int32_t u = Weights::kLowest; u < Weights::kHighest; ++u) {
        const double exact = 65536 * std::log2(1 + std::exp2(u / 64.0));
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
        TokenCounts one_by_one;
        for (const Example& example : examples) {
            slow.add(example, 1);
            one_by_one = learnt(one_by_one, {example}, 1);
        }
        const TokenCounts at_once = learnt(TokenCounts(), examples, 1);
        CHECK(same(at_once, one_by_one));
        CHECK(same(learnt(learnt(one_by_one, more, 1), more, -1), at_once));
        const auto asked = random_examples(random, 20);
        for (double smoothing : {0.0625, 0.25, 3.0}) {
            const ClassTotals totals = {slow.tokens, slow.texts, slow.all, smoothing};
            for (size_t threads : {1, 3}) {
                std::vector<int64_t> scores(asked.size() * kClasses);
                score_all(one_by_one, totals, rows_of(asked), {}, threads, scores.data());
                for (size_t i = 0; i < asked.size(); ++i) {
                    for (uint32_t c = 0; c < kClasses; ++c) {
                        CHECK(scores[i * kClasses + c] ==
                              slow.score(asked[i].tokens, c, smoothing));
                    }
                }
            }
        }
    }
}

TEST(left_out_is_never_learnt) {
    Random random(72);
    const auto examples = random_examples(random, 60);
    Slow slow;
    for (const Example& example : examples) slow.add(example, 1);
    const TokenCounts counts = learnt(TokenCounts(), examples, 1);
    const ClassTotals totals = {slow.tokens, slow.texts, slow.all, 0.25};
    std::vector<int64_t> scores(examples.size() * kClasses);
    score_all(counts, totals, rows_of(examples), labels_of(examples), 2, scores.data());
    for (size_t i = 0; i < examples.size(); ++i) {
        Slow rest;
        for (size_t j = 0; j < examples.size(); ++j) {
            if (j != i) rest.add(examples[j], 1);
        }
        for (uint32_t c = 0; c < kClasses; ++c) {
            CHECK(scores[i * kClasses + c] == rest.score(examples[i].tokens, c, 0.25));
        }
    }
}

TEST(parts_add_up_to_the_score) {
    Random random(73);
    const auto examples = random_examples(random, 50);
    Slow slow;
    for (const Example& example : examples) slow.add(example, 1);
    const TokenCounts counts = learnt(TokenCounts(), examples, 1);
    const ClassTotals totals = {slow.tokens, slow.texts, slow.all, 0.5};
    Scorer scorer(counts, totals);
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

TEST(counts_stay_between_0_and_2_to_the_63) {
    const ClassCount most = {5, 1, INT64_MAX};
    TokenCounts counts, kept;
    CHECK(counts.change({&most, 1}, kept).status == Status::done);
    const ClassCount one_more = {5, 2, 1}, less = {5, 2, -1}, unknown = {6, 1, -1};
    TokenCounts result = kept;
    CHECK(kept.change({&one_more, 1}, result).status == Status::overflow);
    CHECK(kept.change({&less, 1}, result).status == Status::out_of_range);
    CHECK(kept.change({&unknown, 1}, result).status == Status::out_of_range);
    CHECK(same(result, kept));
}
