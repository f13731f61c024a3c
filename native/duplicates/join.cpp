#include "duplicates/join.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <numeric>

#include "duplicates/token_counts.h"
#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr size_t kChunk = 256;  // sets that a thread takes at a time
constexpr size_t kParts = 256;  // of tokens, by their highest byte

size_t chunks_of(size_t count) { return (count + kChunk - 1) / kChunk; }

template <class Work> void for_each_chunk(size_t threads, size_t count, Work&& work) {
    run_parallel(threads, chunks_of(count), [&](auto next) {
        for (size_t chunk = next(); chunk < chunks_of(count); chunk = next()) {
            work(chunk * kChunk, std::min(count, (chunk + 1) * kChunk));
        }
    });
}

// A token of a set's prefix. A rank is the place of a set among the distinct ones, by size.
struct Entry {
    uint64_t token;
    uint32_t rank;
    uint32_t position;  // in the order of the set's tokens, the rarest first
};

struct Posting {
    uint32_t rank;
    uint32_t position;
};

// The sets of lower rank that have a token of set `rank` in their index prefix.
struct Probe {
    const Posting* postings;
    uint32_t count;
    uint32_t rank;
    uint32_t position;
};

struct Part {
    std::vector<Entry> entries;
    std::vector<Posting> postings;
    std::vector<Probe> probes;
};

class Join {
public:
    Join(const TokenSets& sets, const Threshold& threshold, std::optional<size_t> boundary,
         size_t most_pairs, size_t threads)
        : sets_(sets),
          threshold_(threshold),
          boundary_(boundary),
          most_pairs_(most_pairs),
          threads_(threads) {}

    SimilarSets run() {
        rank_sets();
        collect_entries();
        for_each_part([this](Part& part) { build_postings(part); });
        order_probes();
        probe();
        return std::move(result_);
    }

private:
    template <class Work> void for_each_part(Work&& work) {
        run_parallel(threads_, kParts, [&](auto next) {
            for (size_t part = next(); part < kParts; part = next()) work(parts_[part]);
        });
    }

    void rank_sets();
    void collect_entries();
    void append_entries(const TokenCounts& counts, uint32_t rank, std::vector<RankedToken>& order,
                        std::array<std::vector<Entry>, kParts>& out) const;
    void build_postings(Part& part) const;
    void order_probes();
    void probe();
    void probe_set(uint32_t rank, std::vector<uint32_t>& seen, std::vector<SimilarPair>& pairs);

    // Whether a pair of these ranks has a set on each side of the boundary.
    bool is_wanted(uint32_t a, uint32_t b) const {
        return !boundary_ || ((sides_[a] & 1) && (sides_[b] & 2)) ||
               ((sides_[a] & 2) && (sides_[b] & 1));
    }

    const TokenSets& sets_;
    const Threshold& threshold_;
    const std::optional<size_t> boundary_;
    const size_t most_pairs_;
    const size_t threads_;
    std::vector<uint32_t> numbers_;  // of the sets, by rank
    std::vector<TokenSet> ranked_;   // the sets by rank
    std::vector<uint32_t> sizes_;    // by rank, ascending
    std::vector<uint8_t> sides_;     // by rank, with a boundary: 1 below it, 2 not below it
    std::vector<Part> parts_ = std::vector<Part>(kParts);
    std::vector<Probe> probes_;
    std::vector<size_t> probe_ends_;  // by rank
    SimilarSets result_;
};

// Orders sets by size and gives equal ones one rank, that of the first of them.
void Join::rank_sets() {
    struct Key {
        uint32_t size, number;
        uint64_t digest;
        bool operator<(const Key& other) const {
            if (size != other.size) return size < other.size;
            return digest != other.digest ? digest < other.digest : number < other.number;
        }
    };
    std::vector<Key> keys(sets_.size());
    for_each_chunk(threads_, keys.size(), [&](size_t first, size_t last) {
        for (size_t i = first; i < last; ++i) {
            keys[i] = {static_cast<uint32_t>(sets_[i].size()), static_cast<uint32_t>(i),
                       digest(sets_[i])};
        }
    });
    // Halves in parallel, then one merge.
    const auto half = static_cast<ptrdiff_t>(keys.size() / 2);
    run_parallel(threads_, 2, [&](auto next) {
        for (size_t part = next(); part < 2; part = next()) {
            part == 0 ? std::sort(keys.begin(), keys.begin() + half)
                      : std::sort(keys.begin() + half, keys.end());
        }
    });
    std::vector<Key> halves(keys.size());
    halves.swap(keys);
    std::merge(halves.begin(), halves.begin() + half, halves.begin() + half, halves.end(),
               keys.begin());
    result_.first_equal.resize(keys.size());
    size_t start = 0;  // the first rank of this size and digest
    for (size_t i = 0; i < keys.size(); ++i) {
        const Key& key = keys[i];
        if (i == 0 || key.size != keys[i - 1].size || key.digest != keys[i - 1].digest) {
            start = numbers_.size();
        }
        const TokenSet set = sets_[key.number];
        size_t rank = start;
        while (rank < numbers_.size() && !std::ranges::equal(set, ranked_[rank])) ++rank;
        if (rank == numbers_.size()) {
            numbers_.push_back(key.number);
            ranked_.push_back(set);
            sizes_.push_back(key.size);
            if (boundary_) sides_.push_back(0);
        }
        result_.first_equal[key.number] = numbers_[rank];
        if (boundary_) sides_[rank] |= key.number < *boundary_ ? uint8_t{1} : uint8_t{2};
    }
}

// The prefix of a set, without the tokens that no other set has.
void Join::append_entries(const TokenCounts& counts, uint32_t rank, std::vector<RankedToken>& order,
                          std::array<std::vector<Entry>, kParts>& out) const {
    const TokenSet set = ranked_[rank];
    const size_t prefix = threshold_.probe_prefix(set.size());
    order.clear();
    for (uint64_t token : set) {
        const uint32_t count = counts[token];
        if (count > 1) order.push_back({count, token});
    }
    const size_t alone = set.size() - order.size();  // these come first
    if (alone >= prefix) return;
    const size_t taken = prefix - alone;
    if (taken < order.size()) {
        std::nth_element(order.begin(), order.begin() + static_cast<ptrdiff_t>(taken), order.end());
        order.resize(taken);
    }
    std::sort(order.begin(), order.end());
    for (size_t i = 0; i < order.size(); ++i) {
        out[order[i].token >> 56].push_back(
            {order[i].token, rank, static_cast<uint32_t>(alone + i)});
    }
}

void Join::collect_entries() {
    const TokenCounts counts(ranked_, threads_);
    std::mutex adding;
    run_parallel(threads_, chunks_of(numbers_.size()), [&](auto next) {
        constexpr size_t kAhead = 4;
        std::vector<RankedToken> order;
        std::array<std::vector<Entry>, kParts> entries;
        for (size_t chunk = next(); chunk < chunks_of(numbers_.size()); chunk = next()) {
            const size_t last = std::min(numbers_.size(), (chunk + 1) * kChunk);
            for (size_t rank = chunk * kChunk; rank < last; ++rank) {
                if (rank + kAhead < last) {
                    for (uint64_t token : ranked_[rank + kAhead]) counts.prefetch(token);
                }
                append_entries(counts, static_cast<uint32_t>(rank), order, entries);
            }
        }
        const std::lock_guard lock(adding);
        for (size_t i = 0; i < kParts; ++i) {
            std::vector<Entry>& all = parts_[i].entries;
            all.insert(all.end(), entries[i].begin(), entries[i].end());
            std::vector<Entry>().swap(entries[i]);
        }
    });
}

void Join::build_postings(Part& part) const {
    std::vector<Entry>& entries = part.entries;
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return a.token != b.token ? a.token < b.token : a.rank < b.rank;
    });
    part.postings.reserve(entries.size());  // probes point into it
    for (size_t i = 0; i < entries.size();) {
        const size_t start = part.postings.size();
        size_t end = i;
        while (end < entries.size() && entries[end].token == entries[i].token) ++end;
        if (end - i > 1) {
            for (; i < end; ++i) {
                const Entry& entry = entries[i];
                const size_t before = part.postings.size() - start;
                if (before > 0) {
                    part.probes.push_back({part.postings.data() + start,
                                           static_cast<uint32_t>(before), entry.rank,
                                           entry.position});
                }
                if (entry.position < threshold_.index_prefix(sizes_[entry.rank])) {
                    part.postings.push_back({entry.rank, entry.position});
                }
            }
        }
        i = end;
    }
    std::vector<Entry>().swap(entries);
}

// Groups the probes of each set, rarest tokens first.
void Join::order_probes() {
    std::vector<size_t> places(numbers_.size() + 1);
    for (const Part& part : parts_) {
        for (const Probe& probe : part.probes) ++places[probe.rank + 1];
    }
    std::partial_sum(places.begin(), places.end(), places.begin());
    probes_.resize(places.back());
    for (Part& part : parts_) {
        for (const Probe& probe : part.probes) probes_[places[probe.rank]++] = probe;
        std::vector<Probe>().swap(part.probes);
    }
    places.pop_back();
    probe_ends_ = std::move(places);  // each has moved on to the end of its set
}

void Join::probe_set(uint32_t rank, std::vector<uint32_t>& seen, std::vector<SimilarPair>& pairs) {
    const size_t first = rank == 0 ? 0 : probe_ends_[rank - 1];
    const size_t last = probe_ends_[rank];
    if (first == last) return;
    std::sort(probes_.data() + first, probes_.data() + last,
              [](const Probe& a, const Probe& b) { return a.position < b.position; });
    const TokenSet set = ranked_[rank];
    const uint64_t least_size = threshold_.least_size(set.size());
    const auto least_rank = static_cast<uint32_t>(
        std::lower_bound(sizes_.begin(), sizes_.begin() + rank, least_size) - sizes_.begin());
    uint64_t size = 0, least = 0;  // of the last candidate
    for (size_t i = first; i < last; ++i) {
        const Probe& probe = probes_[i];
        const Posting* end = probe.postings + probe.count;
        const Posting* posting =
            std::lower_bound(probe.postings, end, least_rank,
                             [](const Posting& p, uint32_t r) { return p.rank < r; });
        for (; posting != end; ++posting) {
            const uint32_t other = posting->rank;
            if (seen[other] == rank + 1) continue;
            seen[other] = rank + 1;
            if (sizes_[other] != size) {
                size = sizes_[other];
                least = threshold_.least_shared(set.size(), size);
            }
            // This is the first token that both have, so nothing before it is shared.
            const uint64_t most = std::min(set.size() - probe.position, size - posting->position);
            if (most < least || !is_wanted(rank, other)) continue;
            const size_t shared = shared_hashes(set, ranked_[other], least);
            if (shared < least) continue;
            const auto [left, right] = std::minmax(numbers_[rank], numbers_[other]);
            pairs.push_back({left, right, static_cast<uint32_t>(shared)});
        }
    }
}

void Join::probe() {
    std::mutex adding;
    std::atomic<size_t> found{0};
    const size_t count = numbers_.size();
    run_parallel(threads_, chunks_of(count), [&](auto next) {
        std::vector<uint32_t> seen(count);
        std::vector<SimilarPair> pairs;
        for (size_t chunk = next(); chunk < chunks_of(count); chunk = next()) {
            const size_t last = std::min(count, (chunk + 1) * kChunk);
            for (size_t rank = chunk * kChunk; rank < last; ++rank) {
                if (found.load(std::memory_order_relaxed) > most_pairs_) break;
                const size_t before = pairs.size();
                probe_set(static_cast<uint32_t>(rank), seen, pairs);
                found.fetch_add(pairs.size() - before, std::memory_order_relaxed);
            }
        }
        const std::lock_guard lock(adding);
        result_.pairs.insert(result_.pairs.end(), pairs.begin(), pairs.end());
    });
    result_.is_complete = found <= most_pairs_;
    std::sort(result_.pairs.begin(), result_.pairs.end(),
              [](const SimilarPair& a, const SimilarPair& b) {
                  return a.left != b.left ? a.left < b.left : a.right < b.right;
              });
}

}  // namespace

SimilarSets join(const TokenSets& sets, const Threshold& threshold, std::optional<size_t> boundary,
                 size_t most_pairs, size_t threads) {
    return Join(sets, threshold, boundary, most_pairs, threads).run();
}

}  // namespace addhash
