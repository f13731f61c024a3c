#include "duplicates/field_join.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "duplicates/join.h"
#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr size_t kChunk = 256;          // records that a thread takes at a time
constexpr size_t kSample = 1 << 14;     // pairs
constexpr uint64_t kParts = 1'000'000;  // of the threshold

// A little less than the threshold, so that rounding loses nothing.
uint64_t numerator_of(double threshold) {
    return static_cast<uint64_t>(std::max(0.0, std::floor(threshold * kParts - 0.01)));
}

}  // namespace

FieldJoin::FieldJoin(const Kernels& kernels, const Records& records, const RecordRule& rule,
                     const RecordBounds& bounds, const RecordSignatures& signatures, size_t threads)
    : kernels_(kernels),
      records_(records),
      rule_(rule),
      bounds_(bounds),
      signatures_(signatures),
      threads_(threads),
      numerator_(numerator_of(rule.threshold)),
      threshold_(Measure::jaccard, numerator_, kParts) {}

bool FieldJoin::meets(uint32_t field, uint32_t a, uint32_t b) const {
    const RecordField& column = records_.fields[field];
    if (column.sets == nullptr) {
        return records_.field_similarity(field, a, b) * kParts >= static_cast<double>(numerator_);
    }
    const TokenSet x = (*column.sets)[a], y = (*column.sets)[b];
    const uint64_t least = threshold_.least_shared(x.size(), y.size());
    return shared_hashes(x, y, least) >= least;
}

double FieldJoin::share() const {
    if (numerator_ == 0 || records_.size() < 2) return 1;
    uint64_t state = 0;
    const auto draw = [&] {
        state = state * 6364136223846793005 + 1442695040888963407;
        return static_cast<uint32_t>((state >> 33) % records_.size());
    };
    size_t meetings = 0;
    for (size_t i = 0; i < kSample; ++i) {
        const uint32_t a = draw(), b = draw();
        const uint32_t both = records_.presence[a] & records_.presence[b];
        for (uint32_t f = 0; f < records_.fields.size() && a != b; ++f) {
            meetings += (both >> f & 1) && meets(f, a, b);
        }
    }
    return static_cast<double>(meetings) / kSample;
}

// What one thread compares.
class FieldJoin::Scan {
public:
    Scan(FieldJoin& join, const Order& order) : join_(join), order_(order) {}
    ~Scan() {
        const std::lock_guard lock(join_.adding_);
        join_.pairs_.insert(join_.pairs_.end(), pairs_.begin(), pairs_.end());
    }

    bool is_enough() const { return join_.found_ > join_.rule_.most_pairs; }

    // Compares a record with others. The field in which they meet loses that share of its weight,
    // if it is known.
    void compare(uint32_t rank, Rows others, uint32_t known, double lost) {
        const RecordBounds& bounds = join_.bounds_;
        const uint32_t pattern = bounds.pattern(rank), field = order_.field;
        const double weight = lost * join_.records_.fields[field].weight;
        const bool is_left = join_.is_left(rank);
        if (near_.size() < others.last - others.first) near_.resize(others.last - others.first);
        for (size_t first = others.first, last; first < others.last; first = last) {
            last = std::min<size_t>(order_.runs[first], others.last);
            const uint32_t head = order_.ranks[first];
            if (join_.rule_.boundary && join_.is_left(head) == is_left) continue;
            if (!bounds.can_match(pattern, bounds.pattern(head))) continue;
            const size_t near = join_.signatures_.select(
                join_.kernels_, order_.columns, rank, bounds.common(pattern, bounds.pattern(head)),
                known, weight, first, last, near_.data());
            for (size_t i = 0; i < near; ++i) check(rank, order_.ranks[near_[i]]);
        }
    }

private:
    void check(uint32_t rank, uint32_t other) {
        const size_t before = pairs_.size();
        join_.bounds_.check(rank, other, pairs_);
        if (pairs_.size() == before) return;
        const uint32_t left = pairs_.back().left, right = pairs_.back().right;
        const uint32_t both = join_.records_.presence[left] & join_.records_.presence[right];
        bool is_first = join_.meets(order_.field, left, right);
        for (uint32_t f = 0; f < order_.field && is_first; ++f) {
            is_first = !(both >> f & 1) || !join_.meets(f, left, right);
        }
        is_first ? void(++join_.found_) : pairs_.pop_back();
    }

    FieldJoin& join_;
    const Order& order_;
    std::vector<uint32_t> near_;
    std::vector<RecordPair> pairs_;
};

std::vector<uint32_t> FieldJoin::present(uint32_t field) const {
    std::vector<uint32_t> ranks;
    for (uint32_t rank = 0; rank < records_.size(); ++rank) {
        if (records_.presence[bounds_.number(rank)] >> field & 1) ranks.push_back(rank);
    }
    return ranks;
}

// `values` are those of the places.
void FieldJoin::finish(Order& order, const std::vector<uint32_t>& values) const {
    const size_t count = order.ranks.size();
    order.runs.resize(count);
    order.starts.resize(count);
    for (size_t i = 0; i < count; ++i) {
        const bool is_same = i > 0 && values[i] == values[i - 1];
        order.starts[i] = is_same ? order.starts[i - 1] : static_cast<uint32_t>(i);
    }
    for (size_t i = count; i-- > 0;) {
        const uint32_t rank = order.ranks[i], after = i + 1 < count ? order.ranks[i + 1] : rank;
        const bool goes_on = i + 1 < count && values[i] == values[i + 1] &&
                             bounds_.pattern(rank) == bounds_.pattern(after) &&
                             is_left(rank) == is_left(after);
        order.runs[i] = goes_on ? order.runs[i + 1] : static_cast<uint32_t>(i + 1);
    }
    signatures_.gather(order.ranks, order.columns);
}

// Compares each record with those from its start on.
void FieldJoin::compare_neighbours(const Order& order, uint32_t known) {
    const size_t count = order.ranks.size(), chunks = (count + kChunk - 1) / kChunk;
    run_parallel(threads_, chunks, [&](auto next) {
        Scan scan(*this, order);
        for (size_t chunk = next(); chunk < chunks && !scan.is_enough(); chunk = next()) {
            const size_t last = std::min(count, (chunk + 1) * kChunk);
            for (size_t i = chunk * kChunk; i < last; ++i) {
                scan.compare(order.ranks[i], {order.starts[i], i}, known, 0);
            }
        }
    });
}

void FieldJoin::run_numbers(uint32_t field) {
    const RecordField& column = records_.fields[field];
    const auto number = [&](uint32_t rank) { return column.numbers[bounds_.number(rank)]; };
    Order order{field, present(field), {}, {}, {}};
    std::ranges::stable_sort(order.ranks, {}, number);
    std::vector<uint32_t> values(order.ranks.size());
    for (size_t i = 1; i < values.size(); ++i) {
        values[i] = values[i - 1] + (number(order.ranks[i]) != number(order.ranks[i - 1]));
    }
    finish(order, values);
    size_t start = 0;
    for (size_t i = 0; i < values.size(); ++i) {
        const uint32_t rank = order.ranks[i];
        while (values[start] != values[i] &&
               !meets(field, bounds_.number(order.ranks[start]), bounds_.number(rank))) {
            ++start;
        }
        order.starts[i] = static_cast<uint32_t>(start);
    }
    compare_neighbours(order, 0);
}

void FieldJoin::run_sets(uint32_t field) {
    const TokenSets& sets = *records_.fields[field].sets;
    Order order{field, present(field), {}, {}, {}};
    std::vector<Rows> groups(records_.size());  // by the first record of a value
    PairUse use;
    use.begin = [&](const std::vector<uint32_t>& first_equal) {
        const auto value = [&](uint32_t rank) { return first_equal[bounds_.number(rank)]; };
        std::ranges::sort(order.ranks, {}, [&](uint32_t rank) {
            return std::tuple(value(rank), is_left(rank), rank);
        });
        std::vector<uint32_t> values;
        for (uint32_t rank : order.ranks) values.push_back(value(rank));
        finish(order, values);
        for (size_t i = 0; i < values.size(); ++i) groups[values[i]] = {order.starts[i], i + 1};
        compare_neighbours(order, uint32_t{1} << field);
    };
    use.use = [&](std::span<const SimilarPair> similar) {
        Scan scan(*this, order);
        for (const SimilarPair& pair : similar) {
            if (scan.is_enough()) return;
            Rows rows = groups[pair.left], others = groups[pair.right];
            if (rows.last - rows.first > others.last - others.first) std::swap(rows, others);
            const double similarity =
                threshold_.similarity(pair.shared, sets[pair.left].size(), sets[pair.right].size());
            for (size_t row = rows.first; row < rows.last; ++row) {
                scan.compare(order.ranks[row], others, uint32_t{1} << field, 1 - similarity);
            }
        }
    };
    for_each_similar(kernels_, sets, threshold_, rule_.boundary, use, threads_);
}

std::vector<RecordPair> FieldJoin::run() {
    for (uint32_t f = 0; f < records_.fields.size(); ++f) {
        records_.fields[f].sets == nullptr ? run_numbers(f) : run_sets(f);
    }
    return std::move(pairs_);
}

}  // namespace addhash
