#include "buckets/record_entries.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr size_t kRecordBlock = 1024;  // tokens hashed at a time
constexpr size_t kRecordChunk = 256;   // rows that a thread takes at a time
constexpr size_t kInsertionSort = 32;

// What one thread sorts rows with.
template <class Float> class RowSums {
public:
    explicit RowSums(bool is_sorted) : is_sorted_(is_sorted) {}

    // Sorts and sums a row in place; returns the number of entries that are left.
    size_t sum(int32_t* buckets, Float* values, size_t count) {
        sort_places(buckets, count);
        if (!depends_on_order(values, count)) return reduce_placed(buckets, values, count);
        if (!is_sorted_) sort_like_scipy(buckets, values, count);
        return reduce(buckets, values, count);
    }

private:
    // The places of the row in order of their buckets: bucket above, place below.
    void sort_places(const int32_t* buckets, size_t count) {
        places_.resize(count);
        for (size_t i = 0; i < count; ++i) {
            places_[i] = uint64_t{static_cast<uint32_t>(buckets[i])} << 32 | i;
        }
        if (count > kInsertionSort) {
            std::sort(places_.begin(), places_.end());
            return;
        }
        for (size_t i = 1; i < count; ++i) {
            const uint64_t place = places_[i];
            size_t j = i;
            for (; j > 0 && places_[j - 1] > place; --j) places_[j] = places_[j - 1];
            places_[j] = place;
        }
    }

    uint32_t bucket(size_t i) const { return static_cast<uint32_t>(places_[i] >> 32); }
    uint32_t place(size_t i) const { return static_cast<uint32_t>(places_[i]); }

    // Two numbers have one sum. Three or more may have several, and of two NaNs the first is kept.
    bool depends_on_order(const Float* values, size_t count) const {
        for (size_t i = 1; i < count; ++i) {
            if (bucket(i) != bucket(i - 1)) continue;
            if (i + 1 < count && bucket(i) == bucket(i + 1)) return true;
            if (std::isnan(values[place(i - 1)]) || std::isnan(values[place(i)])) return true;
        }
        return false;
    }

    size_t reduce_placed(int32_t* buckets, Float* values, size_t count) {
        unsorted_.assign(values, values + count);
        size_t entries = 0;
        for (size_t i = 0; i < count; ++i) {
            const Float value = unsorted_[place(i)];
            if (i > 0 && bucket(i) == bucket(i - 1)) {
                values[entries - 1] += value;
            } else {
                buckets[entries] = static_cast<int32_t>(bucket(i));
                values[entries++] = value;
            }
        }
        return entries;
    }

    // scipy's own call, which is not stable: equal buckets come in the order that the standard
    // library gives them. It sorts no row if all are sorted.
    void sort_like_scipy(int32_t* buckets, Float* values, size_t count) {
        pairs_.resize(count);
        for (size_t i = 0; i < count; ++i) pairs_[i] = {buckets[i], values[i]};
        std::sort(pairs_.begin(), pairs_.end(),
                  [](const Pair& a, const Pair& b) { return a.first < b.first; });
        for (size_t i = 0; i < count; ++i) {
            buckets[i] = pairs_[i].first;
            values[i] = pairs_[i].second;
        }
    }

    static size_t reduce(int32_t* buckets, Float* values, size_t count) {
        size_t entries = 0;
        for (size_t i = 0; i < count; ++i) {
            if (entries > 0 && buckets[entries - 1] == buckets[i]) {
                values[entries - 1] += values[i];
            } else {
                buckets[entries] = buckets[i];
                values[entries++] = values[i];
            }
        }
        return entries;
    }

    using Pair = std::pair<int32_t, Float>;
    bool is_sorted_;
    std::vector<uint64_t> places_;
    std::vector<Float> unsorted_;
    std::vector<Pair> pairs_;
};

}  // namespace

void place_tokens(const Kernels& kernels, const BucketRule& rule, const TokenBatch& tokens,
                  int32_t* buckets, double* values) {
    uint32_t hashes[kRecordBlock];
    for (size_t first = 0; first < tokens.tokens(); first += kRecordBlock) {
        const size_t count = std::min(kRecordBlock, tokens.tokens() - first);
        check_interrupt_after(count * sizeof(uint64_t));
        kernels.murmur3(tokens.bytes(), tokens.starts() + first, tokens.ends() + first, count, 0,
                        hashes);
        const double* weights = tokens.weights() + first;
        for (size_t i = 0; i < count; ++i) {
            const uint32_t key = rule.key(hashes[i]);
            buckets[first + i] = static_cast<int32_t>(key >> 1);
            values[first + i] = key & 1 ? -weights[i] : weights[i];
        }
    }
}

void RecordEntries::append(const Kernels& kernels, const BucketRule& rule,
                           const TokenBatch& tokens) {
    const size_t count = tokens.tokens();
    const size_t old = buckets_.size();
    size_t* row_ends = row_ends_.room(tokens.documents());
    int32_t* buckets = buckets_.room(count);
    place_tokens(kernels, rule, tokens, buckets, values_.room(count));
    size_t descents = 0;
    for (size_t i = 0; i < tokens.documents(); ++i) {
        row_ends[i] = old + tokens.token_end(i);
        for (size_t j = tokens.token_start(i) + 1; j < tokens.token_end(i); ++j) {
            descents += buckets[j] < buckets[j - 1];
        }
    }
    is_sorted_ &= descents == 0;
    row_ends_.grow(tokens.documents());
    buckets_.grow(count);
    values_.grow(count);
}

template <class Float>
size_t RecordEntries::sum(int64_t* row_starts, int32_t* buckets, Float* values, size_t threads) {
    const size_t chunks = (records() + kRecordChunk - 1) / kRecordChunk;
    const auto row_start = [&](size_t row) { return row == 0 ? 0 : row_ends_[row - 1]; };
    // Where the rows of a chunk begin: those before it, summed, end there.
    std::vector<size_t> chunk_starts(chunks + 1);
    std::vector<size_t> row_lengths(records());
    GrowingArray<Float> converted;  // values_ themselves, if they have the right type
    Float* sums;
    if constexpr (sizeof(Float) == sizeof(double)) {
        sums = values_.data();
    } else {
        sums = converted.room(entries());
    }
    run_parallel(threads, chunks, [&](auto next) {
        RowSums<Float> row_sums(is_sorted_);
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            size_t total = 0;
            for (size_t row = chunk * kRecordChunk;
                 row < std::min(records(), (chunk + 1) * kRecordChunk); ++row) {
                const size_t first = row_start(row), count = row_ends_[row] - first;
                check_interrupt_after(count * sizeof(uint64_t));
                if constexpr (sizeof(Float) != sizeof(double)) {
                    for (size_t i = first; i < first + count; ++i) {
                        sums[i] = static_cast<Float>(values_[i]);
                    }
                }
                row_lengths[row] = row_sums.sum(buckets_.data() + first, sums + first, count);
                total += row_lengths[row];
            }
            chunk_starts[chunk + 1] = total;
        }
    });
    for (size_t chunk = 0; chunk < chunks; ++chunk) chunk_starts[chunk + 1] += chunk_starts[chunk];
    row_starts[0] = 0;
    run_parallel(threads, chunks, [&](auto next) {
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            size_t filled = chunk_starts[chunk];
            for (size_t row = chunk * kRecordChunk;
                 row < std::min(records(), (chunk + 1) * kRecordChunk); ++row) {
                const size_t first = row_start(row);
                std::copy_n(buckets_.data() + first, row_lengths[row], buckets + filled);
                std::copy_n(sums + first, row_lengths[row], values + filled);
                filled += row_lengths[row];
                row_starts[row + 1] = static_cast<int64_t>(filled);
            }
        }
    });
    return chunk_starts[chunks];
}

template size_t RecordEntries::sum<float>(int64_t*, int32_t*, float*, size_t);
template size_t RecordEntries::sum<double>(int64_t*, int32_t*, double*, size_t);

}  // namespace addhash
