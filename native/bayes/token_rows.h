// Texts as the buckets of their tokens, each with the bucket of the token that it extends.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "buckets/buckets.h"
#include "dispatch/kernels.h"
#include "status/status.h"
#include "tokens/token_batch.h"

namespace addhash {

constexpr uint32_t kNoPrefix = UINT32_MAX;  // of a token that extends none

struct CountedToken {
    uint32_t bucket;
    uint32_t prefix;  // the bucket of the token without its last word or character, or kNoPrefix
    int64_t count;
};

// The tokens of one text after the other, however long the texts.
class TokenCounter final : public TokenSink {
public:
    enum class Order { buckets, text };

    TokenCounter(const Kernels& kernels, BucketRule rule, Order order = Order::buckets)
        : kernels_(kernels), rule_(rule), order_(order) {}

    void consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                 size_t count) override;
    void consume_ngrams(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                        const uint32_t* prefix_ends, size_t count) override;

    // The text's tokens: in order of bucket and prefix, each pair once, or as they came, each with
    // a count of 1. Valid until the next call.
    std::span<const CountedToken> finish();

private:
    void hash(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends, size_t count,
              std::vector<uint32_t>& buckets);
    void fold();

    const Kernels& kernels_;
    BucketRule rule_;
    Order order_;
    std::vector<uint64_t> keys_, scratch_;  // bucket << 32 | prefix
    std::vector<CountedToken> folded_, fresh_, merged_;
    std::vector<uint32_t> buckets_, prefixes_;
    // Of the last call: the n-grams of one length are the prefixes of the next.
    const uint32_t* last_starts_ = nullptr;
    const uint32_t* last_ends_ = nullptr;
};

// Texts, each a run of counted tokens.
class TokenRows {
public:
    size_t size() const { return starts_.size() - 1; }
    std::span<const CountedToken> operator[](size_t i) const {
        return {tokens_.data() + starts_[i], starts_[i + 1] - starts_[i]};
    }
    // The number of tokens of a text, repeated ones counted.
    int64_t length(size_t i) const { return lengths_[i]; }
    size_t entries() const { return tokens_.size(); }

    void push_back(std::span<const CountedToken> text);
    void append(const TokenRows& other);

private:
    std::vector<size_t> starts_ = {0};
    std::vector<CountedToken> tokens_;
    std::vector<int64_t> lengths_;
};

Outcome count_token_rows(const Kernels& kernels, const BucketRule& rule, Analyzer analyzer,
                         NgramRange range, std::span<const Text> texts, size_t threads,
                         TokenRows& rows);

// Of ready tokens: they extend none.
TokenRows count_token_rows(const Kernels& kernels, const BucketRule& rule,
                           const TokenBatch& tokens);

}  // namespace addhash
