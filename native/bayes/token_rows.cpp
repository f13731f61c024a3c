#include "bayes/token_rows.h"

#include <algorithm>
#include <mutex>

#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr size_t kChunk = 16;  // texts that a thread takes at a time

}  // namespace

void TokenCounter::hash(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                        size_t count, std::vector<uint32_t>& buckets) {
    if (buckets.size() < count) buckets.resize(count);
    kernels_.murmur3(bytes, starts, ends, count, 0, buckets.data());
    for (size_t i = 0; i < count; ++i) buckets[i] = rule_.key(buckets[i]) >> 1;
}

// Where to look first. Where buckets are few, many tokens share one and extend different tokens.
inline size_t TokenCounter::first_slot(uint32_t bucket, uint32_t prefix) const {
    return (bucket + prefix * 0x9E3779B1u) & (slots_.size() - 1);
}

uint32_t TokenCounter::place(uint32_t bucket, uint32_t prefix) {
    const size_t mask = slots_.size() - 1;
    for (size_t at = first_slot(bucket, prefix);; at = (at + 1) & mask) {
        const uint32_t slot = slots_[at];
        if (slot == 0) {
            tokens_.push_back({bucket, prefix, 1});
            const auto position = static_cast<uint32_t>(tokens_.size() - 1);
            slots_[at] = position + 1;
            if (!firsts_.empty()) add_first(position);
            if (2 * tokens_.size() > slots_.size()) enlarge();
            return position;
        }
        CountedToken& token = tokens_[slot - 1];
        if (token.bucket == bucket && token.prefix == prefix) {
            ++token.count;
            return slot - 1;
        }
    }
}

// The first token of a bucket, or kNoPrefix.
uint32_t TokenCounter::find(uint32_t bucket) {
    if (firsts_.empty()) list_firsts();
    const size_t mask = firsts_.size() - 1;
    for (size_t at = bucket & mask; firsts_[at] != 0; at = (at + 1) & mask) {
        if (tokens_[firsts_[at] - 1].bucket == bucket) return firsts_[at] - 1;
    }
    return kNoPrefix;
}

void TokenCounter::add_first(uint32_t position) {
    const size_t mask = firsts_.size() - 1;
    const uint32_t bucket = tokens_[position].bucket;
    size_t at = bucket & mask;
    for (; firsts_[at] != 0; at = (at + 1) & mask) {
        if (tokens_[firsts_[at] - 1].bucket == bucket) return;
    }
    firsts_[at] = position + 1;
}

void TokenCounter::list_firsts() {
    firsts_.assign(slots_.size(), 0);
    for (size_t i = 0; i < tokens_.size(); ++i) add_first(static_cast<uint32_t>(i));
}

void TokenCounter::enlarge() {
    slots_.assign(2 * slots_.size(), 0);
    const size_t mask = slots_.size() - 1;
    for (size_t i = 0; i < tokens_.size(); ++i) {
        size_t at = first_slot(tokens_[i].bucket, tokens_[i].prefix);
        while (slots_[at] != 0) at = (at + 1) & mask;
        slots_[at] = static_cast<uint32_t>(i + 1);
    }
    if (!firsts_.empty()) list_firsts();
}

void TokenCounter::clear() {
    constexpr size_t kMostSlots = size_t{1} << 16;  // kept from one text to the next
    if (slots_.size() > kMostSlots) {
        slots_ = std::vector<uint32_t>(kMostSlots);
    } else {
        std::fill(slots_.begin(), slots_.end(), 0);
    }
    tokens_.clear();
    firsts_.clear();
    last_starts_ = last_ends_ = nullptr;
}

void TokenCounter::consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                           size_t count) {
    consume_ngrams(bytes, starts, ends, starts, count);
}

void TokenCounter::consume_ngrams(const uint8_t* bytes, const uint32_t* starts,
                                  const uint32_t* ends, const uint32_t* prefix_ends, size_t count) {
    hash(bytes, starts, ends, count, buckets_);
    places_.resize(count);
    if (prefix_ends == starts) {
        for (size_t i = 0; i < count; ++i) places_[i] = place(buckets_[i], kNoPrefix);
    } else if (starts == last_starts_ && prefix_ends == last_ends_ &&
               count <= last_places_.size()) {
        for (size_t i = 0; i < count; ++i) places_[i] = place(buckets_[i], last_places_[i]);
    } else {
        hash(bytes, starts, prefix_ends, count, prefix_buckets_);
        for (size_t i = 0; i < count; ++i) {
            const bool has_prefix = prefix_ends[i] != starts[i];
            places_[i] = place(buckets_[i], has_prefix ? find(prefix_buckets_[i]) : kNoPrefix);
        }
    }
    last_places_.swap(places_);
    last_starts_ = starts;
    last_ends_ = ends;
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

TokenRows TokenRows::without_repetition() const {
    TokenRows result = *this;
    for (CountedToken& token : result.tokens_) token.count = 1;
    for (size_t i = 0; i < size(); ++i) {
        result.lengths_[i] = static_cast<int64_t>(starts_[i + 1] - starts_[i]);
    }
    return result;
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
                if (status != Status::done) {
                    const std::lock_guard lock(shared);
                    outcome.merge({status, i});
                    return;
                }
                parts[chunk].push_back(counter.tokens());
                counter.clear();
            }
        }
    });
    if (outcome.status != Status::done) return outcome;
    if (parts.size() == 1) {
        rows = std::move(parts[0]);
    } else {
        for (const TokenRows& part : parts) rows.append(part);
    }
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
        rows.push_back(counter.tokens());
        counter.clear();
    }
    return rows;
}

}  // namespace addhash
