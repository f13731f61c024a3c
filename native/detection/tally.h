// The n-grams that texts teach a class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "detection/ngrams.h"

namespace addhash {

struct NgramTally {
    NgramKey key;
    int64_t weight;
};

// The n-grams of the distinct words of each text in the script of most of its letters, each with
// the sum of its texts' weights, by key.
std::vector<NgramTally> tally_ngrams(std::span<const Text> texts, std::span<const int64_t> weights);

}  // namespace addhash
