// Whole batches of documents, on several threads.
#pragma once

#include <span>

#include "additive/pipeline.h"
#include "tokens/token_batch.h"

namespace addhash {

// Both report the first document that has no vector.
Outcome vectorize_texts(const Kernels& kernels, const Randomizer& randomizer,
                        const AdditiveOptions& options, Analyzer analyzer, NgramRange range,
                        std::span<const Text> texts, size_t threads);

// Tokens that have weights of their own are not weighed again: the options' weighting is plain
// then.
Outcome vectorize_tokens(const Kernels& kernels, const Randomizer& randomizer,
                         const AdditiveOptions& options, const TokenBatch& tokens, size_t threads);

}  // namespace addhash
