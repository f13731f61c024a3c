#include "bayes/batch.h"

#include <algorithm>
#include <optional>

#include "elementary/elementary.h"
#include "parallel/interrupt.h"
#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr size_t kChunk = 16;  // texts that a thread takes at a time

// How sure scores with the usual weights are: what benchmarks/confidence.py finds.
constexpr double kSureness = -0.34, kOfClasses = 0.23, kOfVariance = -0.16, kLeastVariance = 0.01;

// use(scores, i) for each text, where row_of(own, i) is where its scores go; `own` has room for
// one text.
template <class RowOf, class Use>
Outcome for_each_text(const Kernels& kernels, const ClassCounts& counts, const ClassTotals& totals,
                      const Query& query, size_t threads, double* views, const RowOf& row_of,
                      const Use& use) {
    const size_t chunks = (query.size() + kChunk - 1) / kChunk;
    Outcome outcome;
    Mutex shared;
    const auto for_each_in_chunks = [&](auto& next, const auto& score) {
        std::vector<double> own(totals.classes());
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            const size_t end = std::min(query.size(), (chunk + 1) * kChunk);
            for (size_t i = chunk * kChunk; i < end; ++i) {
                double* scores = row_of(own.data(), i);
                if (const Status status = score(i, scores); status != Status::done) {
                    const std::lock_guard lock(shared);
                    outcome.merge({status, i});
                    return;
                }
                use(scores, i);
            }
        }
    };
    run_parallel(threads, chunks, [&](auto next) {
        if (query.texts && query.labels.empty()) {
            const PendingTexts& pending = *query.texts;
            Analysis analysis(pending.how);
            TextScorer scorer(kernels, pending.rule, counts, totals);
            std::optional<RowScorer> row_scorer;  // rarely needed
            std::optional<TokenCounter> counter;
            for_each_in_chunks(next, [&](size_t i, double* scores) {
                Status status = analysis.run(pending.texts[i], scorer);
                const bool may_be_recalled = scorer.may_be_recalled();
                scorer.finish(scores);
                if (status == Status::done && may_be_recalled) {
                    if (!counter) {
                        row_scorer.emplace(kernels, counts, totals);
                        counter.emplace(kernels, pending.rule);
                    }
                    counter->clear();
                    status = analysis.run(pending.texts[i], *counter);
                    row_scorer->lift(counter->tokens(), scores);
                }
                return status;
            });
            return;
        }
        RowScorer scorer(kernels, counts, totals);
        const size_t stride = 2 * totals.orders() * totals.classes();
        const auto score = [&](std::span<const CountedToken> row, size_t i, double* scores) {
            check_interrupt_after(row.size_bytes());
            if (query.labels.empty()) {
                scorer.score(row, scores, views ? views + i * stride : nullptr);
            } else if (!scorer.score_without(row, query.labels[i], scores,
                                             views ? views + i * stride : nullptr)) {
                return Status::out_of_range;
            }
            return Status::done;
        };
        if (query.texts) {
            const PendingTexts& pending = *query.texts;
            Analysis analysis(pending.how);
            TokenCounter counter(kernels, pending.rule);
            for_each_in_chunks(next, [&](size_t i, double* scores) {
                counter.clear();
                const Status status = analysis.run(pending.texts[i], counter);
                return status == Status::done ? score(counter.tokens(), i, scores) : status;
            });
        } else {
            for_each_in_chunks(
                next, [&](size_t i, double* scores) { return score((*query.rows)[i], i, scores); });
        }
    });
    return outcome;
}

// What the distances from the highest score are multiplied by: README.md.
double sureness_of(const Kernels& kernels, const ClassTotals& totals,
                   std::span<const double> scores) {
    if (!totals.is_usual()) return 1;
    double count = 0, sum = 0, squares = 0;
    for (const double score : scores) {
        if (score == kNoScore) continue;
        count += 1;
        sum += score;
    }
    if (count == 0) return 1;
    const double mean = sum / count;
    for (const double score : scores) {
        if (score != kNoScore) squares += (score - mean) * (score - mean);
    }
    double sureness = kSureness + kOfClasses * logarithm(count) +
                      kOfVariance * logarithm(squares / count + kLeastVariance);
    if (sureness <= 0) return 1;
    kernels.exponentials(&sureness, 1);
    return sureness;
}

// So that the parts of an explanation still add up to it, the highest score stays.
double surer(double score, double highest, double sureness) {
    return sureness == 1 ? score : highest + sureness * (score - highest);
}

// The sum of e^(score - highest), class by class.
double mass_of(const Kernels& kernels, std::span<const double> scores, double highest,
               double sureness) {
    constexpr size_t kBlock = 64;
    double shares[kBlock];
    double mass = 0;
    for (size_t first = 0; first < scores.size(); first += kBlock) {
        const size_t count = std::min(kBlock, scores.size() - first);
        for (size_t i = 0; i < count; ++i) {
            const double score = scores[first + i];
            shares[i] = score == kNoScore ? kNoScore : surer(score, highest, sureness) - highest;
        }
        kernels.exponentials(shares, count);
        for (size_t i = 0; i < count; ++i) mass += shares[i];
    }
    return mass;
}

}  // namespace

Outcome score_all(const Kernels& kernels, const ClassCounts& counts, const ClassTotals& totals,
                  const Query& query, size_t threads, double* scores, double* views) {
    const size_t classes = totals.classes();
    return for_each_text(
        kernels, counts, totals, query, threads, views,
        [&](double*, size_t i) { return scores + i * classes; },
        [&](double* row, size_t) {
            if (!totals.is_usual() || classes == 0) return;
            const double highest = *std::max_element(row, row + classes);
            if (highest == kNoScore) return;
            const double sureness = sureness_of(kernels, totals, {row, classes});
            for (size_t c = 0; c < classes; ++c) row[c] = surer(row[c], highest, sureness);
        });
}

Outcome find_best(const Kernels& kernels, const ClassCounts& counts, const ClassTotals& totals,
                  const Query& query, size_t threads, const BestClasses& best) {
    const size_t classes = totals.classes();
    const auto find = [&](const double* scores, size_t i) {
        int64_t first = -1, second = -1;
        double highest = kNoScore, next = kNoScore;
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
        constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
        const std::span<const double> all(scores, classes);
        const double sureness = sureness_of(kernels, totals, all);
        const double share = first < 0 ? kNone : 1 / mass_of(kernels, all, highest, sureness);
        double ratio = surer(next, highest, sureness) - highest;
        if (second >= 0) kernels.exponentials(&ratio, 1);
        best.winners[i] = first;
        best.scores[i] = highest;
        best.shares[i] = share;
        best.runners_up[i] = second;
        best.runner_up_scores[i] = next;
        best.runner_up_shares[i] = second < 0 ? kNone : ratio * share;
    };
    return for_each_text(
        kernels, counts, totals, query, threads, nullptr, [](double* own, size_t) { return own; },
        find);
}

}  // namespace addhash
