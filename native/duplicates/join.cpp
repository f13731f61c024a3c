#include "duplicates/join.h"

#include <algorithm>
#include <atomic>

#include "duplicates/posting_lists.h"
#include "duplicates/ranked_sets.h"
#include "parallel/parallel.h"
#include "parallel/threads.h"

namespace addhash {
namespace {

class Join {
public:
    Join(const Kernels& kernels, const TokenSets& sets, const Threshold& threshold,
         std::optional<size_t> boundary, size_t most_pairs, const PairUse* use, size_t threads)
        : kernels_(kernels),
          threshold_(threshold),
          most_pairs_(most_pairs),
          use_(use),
          threads_(threads),
          ranked_(sets, boundary, threads),
          prefixes_(ranked_.size()) {}

    SimilarSets run() {
        take_prefixes();
        sign_sets();
        std::vector<uint32_t> indexed(ranked_.size());
        for (uint32_t rank = 0; rank < indexed.size(); ++rank) {
            const auto prefix = static_cast<uint32_t>(threshold_.index_prefix(ranked_.sizes[rank]));
            indexed[rank] = prefix - std::min(prefix, prefixes_.skipped(rank));
        }
        const PostingLists lists(prefixes_, indexed, ranked_.sides, signatures_, threads_);
        if (use_ != nullptr) use_->begin(ranked_.first_equal);
        probe(lists);
        result_.first_equal = std::move(ranked_.first_equal);
        return std::move(result_);
    }

private:
    void take_prefixes();
    void take_prefix(const TokenCounts& counts, uint32_t rank, std::vector<uint64_t>& keys);
    void sign_sets();
    void probe(const PostingLists& lists);

    friend class Scan;

    const Kernels& kernels_;
    const Threshold& threshold_;
    const size_t most_pairs_;
    const PairUse* const use_;
    const size_t threads_;
    RankedSets ranked_;
    Prefixes prefixes_;
    Signatures signatures_;  // by rank
    SimilarSets result_;
};

// The prefix of a set, without the tokens that no other set has: those come first.
void Join::take_prefix(const TokenCounts& counts, uint32_t rank, std::vector<uint64_t>& keys) {
    const TokenSet set = ranked_.sets[rank];
    const auto prefix = static_cast<size_t>(threshold_.probe_prefix(set.size()));
    keys.clear();
    for (uint64_t token : set) {
        const uint32_t count = counts[token];
        if (count > 1) keys.push_back(order_key(token, count));
    }
    const size_t alone = set.size() - keys.size();
    const size_t taken = prefix - std::min(prefix, alone);
    if (taken < keys.size()) {
        std::nth_element(keys.begin(), keys.begin() + static_cast<ptrdiff_t>(taken), keys.end());
        keys.resize(taken);
    }
    std::sort(keys.begin(), keys.end());
    prefixes_.append(rank, keys, alone);
}

void Join::take_prefixes() {
    const TokenCounts counts(ranked_.sets, threads_);
    for_each_chunk(threads_, ranked_.size(), [&] {
        return [&, keys = std::vector<uint64_t>()](size_t first, size_t last) mutable {
            constexpr size_t kAhead = 4;
            for (size_t rank = first; rank < last; ++rank) {
                if (rank + kAhead < last) {
                    for (uint64_t token : ranked_.sets[rank + kAhead]) counts.prefetch(token);
                }
                take_prefix(counts, static_cast<uint32_t>(rank), keys);
            }
        };
    });
}

void Join::sign_sets() {
    const size_t count = ranked_.size();
    if (count == 0) return;
    const uint64_t size = ranked_.sizes[count / 2];
    const uint64_t allowed = 2 * (size - threshold_.least_shared(size, size));
    const size_t words = signature_words(static_cast<double>(size), static_cast<double>(allowed));
    signatures_.word_count = words;
    for (size_t w = 0; w < words; ++w) signatures_.words[w].resize(count);
    if (words == 0) return;
    for_each_chunk(threads_, count, [&] {
        return [&](size_t first, size_t last) {
            for (size_t rank = first; rank < last; ++rank) {
                for (uint64_t token : ranked_.sets[rank]) {
                    const auto bit = static_cast<size_t>(token % (64 * words));
                    signatures_.words[bit / 64][rank] ^= uint64_t{1} << bit % 64;
                }
            }
        };
    });
}

// What one thread needs to compare the sets that a list brings together.
class Scan {
public:
    Scan(const Join& join, const PostingLists& lists, std::atomic<size_t>& found)
        : join_(join), lists_(lists), found_(found) {}

    void run(const PostingTile& tile) {
        const Postings& part = lists_.part(tile.part);
        for (uint32_t i = tile.first_list; i < tile.last_list && !is_enough(); ++i) {
            const Postings::List& list = part.lists[i];
            tile.last > tile.first
                ? scan(part, tile.first_row, tile.last_row, tile.first, tile.last)
                : scan(part, list.first_row, list.last_row, list.first, list.last);
        }
    }

    std::vector<SimilarPair>& pairs() { return pairs_; }

private:
    bool is_enough() const { return found_.load(std::memory_order_relaxed) > join_.most_pairs_; }
    void scan(const Postings& part, size_t first_row, size_t last_row, size_t first, size_t last);
    size_t select(const Postings& part, uint32_t rank, size_t first, size_t low, size_t high);
    void fill(const Postings& part, size_t first, size_t low, size_t high, uint64_t size);
    void compare(uint32_t rank, uint32_t place, uint32_t other, uint32_t other_place);

    const Join& join_;
    const PostingLists& lists_;
    std::atomic<size_t>& found_;  // by all threads
    std::vector<uint16_t> most_;  // by item of the list: in how many bits it may differ
    size_t filled_ = 0;           // up to this item, for the size of the row
    std::vector<uint32_t> near_;  // items
    std::vector<SimilarPair> pairs_;
};

void Scan::scan(const Postings& part, size_t first_row, size_t last_row, size_t first,
                size_t last) {
    const auto& sizes = join_.ranked_.sizes;
    if (most_.size() < last - first) most_.resize(last - first);
    if (near_.size() < last - first + 16) near_.resize(last - first + 16);
    const auto items = part.items.begin();
    const auto at = [&](size_t i) { return items + static_cast<ptrdiff_t>(i); };
    size_t low = first, high = first;  // the items that this row is compared with
    uint64_t size = 0;
    for (size_t row = first_row; row < last_row; ++row) {
        const uint32_t rank = part.row_items[row];
        if (sizes[rank] != size) {
            size = sizes[rank];
            const auto least = static_cast<uint32_t>(join_.threshold_.least_size(size));
            low = std::partition_point(at(low), at(last),
                                       [&](uint32_t item) { return sizes[item] < least; }) -
                  items;
            filled_ = low;
        }
        high = row == first_row ? std::lower_bound(at(high), at(last), rank) - items : high;
        while (high < last && part.items[high] < rank) ++high;
        if (low >= high) continue;
        const size_t near = select(part, rank, first, low, high);
        if (near == 0) continue;
        const size_t before = pairs_.size();
        for (size_t i = 0; i < near; ++i) {
            const size_t item = first + near_[i];
            compare(rank, part.row_places[row], part.items[item], part.places[item]);
        }
        found_.fetch_add(pairs_.size() - before, std::memory_order_relaxed);
        if (is_enough()) return;
    }
}

// Writes to near_ which items of [low, high) are near.
size_t Scan::select(const Postings& part, uint32_t rank, size_t first, size_t low, size_t high) {
    const size_t words = part.signatures.word_count;
    if (words == 0) {
        for (size_t i = low; i < high; ++i) near_[i - low] = static_cast<uint32_t>(i - first);
        return high - low;
    }
    fill(part, first, std::max(low, filled_), high, join_.ranked_.sizes[rank]);
    filled_ = std::max(filled_, high);
    uint64_t signature[kMostSignatureWords];
    const uint64_t* columns[kMostSignatureWords];
    for (size_t w = 0; w < words; ++w) {
        signature[w] = join_.signatures_.words[w][rank];
        columns[w] = part.signatures.words[w].data() + first;
    }
    return join_.kernels_.select_near(columns, words, signature, most_.data(), 0, low - first,
                                      high - first, near_.data());
}

// Sets that are similar enough differ in at most a + b - 2 s tokens.
void Scan::fill(const Postings& part, size_t first, size_t low, size_t high, uint64_t size) {
    uint64_t last_size = 0;
    uint16_t most = 0;
    for (size_t i = low; i < high; ++i) {
        const uint64_t other = join_.ranked_.sizes[part.items[i]];
        if (other != last_size) {
            last_size = other;
            const uint64_t both = 2 * join_.threshold_.least_shared(size, other);
            most = static_cast<uint16_t>(
                std::min<uint64_t>(size + other - std::min(size + other, both), UINT16_MAX));
        }
        most_[i - first] = most;
    }
}

void Scan::compare(uint32_t rank, uint32_t place, uint32_t other, uint32_t other_place) {
    const RankedSets& ranked = join_.ranked_;
    const Prefixes& prefixes = join_.prefixes_;
    const TokenSet set = ranked.sets[rank], other_set = ranked.sets[other];
    const uint64_t least = join_.threshold_.least_shared(set.size(), other_set.size());
    // Nothing is shared before the place where two sets first meet. Where they meet again, this
    // may be wrong, but they have been compared by then.
    const uint64_t most = std::min(set.size() - prefixes.skipped(rank) - place,
                                   other_set.size() - prefixes.skipped(other) - other_place);
    if (most < least || !prefixes.meet_first(rank, place, other, other_place)) return;
    const size_t shared = shared_hashes(set, other_set, least);
    if (shared < least) return;
    const auto [left, right] = std::minmax(ranked.numbers[rank], ranked.numbers[other]);
    pairs_.push_back({left, right, static_cast<uint32_t>(shared)});
}

void Join::probe(const PostingLists& lists) {
    const size_t item_bytes = sizeof(uint64_t) * std::max<size_t>(1, signatures_.word_count);
    const std::vector<PostingTile> tiles = lists.tiles(item_bytes);
    Mutex adding;
    std::atomic<size_t> found{0};
    run_parallel(threads_, tiles.size(), [&](auto next) {
        Scan scan(*this, lists, found);
        for (size_t tile = next(); tile < tiles.size(); tile = next()) {
            scan.run(tiles[tile]);
            if (use_ == nullptr) continue;
            use_->use(scan.pairs());
            scan.pairs().clear();
        }
        const std::lock_guard lock(adding);
        result_.pairs.insert(result_.pairs.end(), scan.pairs().begin(), scan.pairs().end());
    });
    result_.is_complete = found <= most_pairs_;
    std::sort(result_.pairs.begin(), result_.pairs.end(),
              [](const SimilarPair& a, const SimilarPair& b) {
                  return a.left != b.left ? a.left < b.left : a.right < b.right;
              });
}

}  // namespace

SimilarSets join(const Kernels& kernels, const TokenSets& sets, const Threshold& threshold,
                 std::optional<size_t> boundary, size_t most_pairs, size_t threads) {
    return Join(kernels, sets, threshold, boundary, most_pairs, nullptr, threads).run();
}

void for_each_similar(const Kernels& kernels, const TokenSets& sets, const Threshold& threshold,
                      std::optional<size_t> boundary, const PairUse& use, size_t threads) {
    Join(kernels, sets, threshold, boundary, SIZE_MAX, &use, threads).run();
}

}  // namespace addhash
