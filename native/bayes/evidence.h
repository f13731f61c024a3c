// What tokens say about the classes, for every instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

// What a token says about a class: `alone`, and `extended` if a longer token that extends it
// supplies the rest. score.h has the formula.
struct Evidence {
    int16_t extended;
    int16_t alone;
};
static_assert(sizeof(Evidence) == 4);

// Adds `alone`, or `extended`, to the sums of up to 32 classes, for `count` lists. A list is a
// mask, whose bit i tells whether there is evidence about class i, and that evidence. Every cache
// line that has some of a list can be read as a whole; a list is in one of them, or in two, or
// begins one. The caller keeps the sums below 2^31.
using AddMasked = void (*)(const uint32_t* const* lists, size_t count, bool is_alone,
                           int32_t sums[32]);

// sums[i] += values[i] for i below `size`, a multiple of 32.
using AddEvidence = void (*)(const int16_t* values, size_t size, int32_t* sums);
// sums[i] += times[0] * values[0][i] + times[1] * values[1][i].
using AddEvidenceTimes = void (*)(const int16_t* const values[2], const int32_t times[2],
                                  size_t size, int32_t* sums);

}  // namespace addhash
