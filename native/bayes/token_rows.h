// Texts as the buckets of their tokens, each with the token it extends.
#pragma once

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
    // The position, in the same text, of the token without its last word or character.
    uint32_t prefix;
    int64_t count;
};

// The tokens of one text after the other.
class TokenCounter final : public TokenSink {
public:
    TokenCounter(const Kernels& kernels, BucketRule rule) : kernels_(kernels), rule_(rule) {}

    void consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                 size_t count) override;
    void consume_ngrams(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                        const uint32_t* prefix_ends, size_t count) override;

    // The tokens of the text, each pair of bucket and prefix once. Valid until the next call.
    const std::vector<CountedToken>& tokens() const { return tokens_; }
    void clear();

private:
    void hash(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends, size_t count,
              std::vector<uint32_t>& buckets);
    uint32_t place(uint32_t bucket, uint32_t prefix);
    size_t first_slot(uint32_t bucket, uint32_t prefix) const;
    uint32_t find(uint32_t bucket);
    void add_first(uint32_t position);
    void list_firsts();
    void enlarge();

    const Kernels& kernels_;
    BucketRule rule_;
    std::vector<CountedToken> tokens_;
    std::vector<uint32_t> slots_ = std::vector<uint32_t>(4096);  // positions in tokens_, plus 1
    // Of each bucket the first token, in the same way; empty until one is looked for.
    std::vector<uint32_t> firsts_;
    std::vector<uint32_t> buckets_, prefix_buckets_;
    // Of the last call: the n-grams of one length are the prefixes of the next.
    const uint32_t* last_starts_ = nullptr;
    const uint32_t* last_ends_ = nullptr;
    std::vector<uint32_t> last_places_, places_;
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
    // With a count of 1 for each token.
    TokenRows without_repetition() const;

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
