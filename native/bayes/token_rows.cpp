#include "bayes/token_rows.h"

#include <algorithm>

#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr size_t kRowChunk = 16;  // texts that a thread takes at a time

}  // namespace

// Where to look first.
inline size_t TokenCounter::first_slot(uint32_t bucket, uint32_t order) const {
    return (bucket + order * 0x9E3779B1u) & (slots_.size() - 1);
}

void TokenCounter::place(uint32_t bucket, uint32_t order) {
    const size_t mask = slots_.size() - 1;
    for (size_t at = first_slot(bucket, order);; at = (at + 1) & mask) {
        const uint32_t slot = slots_[at];
        if (slot == 0) {
            tokens_.push_back({bucket, order, 1});
            slots_[at] = static_cast<uint32_t>(tokens_.size());
            if (2 * tokens_.size() > slots_.size()) enlarge();
            return;
        }
        CountedToken& token = tokens_[slot - 1];
        if (token.bucket == bucket && token.order == order) {
            ++token.count;
            return;
        }
    }
}

void TokenCounter::enlarge() {
    slots_.assign(2 * slots_.size(), 0);
    const size_t mask = slots_.size() - 1;
    for (size_t i = 0; i < tokens_.size(); ++i) {
        size_t at = first_slot(tokens_[i].bucket, tokens_[i].order);
        while (slots_[at] != 0) at = (at + 1) & mask;
        slots_[at] = static_cast<uint32_t>(i + 1);
    }
}

void TokenCounter::clear() {
    constexpr size_t kMostSlots = size_t{1} << 16;  // kept from one text to the next
    if (slots_.size() > kMostSlots) {
        slots_ = std::vector<uint32_t>(kMostSlots);
    } else {
        std::fill(slots_.begin(), slots_.end(), 0);
    }
    tokens_.clear();
}

void TokenCounter::consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                           size_t count) {
    consume_ngrams(bytes, starts, ends, count, {0});
}

void TokenCounter::consume_ngrams(const uint8_t* bytes, const uint32_t* starts,
                                  const uint32_t* ends, size_t count, NgramOrders orders) {
    if (buckets_.size() < count) buckets_.resize(count);
    kernels_.murmur3(bytes, starts, ends, count, 0, buckets_.data());
    for (size_t i = 0; i < count; ++i) place(rule_.key(buckets_[i]) >> 1, orders[i]);
}

void TokenRows::push_back(std::span<const CountedToken> text) {
    tokens_.insert(tokens_.end(), text.begin(), text.end());
    starts_.push_back(tokens_.size());
}

void TokenRows::append(const TokenRows& other) {
    const size_t before = tokens_.size();
    tokens_.insert(tokens_.end(), other.tokens_.begin(), other.tokens_.end());
    for (size_t i = 1; i < other.starts_.size(); ++i) starts_.push_back(before + other.starts_[i]);
}

TokenRows TokenRows::without_repetition() const {
    TokenRows result = *this;
    for (CountedToken& token : result.tokens_) token.count = 1;
    return result;
}

Outcome count_token_rows(const Kernels& kernels, const BucketRule& rule, Tokenization how,
                         std::span<const Text> texts, size_t threads, TokenRows& rows) {
    const size_t chunks = (texts.size() + kRowChunk - 1) / kRowChunk;
    std::vector<TokenRows> parts(chunks);
    Outcome outcome;
    Mutex shared;
    run_parallel(threads, chunks, [&](auto next) {
        Analysis analysis(how);
        TokenCounter counter(kernels, rule);
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            const size_t end = std::min(texts.size(), (chunk + 1) * kRowChunk);
            for (size_t i = chunk * kRowChunk; i < end; ++i) {
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

TokenRows count_token_rows(const Kernels& kernels, const BucketRule& rule, const TokenBatch& tokens,
                           uint8_t separator, uint32_t shortest, uint32_t orders) {
    TokenRows rows;
    TokenCounter counter(kernels, rule);
    std::vector<uint32_t> each;
    for (size_t i = 0; i < tokens.documents(); ++i) {
        const size_t first = tokens.token_start(i), count = tokens.token_end(i) - first;
        const uint32_t *starts = tokens.starts() + first, *ends = tokens.ends() + first;
        each.assign(count, 0);
        for (size_t j = 0; j < count && orders > 1; ++j) {
            const auto found = static_cast<uint32_t>(
                std::count(tokens.bytes() + starts[j], tokens.bytes() + ends[j], separator));
            each[j] = std::min(std::max(found, shortest) - shortest, orders - 1);
        }
        counter.consume_ngrams(tokens.bytes(), starts, ends, count, {0, each.data()});
        rows.push_back(counter.tokens());
        counter.clear();
    }
    return rows;
}

}  // namespace addhash
