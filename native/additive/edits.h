// Edits to the sums of a document kept between calls.
#pragma once

#include <cstdint>
#include <span>

#include "dispatch/kernels.h"
#include "rows/rows.h"
#include "tokens/token_batch.h"

namespace addhash {

// Adds token i of the batch weights[i] times to sums[0 .. randomizer.bits). Meant for a few tokens:
// their rows are computed directly, because a cache would cost more than it saves. The caller keeps
// every |sum| plus all |weights| below 2^63.
void edit_sums(const Kernels& kernels, const Randomizer& randomizer, const TokenBatch& tokens,
               std::span<const int64_t> weights, int64_t* sums);

}  // namespace addhash
