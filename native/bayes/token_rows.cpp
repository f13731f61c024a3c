#include "bayes/token_rows.h"

#include <algorithm>
#include <mutex>

#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr size_t kMaxKeys = size_t{1} << 20;  // after which a long text is reduced as it comes
constexpr size_t kChunk = 16;                 // texts that a thread takes at a time

bool comes_before(const CountedToken& a, const CountedToken& b) {
    return a.bucket != b.bucket ? a.bucket < b.bucket : a.prefix < b.prefix;
}

// By bucket with a radix sort, then by prefix where a bucket has several, which is rare.
void sort_keys(std::vector<uint64_t>& keys, std::vector<uint64_t>& scratch, unsigned bits) {
    if (keys.size() < 64) {
        std::sort(keys.begin(), keys.end());
        return;
    }
    const unsigned widest = keys.size() < 512 ? 7 : 11;
    const unsigned passes = (bits + widest - 1) / widest;
    const unsigned digit = passes == 0 ? 0 : (bits + passes - 1) / passes;
    const uint32_t mask = (uint32_t{1} << digit) - 1;
    scratch.resize(keys.size());
    uint32_t offsets[1 << 11];
    for (unsigned pass = 0; pass < passes; ++pass) {
        const unsigned shift = 32 + pass * digit;
        std::fill_n(offsets, mask + 1, 0);
        for (uint64_t key : keys) ++offsets[key >> shift & mask];
        uint32_t total = 0;
        for (uint32_t d = 0; d <= mask; ++d) {
            const uint32_t here = offsets[d];
            offsets[d] = total;
            total += here;
        }
        for (uint64_t key : keys) scratch[offsets[key >> shift & mask]++] = key;
        keys.swap(scratch);
    }
    for (size_t i = 1; i < keys.size(); ++i) {
        if (keys[i - 1] <= keys[i]) continue;
        size_t first = i - 1, end = i + 1;
        while (first > 0 && keys[first - 1] >> 32 == keys[i] >> 32) --first;
        while (end < keys.size() && keys[end] >> 32 == keys[i] >> 32) ++end;
        std::sort(keys.begin() + static_cast<ptrdiff_t>(first),
                  keys.begin() + static_cast<ptrdiff_t>(end));
        i = end - 1;
    }
}

CountedToken token_of(uint64_t key) {
    return {static_cast<uint32_t>(key >> 32), static_cast<uint32_t>(key), 1};
}

void reduce(const std::vector<uint64_t>& keys, std::vector<CountedToken>& out) {
    out.resize(keys.size());
    size_t entries = 0;
    uint64_t last = 0;
    for (const uint64_t key : keys) {
        // Whether a key is new cannot be foreseen: every key writes, and a new one moves on.
        const bool is_new = entries == 0 || key != last;
        entries += is_new;
        CountedToken& entry = out[entries - 1];
        const int64_t count = is_new ? 1 : entry.count + 1;
        entry = token_of(key);
        entry.count = count;
        last = key;
    }
    out.resize(entries);
}

}  // namespace

void TokenCounter::hash(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                        size_t count, std::vector<uint32_t>& buckets) {
    buckets.resize(count);
    kernels_.murmur3(bytes, starts, ends, count, 0, buckets.data());
    for (uint32_t& bucket : buckets) bucket = rule_.key(bucket) >> 1;
}

void TokenCounter::consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                           size_t count) {
    consume_ngrams(bytes, starts, ends, starts, count);
}

void TokenCounter::consume_ngrams(const uint8_t* bytes, const uint32_t* starts,
                                  const uint32_t* ends, const uint32_t* prefix_ends, size_t count) {
    const bool has_prefixes = prefix_ends != starts;
    if (has_prefixes) {
        const bool are_known =
            starts == last_starts_ && prefix_ends == last_ends_ && count <= buckets_.size();
        if (are_known) {
            prefixes_.swap(buckets_);
        } else {
            hash(bytes, starts, prefix_ends, count, prefixes_);
            for (size_t i = 0; i < count; ++i) {
                if (prefix_ends[i] == starts[i]) prefixes_[i] = kNoPrefix;
            }
        }
    }
    hash(bytes, starts, ends, count, buckets_);
    last_starts_ = starts;
    last_ends_ = ends;
    for (size_t done = 0; done < count;) {
        const size_t taken =
            order_ == Order::text ? count : std::min(count - done, kMaxKeys - keys_.size());
        const size_t old = keys_.size();
        keys_.resize(old + taken);
        for (size_t i = 0; i < taken; ++i) {
            const uint32_t prefix = has_prefixes ? prefixes_[done + i] : kNoPrefix;
            keys_[old + i] = static_cast<uint64_t>(buckets_[done + i]) << 32 | prefix;
        }
        done += taken;
        if (order_ == Order::buckets && keys_.size() == kMaxKeys) fold();
    }
}

// Merges the keys so far into folded_.
void TokenCounter::fold() {
    sort_keys(keys_, scratch_, rule_.bucket_bits());
    reduce(keys_, fresh_);
    keys_.clear();
    merged_.clear();
    size_t i = 0, j = 0;
    while (i < fresh_.size() || j < folded_.size()) {
        if (j == folded_.size() || (i < fresh_.size() && comes_before(fresh_[i], folded_[j]))) {
            merged_.push_back(fresh_[i++]);
        } else if (i == fresh_.size() || comes_before(folded_[j], fresh_[i])) {
            merged_.push_back(folded_[j++]);
        } else {
            merged_.push_back(folded_[j++]);
            merged_.back().count += fresh_[i++].count;
        }
    }
    folded_.swap(merged_);
}

std::span<const CountedToken> TokenCounter::finish() {
    last_starts_ = last_ends_ = nullptr;
    if (order_ == Order::text) {
        fresh_.clear();
        for (const uint64_t key : keys_) fresh_.push_back(token_of(key));
        keys_.clear();
    } else if (folded_.empty()) {
        sort_keys(keys_, scratch_, rule_.bucket_bits());
        reduce(keys_, fresh_);
        keys_.clear();
    } else {
        fold();
        fresh_.swap(folded_);
        folded_.clear();
    }
    return fresh_;
}

void TokenRows::push_back(std::span<const CountedToken> text) {
    tokens_.insert(tokens_.end(), text.begin(), text.end());
    int64_t length = 0;
    for (const CountedToken& token : text) length += token.count;
    lengths_.push_back(length);
    starts_.push_back(tokens_.size());
}

void TokenRows::append(const TokenRows& other) {
    const size_t before = tokens_.size();
    tokens_.insert(tokens_.end(), other.tokens_.begin(), other.tokens_.end());
    lengths_.insert(lengths_.end(), other.lengths_.begin(), other.lengths_.end());
    for (size_t i = 1; i < other.starts_.size(); ++i) starts_.push_back(before + other.starts_[i]);
}

Outcome count_token_rows(const Kernels& kernels, const BucketRule& rule, Analyzer analyzer,
                         NgramRange range, std::span<const Text> texts, size_t threads,
                         TokenRows& rows) {
    const size_t chunks = (texts.size() + kChunk - 1) / kChunk;
    std::vector<TokenRows> parts(chunks);
    Outcome outcome;
    std::mutex shared;
    run_parallel(threads, chunks, [&](auto next) {
        Analysis analysis(analyzer, range);
        TokenCounter counter(kernels, rule);
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            const size_t end = std::min(texts.size(), (chunk + 1) * kChunk);
            for (size_t i = chunk * kChunk; i < end; ++i) {
                const Status status = analysis.run(texts[i], counter);
                const auto counted = counter.finish();
                if (status != Status::done) {
                    const std::lock_guard lock(shared);
                    outcome.merge({status, i});
                    return;
                }
                parts[chunk].push_back(counted);
            }
        }
    });
    if (outcome.status != Status::done) return outcome;
    for (const TokenRows& part : parts) rows.append(part);
    return outcome;
}

TokenRows count_token_rows(const Kernels& kernels, const BucketRule& rule,
                           const TokenBatch& tokens) {
    TokenRows rows;
    TokenCounter counter(kernels, rule);
    for (size_t i = 0; i < tokens.documents(); ++i) {
        const size_t first = tokens.token_start(i);
        counter.consume(tokens.bytes(), tokens.starts() + first, tokens.ends() + first,
                        tokens.token_end(i) - first);
        rows.push_back(counter.finish());
    }
    return rows;
}

}  // namespace addhash
