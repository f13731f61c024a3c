#include "bayes/batch.h"

#include <algorithm>
#include <limits>
#include <mutex>

#include "parallel/interrupt.h"
#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr size_t kChunk = 16;  // texts that a thread takes at a time

// use(scores, i) for each text, where row_of(own, i) is where its scores go; `own` has room for
// one text.
template <class RowOf, class Use>
Outcome for_each_text(const Kernels& kernels, const ClassCounts& counts, const ClassTotals& totals,
                      const Asked& asked, size_t threads, const RowOf& row_of, const Use& use) {
    const size_t chunks = (asked.size() + kChunk - 1) / kChunk;
    if (!asked.labels.empty()) counts.prepare_exact();
    Outcome outcome;
    std::mutex shared;
    const auto for_each_in_chunks = [&](auto& next, const auto& score) {
        std::vector<int64_t> own(totals.texts.size());
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            const size_t end = std::min(asked.size(), (chunk + 1) * kChunk);
            for (size_t i = chunk * kChunk; i < end; ++i) {
                int64_t* scores = row_of(own.data(), i);
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
        if (asked.texts && asked.labels.empty()) {
            const UncutTexts& uncut = *asked.texts;
            Analysis analysis(uncut.analyzer, uncut.range);
            TextScorer scorer(kernels, uncut.rule, counts, totals);
            for_each_in_chunks(next, [&](size_t i, int64_t* scores) {
                const Status status = analysis.run(uncut.texts[i], scorer);
                scorer.finish(scores);
                return status;
            });
            return;
        }
        RowScorer scorer(kernels, counts, totals);
        const auto score = [&](std::span<const CountedToken> row, size_t i, int64_t* scores) {
            check_interrupt_after(row.size_bytes());
            if (asked.labels.empty()) {
                scorer.score(row, scores);
            } else if (!scorer.score_without(row, asked.labels[i], scores)) {
                return Status::out_of_range;
            }
            return Status::done;
        };
        if (asked.texts) {
            const UncutTexts& uncut = *asked.texts;
            Analysis analysis(uncut.analyzer, uncut.range);
            TokenCounter counter(kernels, uncut.rule);
            for_each_in_chunks(next, [&](size_t i, int64_t* scores) {
                counter.clear();
                const Status status = analysis.run(uncut.texts[i], counter);
                return status == Status::done ? score(counter.tokens(), i, scores) : status;
            });
        } else {
            for_each_in_chunks(next, [&](size_t i, int64_t* scores) {
                return score((*asked.rows)[i], i, scores);
            });
        }
    });
    return outcome;
}

// The sum of e^(rate * (score - highest)), class by class.
double mass_of(const Kernels& kernels, std::span<const int64_t> scores, int64_t highest,
               double rate) {
    constexpr size_t kBlock = 64;
    double shares[kBlock];
    double mass = 0;
    for (size_t first = 0; first < scores.size(); first += kBlock) {
        const size_t count = std::min(kBlock, scores.size() - first);
        for (size_t i = 0; i < count; ++i) {
            const int64_t score = scores[first + i];
            shares[i] = score == kNoScore ? -std::numeric_limits<double>::infinity()
                                          : rate * static_cast<double>(score - highest);
        }
        kernels.exponentials(shares, count);
        for (size_t i = 0; i < count; ++i) mass += shares[i];
    }
    return mass;
}

}  // namespace

Outcome score_all(const Kernels& kernels, const ClassCounts& counts, const ClassTotals& totals,
                  const Asked& asked, size_t threads, int64_t* scores) {
    const size_t classes = totals.texts.size();
    return for_each_text(
        kernels, counts, totals, asked, threads,
        [&](int64_t*, size_t i) { return scores + i * classes; }, [](int64_t*, size_t) {});
}

Outcome find_best(const Kernels& kernels, const ClassCounts& counts, const ClassTotals& totals,
                  const Asked& asked, double rate, size_t threads, const BestClasses& best) {
    const size_t classes = totals.texts.size();
    const auto find = [&](const int64_t* scores, size_t i) {
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
        best.winners[i] = first;
        best.scores[i] = highest;
        best.runners_up[i] = second;
        best.runner_up_scores[i] = next;
        best.masses[i] = mass_of(kernels, {scores, classes}, highest, rate);
    };
    return for_each_text(
        kernels, counts, totals, asked, threads, [](int64_t* own, size_t) { return own; }, find);
}

}  // namespace addhash
