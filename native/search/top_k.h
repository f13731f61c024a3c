// The best rows of one query, found from approximate scores and their error bounds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace addhash {

struct Match {
    double score;
    size_t row;
};

// The order of the answer: higher scores first, ties by rank, which is the row if there is none.
struct BetterMatch {
    const int64_t* ranks;
    bool operator()(const Match& a, const Match& b) const {
        if (a.score != b.score) return a.score > b.score;
        return ranks == nullptr ? a.row < b.row : ranks[a.row] < ranks[b.row];
    }
};

// A row whose score is between approximate - error and approximate + error.
struct Candidate {
    double approximate;
    double error;
    double dot;  // of the codes
    size_t row;
};

class TopK {
public:
    TopK(size_t k, const int64_t* ranks) : k_(k), better_{ranks} {}

    // A row whose upper bound is below this cannot be among the best.
    double threshold() const { return threshold_; }

    // Records a row that reaches the threshold. True if resolve() is due.
    bool offer(const Candidate& candidate) {
        pending_.push_back(candidate);
        const double lower = candidate.approximate - candidate.error;
        if (lowers_.size() < k_) {
            lowers_.push_back(lower);
            std::push_heap(lowers_.begin(), lowers_.end(), std::greater<>());
        } else if (lower > lowers_.front()) {
            std::pop_heap(lowers_.begin(), lowers_.end(), std::greater<>());
            lowers_.back() = lower;
            std::push_heap(lowers_.begin(), lowers_.end(), std::greater<>());
        }
        if (lowers_.size() == k_) threshold_ = std::max(threshold_, lowers_.front());
        return pending_.size() >= std::max(kMostPending, 2 * k_);
    }

    // Scores exactly what is still in question and keeps the k best. The likeliest come first:
    // exact scores leave less in question than bounds do.
    template <class Score> void resolve(Score&& score) {
        const auto upper = [](const Candidate& c) { return c.approximate + c.error; };
        std::sort(pending_.begin(), pending_.end(),
                  [&](const Candidate& a, const Candidate& b) { return upper(a) > upper(b); });
        for (const Candidate& candidate : pending_) {
            if (upper(candidate) < threshold_) break;
            best_.push_back({score(candidate), candidate.row});
            std::push_heap(best_.begin(), best_.end(), better_);
            if (best_.size() > k_) {
                std::pop_heap(best_.begin(), best_.end(), better_);
                best_.pop_back();
            }
            if (best_.size() == k_) threshold_ = std::max(threshold_, best_.front().score);
        }
        pending_.clear();
    }

    // The best rows, once everything is resolved, in no order.
    const std::vector<Match>& best() const { return best_; }

private:
    static constexpr size_t kMostPending = 256;
    // No cosine is below -1, even with its roundings.
    double threshold_ = -2;
    size_t k_;
    BetterMatch better_;
    std::vector<double> lowers_;  // a heap: the k greatest lower bounds, the least in front
    std::vector<Candidate> pending_;
    std::vector<Match> best_;  // a heap: the worst in front
};

}  // namespace addhash
