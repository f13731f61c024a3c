// From documents to vectors: tokens are gathered across documents, hashed together, and added up.
#pragma once

#include <memory>
#include <vector>

#include "additive/document_sum.h"
#include "additive/output.h"
#include "additive/seen_tokens.h"
#include "additive/token_tally.h"
#include "additive/token_weights.h"
#include "analysis/analysis.h"
#include "rows/rows.h"

namespace addhash {

// What one thread needs to vectorise with one randomizer. It can be reused for later calls, unless
// a pipeline that used it was abandoned without finish().
class AdditiveWorkspace {
public:
    // For one of `sharers` threads that work at the same time.
    explicit AdditiveWorkspace(const Randomizer& randomizer, size_t sharers = 1);

    const Randomizer& randomizer() const { return randomizer_; }
    // The most memory that its row cache may use.
    size_t bytes() const { return source_.bytes(); }

private:
    friend class AdditivePipeline;
    Randomizer randomizer_;
    RowSource source_;
    DocumentSum sum_;
    SeenTokens seen_;
    TokenTally tally_;
};

struct AdditiveOptions {
    bool is_signed;
    bool is_binary;  // count each token of a document once
    VectorOutput output;
    TokenWeighting weighting{};
};

// Consumes the tokens of one document after another, each ended; finish() writes the rest.
class AdditivePipeline final : public TokenSink {
public:
    // With `bytes_stay`, all tokens are in the same bytes, which stay until finish(): the tokens of
    // several short documents are then looked up together.
    AdditivePipeline(const Kernels& kernels, AdditiveWorkspace& workspace,
                     const AdditiveOptions& options, bool bytes_stay = false);

    void consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                 size_t count) override;
    // Tokens with weights of their own: integers in units of 2^exponent.
    void consume_weighted(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                          const int64_t* weights, size_t count, int exponent);
    // The tokens since the last end form the document for `row` of the output.
    void end_document(size_t row);
    void finish();

    // The first document whose vector could not be written.
    Outcome outcome() const { return outcome_; }

private:
    struct Segment {
        size_t end;    // of its rows, which begin where the segment before ends
        size_t row;    // of the output, or kContinues
        int exponent;  // of its weights
        bool is_weighted;
    };
    static constexpr size_t kContinues = SIZE_MAX;

    // Whether nothing is waiting to be added: tokens of the fast randomizer, whose rows take less
    // time to make than to look up, need not wait either.
    bool is_direct() const {
        return work_.randomizer_.kind == RandomizerKind::aes128 && segments_.empty() && used_ == 0;
    }
    void add_now(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends, size_t count);
    void add_units(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                   size_t count);
    void write(size_t row);
    void gather(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                const int64_t* weights, size_t count, int exponent);
    void look_up(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends, size_t count);
    void look_up_pending();
    void weigh_document();
    void weigh_tokens(const uint8_t* bytes, size_t first, size_t count);
    void close_segment(size_t row);
    void flush();

    const Kernels& kernels_;
    AdditiveWorkspace& work_;
    AdditiveOptions options_;
    std::vector<const uint8_t*> rows_;
    size_t used_ = 0;
    // The tokens of the last rows, which were not looked up yet.
    bool bytes_stay_;
    const uint8_t* pending_bytes_ = nullptr;
    std::vector<uint32_t> pending_starts_, pending_ends_;
    std::vector<int64_t> weights_;
    std::vector<Segment> segments_;
    int exponent_ = 0;
    bool is_weighted_ = false;
    std::vector<Seed> seeds_;
    std::vector<uint32_t> fresh_, fresh_starts_, fresh_ends_;
    // For the distinct tokens of a document, some at a time.
    std::vector<uint32_t> hashes_;
    std::vector<int64_t> token_weights_;
    SublinearWeight sublinear_weight_;
    Outcome outcome_;
};

}  // namespace addhash
