// What tokens say about the classes, for every instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

// Adds values to the sums of up to 32 classes, for `count` lists. A list is a mask, whose bit i
// tells whether there is a value for class i, and these values, each a signed word. Every cache
// line that has some of a list can be read as a whole; a list is in one of them, or in two, or
// begins one. The caller keeps the sums below 2^31.
using AddMasked = void (*)(const uint32_t* const* lists, size_t count, int32_t sums[32]);

// sums[i] += values[i] for i below `size`, a multiple of 32.
using AddEvidence = void (*)(const int16_t* values, size_t size, int32_t* sums);

}  // namespace addhash
