// Whole batches of documents, on several threads.
#pragma once

#include <span>

#include "additive/pipeline.h"
#include "tokens/token_batch.h"

namespace addhash {

// Both report the first document without a vector.
Outcome vectorize_texts(const Kernels& kernels, const Randomizer& randomizer,
                        const AdditiveOptions& options, Analyzer analyzer, NgramRange range,
                        std::span<const Text> texts, size_t threads);

// Tokens with weights of their own are not weighted again: the options' weighting must be plain.
Outcome vectorize_tokens(const Kernels& kernels, const Randomizer& randomizer,
                         const AdditiveOptions& options, const TokenBatch& tokens, size_t threads);

}  // namespace addhash
