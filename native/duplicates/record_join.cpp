#include "duplicates/record_join.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "duplicates/field_join.h"
#include "duplicates/posting_lists.h"
#include "duplicates/record_bounds.h"
#include "duplicates/record_signatures.h"
#include "parallel/parallel.h"
#include "parallel/threads.h"

namespace addhash {
namespace {

// Fewer items than these are compared without a look at their signatures.
constexpr size_t kFewItems = 8;
// How many times longer it takes to bring two records together in a list than to compare their
// signatures in a row with others.
constexpr size_t kMeetingCost = 8;
// The same for two records with a similar field.
constexpr double kFieldCost = 32;

class RecordJoin {
public:
    RecordJoin(const Kernels& kernels, const Records& records, const RecordRule& rule,
               size_t threads)
        : kernels_(kernels),
          records_(records),
          rule_(rule),
          threads_(threads),
          bounds_(records, rule),
          signatures_(bounds_, records, rule, threads),
          prefixes_(records.size()) {}

    SimilarRecords run() {
        FieldJoin by_fields(kernels_, records_, rule_, bounds_, signatures_, threads_);
        if (by_fields.share() * kFieldCost < 1) {
            take(by_fields.run());
            return std::move(result_);
        }
        take_prefixes();
        const std::vector<uint32_t> indexed(records_.size(), UINT32_MAX);
        PostingLists lists(prefixes_, indexed, sides(), {}, threads_);
        // Where tokens are so common that lists bring most records together, and more than once, it
        // takes less time to compare all signatures: as if all records had one token in common.
        if (lists.meetings() * kMeetingCost > records_.size() * records_.size()) {
            take_one_token();
            lists = PostingLists(prefixes_, indexed, sides(), {}, threads_);
        }
        probe(lists);
        return std::move(result_);
    }

private:
    friend class RecordScan;

    std::vector<uint8_t> sides() const;
    TokenCounts count_tokens() const;
    void take_prefixes();
    void take_one_token();
    void probe(const PostingLists& lists);
    void take(std::vector<RecordPair> pairs);

    const Kernels& kernels_;
    const Records& records_;
    const RecordRule& rule_;
    const size_t threads_;
    const RecordBounds bounds_;  // its ranks number the records here
    const RecordSignatures signatures_;
    Prefixes prefixes_;
    SimilarRecords result_;
};

std::vector<uint8_t> RecordJoin::sides() const {
    std::vector<uint8_t> sides(rule_.boundary ? records_.size() : 0);
    for (uint32_t rank = 0; rank < sides.size(); ++rank) {
        sides[rank] = bounds_.number(rank) < *rule_.boundary ? 1 : 2;
    }
    return sides;
}

TokenCounts RecordJoin::count_tokens() const {
    std::vector<std::vector<uint64_t>> held((records_.size() + Prefixes::kChunk - 1) /
                                            Prefixes::kChunk);
    std::vector<TokenSet> sets(records_.size());
    for_each_chunk(threads_, records_.size(), [&] {
        return [&, tokens = std::vector<FieldToken>()](size_t first, size_t last) mutable {
            std::vector<uint64_t>& all = held[first / Prefixes::kChunk];
            std::vector<size_t> ends;
            for (size_t rank = first; rank < last; ++rank) {
                bounds_.take_tokens(static_cast<uint32_t>(rank), tokens);
                const auto start = static_cast<ptrdiff_t>(all.size());
                for (const FieldToken& token : tokens) all.push_back(token.token);
                std::sort(all.begin() + start, all.end());
                ends.push_back(all.size());
            }
            size_t start = 0;
            for (size_t rank = first; rank < last; ++rank) {
                sets[rank] = {all.data() + start, ends[rank - first] - start};
                start = ends[rank - first];
            }
        };
    });
    return TokenCounts(sets, threads_);
}

void RecordJoin::take_prefixes() {
    const TokenCounts counts = count_tokens();
    for_each_chunk(threads_, records_.size(), [&] {
        return [&, tokens = std::vector<FieldToken>(), keys = std::vector<uint64_t>()](
                   size_t first, size_t last) mutable {
            for (size_t i = first; i < last; ++i) {
                const auto rank = static_cast<uint32_t>(i);
                bounds_.take_tokens(rank, tokens);
                for (FieldToken& token : tokens) {
                    token.token = order_key(token.token, counts[token.token]);
                }
                std::sort(tokens.begin(), tokens.end(),
                          [](const FieldToken& a, const auto& b) { return a.token < b.token; });
                const size_t prefix = bounds_.prefix(rank, tokens);
                keys.clear();
                size_t alone = 0;  // in no other record: these come first
                for (size_t k = 0; k < prefix; ++k) {
                    tokens[k].token >> 56 == 1 ? void(++alone) : keys.push_back(tokens[k].token);
                }
                prefixes_.append(rank, keys, alone);
            }
        };
    });
}

void RecordJoin::take_one_token() {
    prefixes_ = Prefixes(records_.size());
    const uint64_t token = 0;
    for (uint32_t rank = 0; rank < records_.size(); ++rank) prefixes_.append(rank, {&token, 1}, 0);
}

class RecordScan {
public:
    RecordScan(const RecordJoin& join, const PostingLists& lists, std::atomic<size_t>& found)
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

    const std::vector<RecordPair>& pairs() const { return pairs_; }

private:
    // Items of one pattern.
    struct Run {
        size_t first, last;
        uint32_t pattern;
    };

    bool is_enough() const {
        return found_.load(std::memory_order_relaxed) > join_.rule_.most_pairs;
    }
    void scan(const Postings& part, size_t first_row, size_t last_row, size_t first, size_t last);

    const RecordJoin& join_;
    const PostingLists& lists_;
    std::atomic<size_t>& found_;  // by all threads
    std::vector<Run> runs_;
    RecordSignatures::Columns columns_;
    std::vector<uint32_t> near_;
    std::vector<RecordPair> pairs_;
};

// Ranks go by pattern, so that the items of a list are in runs of one pattern.
void RecordScan::scan(const Postings& part, size_t first_row, size_t last_row, size_t first,
                      size_t last) {
    const RecordBounds& bounds = join_.bounds_;
    runs_.clear();
    for (size_t i = 0; i < last - first; ++i) {
        const uint32_t pattern = bounds.pattern(part.items[first + i]);
        if (runs_.empty() || runs_.back().pattern != pattern) runs_.push_back({i, i, pattern});
        runs_.back().last = i + 1;
    }
    const std::span items(part.items.data() + first, last - first);
    const bool is_signed = items.size() >= kFewItems;
    if (is_signed) join_.signatures_.gather(items, columns_);
    near_.resize(items.size());
    for (size_t row = first_row; row < last_row; ++row) {
        const uint32_t rank = part.row_items[row], pattern = bounds.pattern(rank);
        const size_t before = pairs_.size();
        for (const Run& run : runs_) {
            if (items[run.first] >= rank) break;
            if (!bounds.can_match(pattern, run.pattern)) continue;
            const uint32_t both = bounds.common(pattern, run.pattern);
            size_t end = run.last;
            if (items[end - 1] >= rank) {
                end = std::ranges::lower_bound(items.subspan(run.first, end - run.first), rank) -
                      items.begin();
            }
            size_t near = end - run.first;
            if (is_signed) {
                near = join_.signatures_.select(join_.kernels_, columns_, rank, both, 0, 0,
                                                run.first, end, near_.data());
            } else {
                std::iota(near_.begin(), near_.begin() + near, static_cast<uint32_t>(run.first));
            }
            for (uint32_t i : std::span(near_).first(near)) {
                if (join_.prefixes_.meet_first(rank, part.row_places[row], items[i],
                                               part.places[first + i])) {
                    bounds.check(rank, items[i], pairs_);
                }
            }
        }
        if (pairs_.size() == before) continue;
        found_.fetch_add(pairs_.size() - before, std::memory_order_relaxed);
        if (is_enough()) return;
    }
}

void RecordJoin::probe(const PostingLists& lists) {
    const std::vector<PostingTile> tiles = lists.tiles(signatures_.bytes());
    Mutex adding;
    std::atomic<size_t> found{0};
    std::vector<RecordPair> pairs;
    run_parallel(threads_, tiles.size(), [&](auto next) {
        RecordScan scan(*this, lists, found);
        for (size_t tile = next(); tile < tiles.size(); tile = next()) scan.run(tiles[tile]);
        const std::lock_guard lock(adding);
        pairs.insert(pairs.end(), scan.pairs().begin(), scan.pairs().end());
    });
    take(std::move(pairs));
}

void RecordJoin::take(std::vector<RecordPair> pairs) {
    result_.is_complete = pairs.size() <= rule_.most_pairs;
    std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
        return a.left != b.left ? a.left < b.left : a.right < b.right;
    });
    for (const RecordPair& pair : pairs) {
        result_.left.push_back(pair.left);
        result_.right.push_back(pair.right);
        result_.similarity.push_back(pair.similarity);
    }
}

}  // namespace

double Records::weight(uint32_t present) const {
    double sum = 0;
    for (size_t f = 0; f < fields.size(); ++f) {
        if (present >> f & 1) sum += fields[f].weight;
    }
    return sum;
}

double Records::field_similarity(size_t field, uint32_t a, uint32_t b) const {
    const RecordField& column = fields[field];
    if (column.sets != nullptr) {
        const TokenSet x = (*column.sets)[a], y = (*column.sets)[b];
        const auto shared = static_cast<double>(shared_hashes(x, y, 0));
        return shared / (static_cast<double>(x.size()) + static_cast<double>(y.size()) - shared);
    }
    const double apart = std::abs(column.numbers[a] - column.numbers[b]);
    if (apart == 0) return 1;
    return apart < column.tolerance ? 1 - apart / column.tolerance : 0;
}

double Records::similarity(uint32_t a, uint32_t b, double least) const {
    const uint32_t both = presence[a] & presence[b];
    const double total = weight(both);
    if (total < least || total <= 0) return 0;
    double sum = 0;
    for (size_t f = 0; f < fields.size(); ++f) {
        if (both >> f & 1) sum += fields[f].weight * field_similarity(f, a, b);
    }
    return sum / total;
}

SimilarRecords join_records(const Kernels& kernels, const Records& records, const RecordRule& rule,
                            size_t threads) {
    return RecordJoin(kernels, records, rule, threads).run();
}

}  // namespace addhash
