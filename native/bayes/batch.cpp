#include "bayes/batch.h"

#include <cmath>

#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr size_t kChunk = 16;        // texts that a thread takes at a time
constexpr double kNegligible = -50;  // exp of less does not change a sum that is at least 1

// use(scorer, text) for each text.
template <class Use> void for_each_text(const TokenCounts& counts, const ClassTotals& totals,
                                        size_t texts, size_t threads, const Use& use) {
    const size_t chunks = (texts + kChunk - 1) / kChunk;
    run_parallel(threads, chunks, [&](auto next) {
        Scorer scorer(counts, totals);
        std::vector<int64_t> scores(totals.texts.size());
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            const size_t end = std::min(texts, (chunk + 1) * kChunk);
            for (size_t i = chunk * kChunk; i < end; ++i) use(scorer, scores.data(), i);
        }
    });
}

void score_one(Scorer& scorer, const TokenRows& rows, std::span<const uint32_t> labels, size_t i,
               int64_t* scores) {
    if (labels.empty()) {
        scorer.score(rows[i], scores);
    } else {
        scorer.score_without(rows[i], rows.length(i), labels[i], scores);
    }
}

}  // namespace

void score_all(const TokenCounts& counts, const ClassTotals& totals, const TokenRows& rows,
               std::span<const uint32_t> labels, size_t threads, int64_t* scores) {
    const size_t classes = totals.texts.size();
    for_each_text(counts, totals, rows.size(), threads, [&](Scorer& scorer, int64_t*, size_t i) {
        score_one(scorer, rows, labels, i, scores + i * classes);
    });
}

void find_best(const TokenCounts& counts, const ClassTotals& totals, const TokenRows& rows,
               std::span<const uint32_t> labels, double rate, size_t threads,
               const BestClasses& best) {
    const size_t classes = totals.texts.size();
    const auto find = [&](Scorer& scorer, int64_t* scores, size_t i) {
        score_one(scorer, rows, labels, i, scores);
        int64_t first = -1, second = -1, highest = kNoScore, next = kNoScore;
        for (size_t c = 0; c < classes; ++c) {
            if (scores[c] <= next) continue;
            if (scores[c] > highest) {
                second = first;
                next = highest;
                first = static_cast<int64_t>(c);
                highest = scores[c];
            } else {
                second = static_cast<int64_t>(c);
                next = scores[c];
            }
        }
        double mass = 0;
        for (size_t c = 0; c < classes; ++c) {
            if (scores[c] == kNoScore) continue;
            const double exponent = rate * static_cast<double>(scores[c] - highest);
            if (exponent > kNegligible) mass += std::exp(exponent);
        }
        best.winners[i] = first;
        best.scores[i] = highest;
        best.runners_up[i] = second;
        best.runner_up_scores[i] = next;
        best.masses[i] = mass;
    };
    for_each_text(counts, totals, rows.size(), threads, find);
}

}  // namespace addhash
