// Whole batches of documents, on several threads.
#pragma once

#include <span>

#include "additive/pipeline.h"
#include "tokens/token_batch.h"

namespace addhash {

enum class BatchStatus { done, surrogate, too_long, overflow, fractional, not_finite };

struct BatchResult {
    BatchStatus status;
    size_t document;  // the first one with that status
};

BatchResult vectorize_texts(const Kernels& kernels, const Randomizer& randomizer,
                            const AdditiveOptions& options, Analyzer analyzer, NgramRange range,
                            std::span<const Text> texts, size_t threads);

BatchResult vectorize_tokens(const Kernels& kernels, const Randomizer& randomizer,
                             const AdditiveOptions& options, const TokenBatch& tokens,
                             size_t threads);

}  // namespace addhash
