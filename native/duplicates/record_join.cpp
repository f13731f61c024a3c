#include "duplicates/record_join.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "duplicates/posting_lists.h"
#include "duplicates/record_bounds.h"
#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr size_t kChunk = Prefixes::kChunk;

// std::popcount calls a function on processors of unknown age.
size_t bits_in(uint64_t word) {
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F;
    return word * 0x0101010101010101 >> 56;
}

// Calls use(first, last) for consecutive records, with a `use` for each thread.
template <class Make> void for_each_chunk(size_t threads, size_t count, Make&& make) {
    const size_t chunks = (count + kChunk - 1) / kChunk;
    run_parallel(threads, chunks, [&](auto next) {
        auto use = make();
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            use(chunk * kChunk, std::min(count, (chunk + 1) * kChunk));
        }
    });
}

class RecordJoin {
public:
    RecordJoin(const Kernels& kernels, const Records& records, const RecordRule& rule,
               size_t threads)
        : kernels_(kernels),
          records_(records),
          rule_(rule),
          threads_(threads),
          bounds_(records, rule),
          prefixes_(records.size()) {}

    SimilarRecords run() {
        take_prefixes();
        const std::vector<uint32_t> indexed(records_.size(), UINT32_MAX);
        PostingLists lists(prefixes_, indexed, {}, threads_);
        // Where tokens are so common that lists bring most records together, and more than once, it
        // takes less time to compare all signatures: as if all records had one token in common.
        if (lists.meetings() / 2 > records_.size() * records_.size() / 4) {
            take_one_token();
            lists = PostingLists(prefixes_, indexed, {}, threads_);
        }
        sign_records();
        lists.sign(signatures_, threads_);
        probe(lists);
        return std::move(result_);
    }

private:
    friend class RecordScan;

    TokenCounts count_tokens() const;
    void take_prefixes();
    void take_one_token();
    void sign_records();
    bool can_be_similar(uint32_t rank, const Postings& part, size_t item, uint32_t both,
                        double allowed) const;
    void probe(const PostingLists& lists);

    const Kernels& kernels_;
    const Records& records_;
    const RecordRule& rule_;
    const size_t threads_;
    const RecordBounds bounds_;  // its ranks number the records here
    Prefixes prefixes_;
    Signatures signatures_;
    // The words of signature that have the tokens of a field, and of no other.
    struct Bits {
        size_t field, first, last;
        double weight;
    };
    std::vector<Bits> bits_;       // the greatest weight first; none if words are too few
    std::vector<uint16_t> sizes_;  // of each rank, the tokens of each field
    SimilarRecords result_;
};

TokenCounts RecordJoin::count_tokens() const {
    std::vector<std::vector<uint64_t>> held((records_.size() + kChunk - 1) / kChunk);
    std::vector<TokenSet> sets(records_.size());
    for_each_chunk(threads_, records_.size(), [&] {
        return [&, tokens = std::vector<FieldToken>()](size_t first, size_t last) mutable {
            std::vector<uint64_t>& all = held[first / kChunk];
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

// Each field has bits of its own, as many as others.
void RecordJoin::sign_records() {
    const size_t fields = records_.fields.size();
    size_t with_sets = 0;
    for (const RecordField& field : records_.fields) with_sets += field.sets != nullptr;
    if (with_sets == 0) return;
    const bool is_apart = with_sets <= kMostSignatureWords;
    const size_t each = is_apart ? kMostSignatureWords / with_sets : 1;
    std::vector<size_t> first_of(fields);
    for (size_t f = 0, next = 0; f < fields; ++f) {
        if (records_.fields[f].sets == nullptr) continue;
        first_of[f] = next % kMostSignatureWords;
        next += each;
        if (is_apart) bits_.push_back({f, first_of[f], next, records_.fields[f].weight});
    }
    std::stable_sort(bits_.begin(), bits_.end(),
                     [](const Bits& a, const Bits& b) { return a.weight > b.weight; });
    signatures_.word_count = kMostSignatureWords;
    for (std::vector<uint64_t>& words : signatures_.words) words.resize(records_.size());
    sizes_.resize(records_.size() * fields);
    for_each_chunk(threads_, records_.size(), [&] {
        return [&, tokens = std::vector<FieldToken>()](size_t first, size_t last) mutable {
            for (size_t rank = first; rank < last; ++rank) {
                bounds_.take_tokens(static_cast<uint32_t>(rank), tokens);
                for (const FieldToken& token : tokens) {
                    if (records_.fields[token.field].sets == nullptr) continue;
                    const uint64_t bit = 64 * first_of[token.field] + token.token % (64 * each);
                    signatures_.words[bit / 64][rank] ^= uint64_t{1} << bit % 64;
                    uint16_t& size = sizes_[rank * fields + token.field];
                    size = static_cast<uint16_t>(std::min(UINT16_MAX - 1, int{size}) + 1);
                }
            }
        };
    });
}

// The sets of a field differ in at least as many tokens, d, as its bits, so that of s tokens in
// both sets together at most (s - d) / 2 are shared: at least 2 d / (s + d) of its weight is lost.
// The fields that both have may lose `allowed` in all.
bool RecordJoin::can_be_similar(uint32_t rank, const Postings& part, size_t item, uint32_t both,
                                double allowed) const {
    const size_t fields = records_.fields.size();
    const uint16_t* sizes = &sizes_[rank * fields];
    const uint16_t* others = &sizes_[part.items[item] * fields];
    for (const Bits& bits : bits_) {
        const size_t f = bits.field;
        if (!(both >> f & 1) || std::max(sizes[f], others[f]) == UINT16_MAX) continue;
        size_t different = 0;
        for (size_t w = bits.first; w < bits.last; ++w) {
            different += bits_in(signatures_.words[w][rank] ^ part.signatures.words[w][item]);
        }
        const auto lost = static_cast<double>(2 * different);
        allowed -= bits.weight * lost / static_cast<double>(sizes[f] + others[f] + different);
        if (allowed < 0) return false;
    }
    return true;
}

// What one thread needs to compare the records that a list brings together.
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

    struct Pair {
        uint32_t left, right;
        double similarity;
    };
    const std::vector<Pair>& pairs() const { return pairs_; }

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
    size_t select(const Postings& part, uint32_t rank, const Run& run, size_t first);
    void compare(uint32_t rank, uint32_t place, uint32_t other, uint32_t other_place);

    const RecordJoin& join_;
    const PostingLists& lists_;
    std::atomic<size_t>& found_;  // by all threads
    std::vector<Run> runs_;
    std::vector<uint16_t> most_;  // by item of the list: its part of how many bits may differ
    std::vector<uint32_t> near_;
    std::vector<Pair> pairs_;
};

// Ranks go by pattern, so that the items of a list are in runs of one pattern.
void RecordScan::scan(const Postings& part, size_t first_row, size_t last_row, size_t first,
                      size_t last) {
    const RecordBounds& bounds = join_.bounds_;
    runs_.clear();
    for (size_t i = first; i < last; ++i) {
        const uint32_t pattern = bounds.pattern(part.items[i]);
        if (runs_.empty() || runs_.back().pattern != pattern) runs_.push_back({i, i, pattern});
        runs_.back().last = i + 1;
    }
    if (most_.size() < last - first) most_.resize(last - first);
    if (near_.size() < last - first + 16) near_.resize(last - first + 16);
    uint32_t filled_for = UINT32_MAX;  // the pattern of the rows that most_ is for
    for (size_t row = first_row; row < last_row; ++row) {
        const uint32_t rank = part.row_items[row], pattern = bounds.pattern(rank);
        if (pattern != filled_for) {
            for (size_t i = first; i < last; ++i) {
                most_[i - first] = bounds.most_different(part.items[i], pattern);
            }
            filled_for = pattern;
        }
        const size_t before = pairs_.size();
        for (const Run& run : runs_) {
            if (part.items[run.first] >= rank) break;
            if (!bounds.can_match(pattern, run.pattern)) continue;
            const uint32_t both = bounds.common(pattern, run.pattern);
            const double allowed = (1 - join_.rule_.threshold + 2 * RecordRule::kRounding) *
                                   join_.records_.weight(both);
            const size_t near = select(part, rank, run, first);
            for (size_t i = 0; i < near; ++i) {
                const size_t item = first + near_[i];
                if (!join_.can_be_similar(rank, part, item, both, allowed)) continue;
                compare(rank, part.row_places[row], part.items[item], part.places[item]);
            }
        }
        if (pairs_.size() == before) continue;
        found_.fetch_add(pairs_.size() - before, std::memory_order_relaxed);
        if (is_enough()) return;
    }
}

size_t RecordScan::select(const Postings& part, uint32_t rank, const Run& run, size_t first) {
    size_t last = run.last;
    if (part.items[last - 1] >= rank) {
        const auto items = part.items.begin();
        last = static_cast<size_t>(std::lower_bound(items + static_cast<ptrdiff_t>(run.first),
                                                    items + static_cast<ptrdiff_t>(last), rank) -
                                   items);
    }
    const size_t words = part.signatures.word_count;
    if (words == 0) {
        for (size_t i = run.first; i < last; ++i) {
            near_[i - run.first] = static_cast<uint32_t>(i - first);
        }
        return last - run.first;
    }
    uint64_t signature[kMostSignatureWords];
    const uint64_t* columns[kMostSignatureWords];
    for (size_t w = 0; w < words; ++w) {
        signature[w] = join_.signatures_.words[w][rank];
        columns[w] = part.signatures.words[w].data() + first;
    }
    return join_.kernels_.select_near(columns, words, signature, most_.data(),
                                      join_.bounds_.most_different(rank, run.pattern),
                                      run.first - first, last - first, near_.data());
}

void RecordScan::compare(uint32_t rank, uint32_t place, uint32_t other, uint32_t other_place) {
    const uint32_t a = join_.bounds_.number(rank), b = join_.bounds_.number(other);
    const auto [left, right] = std::minmax(a, b);
    const RecordRule& rule = join_.rule_;
    if (rule.boundary && (left >= *rule.boundary || right < *rule.boundary)) return;
    if (!join_.prefixes_.meet_first(rank, place, other, other_place)) return;
    const double similarity = join_.records_.similarity(left, right, rule.least_weight);
    if (rule.accepts(similarity)) pairs_.push_back({left, right, similarity});
}

void RecordJoin::probe(const PostingLists& lists) {
    const std::vector<PostingTile> tiles = lists.tiles();
    std::mutex adding;
    std::atomic<size_t> found{0};
    std::vector<RecordScan::Pair> pairs;
    run_parallel(threads_, tiles.size(), [&](auto next) {
        RecordScan scan(*this, lists, found);
        for (size_t tile = next(); tile < tiles.size(); tile = next()) scan.run(tiles[tile]);
        const std::lock_guard lock(adding);
        pairs.insert(pairs.end(), scan.pairs().begin(), scan.pairs().end());
    });
    result_.is_complete = found <= rule_.most_pairs;
    std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
        return a.left != b.left ? a.left < b.left : a.right < b.right;
    });
    for (const RecordScan::Pair& pair : pairs) {
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
