// Python's tokens and records as a TokenBatch.
#pragma once

#include <nanobind/nanobind.h>

#include "tokens/token_batch.h"

namespace addhash::bind {

void append_strings(TokenBatch& batch, nanobind::handle document);
void append_pairs(TokenBatch& batch, nanobind::handle document);

void register_token_batch(nanobind::module_& module);

}  // namespace addhash::bind
