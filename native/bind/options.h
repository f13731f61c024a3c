// The core's options under their Python names, in groups: how texts are tokenized, how tokens are
// added up, and how they are counted.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "additive/token_weights.h"
#include "analysis/analysis.h"
#include "bind/unicode.h"
#include "buckets/buckets.h"
#include "normalize/norm.h"
#include "rows/rows.h"

namespace addhash::bind {

struct TextOptions {
    TextOptions(const std::string& analyzer, size_t min_n, size_t max_n, bool lowercase,
                const std::string& accents = "kept", bool is_any = false, size_t least = 2,
                const std::vector<std::string>& stop_words = {});

    Tokenization how;
    FoldingOptions folding;
};

// "none", "l1" or "l2".
Norm norm_named(const std::string& name);

struct SumOptions {
    SumOptions(const Randomizer& randomizer, bool is_signed, bool is_binary,
               const std::string& norm, bool as_bits, std::shared_ptr<const TokenWeights> weights,
               bool is_sublinear);

    TokenWeighting weighting() const { return {weights.get(), is_sublinear}; }

    Randomizer randomizer;
    bool is_signed, is_binary;
    Norm norm;
    bool as_bits;                                 // packed signs instead of numbers
    std::shared_ptr<const TokenWeights> weights;  // nullptr where each token weighs the same
    bool is_sublinear;
};

struct BucketOptions {
    BucketOptions(size_t n_features, bool alternate_sign, bool is_binary, const std::string& norm,
                  bool single);

    BucketRule rule;
    bool is_binary;
    Norm norm;
    bool single;  // float32 instead of float64
};

void register_options(nanobind::module_& module);

}  // namespace addhash::bind
