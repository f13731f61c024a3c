// The suffixes of a sequence of numbers in order, and how much neighbours have in common.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace addhash {

// Where the suffixes begin, in ascending order; a suffix comes before those it is a prefix of.
// Symbols are from 0 to below `symbols`, which is at most 2^31 - 1 like the length. By induced
// sorting (Nong, Zhang and Chan, 2009): time and memory are linear.
std::vector<int32_t> suffix_array(std::span<const int32_t> text, int32_t symbols);

// By where suffixes begin: with how many symbols both that suffix and the one before it in this
// order begin; 0 for the first.
std::vector<uint32_t> common_prefixes(std::span<const int32_t> text,
                                      std::span<const int32_t> order);

}  // namespace addhash
