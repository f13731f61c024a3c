// Texts as the buckets of their tokens.
#pragma once

#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "buckets/buckets.h"
#include "dispatch/kernels.h"
#include "status/status.h"
#include "tokens/token_batch.h"

namespace addhash {

struct CountedToken {
    uint32_t bucket;
    uint32_t order;  // see NgramOrders
    int64_t count;
};

// The tokens of one text after the other.
class TokenCounter final : public TokenSink {
public:
    TokenCounter(const Kernels& kernels, BucketRule rule) : kernels_(kernels), rule_(rule) {}

    void consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                 size_t count) override;
    void consume_ngrams(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                        size_t count, NgramOrders orders) override;

    // The tokens of the text, each pair of bucket and order once. Valid until the next call.
    const std::vector<CountedToken>& tokens() const { return tokens_; }
    void clear();

private:
    void place(uint32_t bucket, uint32_t order);
    size_t first_slot(uint32_t bucket, uint32_t order) const;
    void enlarge();

    const Kernels& kernels_;
    BucketRule rule_;
    std::vector<CountedToken> tokens_;
    std::vector<uint32_t> slots_ = std::vector<uint32_t>(4096);  // positions in tokens_, plus 1
    std::vector<uint32_t> buckets_;
};

// Texts, each a run of counted tokens.
class TokenRows {
public:
    size_t size() const { return starts_.size() - 1; }
    std::span<const CountedToken> operator[](size_t i) const {
        return {tokens_.data() + starts_[i], starts_[i + 1] - starts_[i]};
    }
    size_t entries() const { return tokens_.size(); }

    void push_back(std::span<const CountedToken> text);
    void append(const TokenRows& other);
    // With a count of 1 for each token.
    TokenRows without_repetition() const;

private:
    std::vector<size_t> starts_ = {0};
    std::vector<CountedToken> tokens_;
};

Outcome count_token_rows(const Kernels& kernels, const BucketRule& rule, Tokenization how,
                         std::span<const Text> texts, size_t threads, TokenRows& rows);

// Of ready tokens: their order is the number of separators in them, less `shortest`.
TokenRows count_token_rows(const Kernels& kernels, const BucketRule& rule, const TokenBatch& tokens,
                           uint8_t separator, uint32_t shortest, uint32_t orders);

}  // namespace addhash
