// Whole batches of documents, on several threads.
#pragma once

#include <memory>
#include <span>

#include "additive/pipeline.h"
#include "tokens/token_batch.h"

namespace addhash {

// All report the first document without a vector.
Outcome vectorize_texts(const Kernels& kernels, const Randomizer& randomizer,
                        const AdditiveOptions& options, const Tokenization& how,
                        std::span<const Text> texts, size_t threads);

// Tokens with weights of their own are not weighted again: the options' weighting must be plain.
Outcome vectorize_tokens(const Kernels& kernels, const Randomizer& randomizer,
                         const AdditiveOptions& options, const TokenBatch& tokens, size_t threads);

// The same with the other threads at work until join(), while this one may read the next batch.
// What is given must outlive it.
class TokenRun {
public:
    TokenRun(const Kernels& kernels, const Randomizer& randomizer, const AdditiveOptions& options,
             const TokenBatch& tokens, size_t threads);
    ~TokenRun();

    Outcome join();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace addhash
