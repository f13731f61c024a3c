// What a token says about the classes, for every instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

// A list with a value for each class is filled up to a multiple of this.
constexpr size_t kEvidenceBlock = 32;

// sums[i] += values[i] for i below `size`, a multiple of kEvidenceBlock. The caller keeps the sums
// below 2^31.
using AddEvidence = void (*)(const int16_t* values, size_t size, int32_t* sums);
// sums[i] += times[0] * values[0][i] + times[1] * values[1][i].
using AddEvidenceTimes = void (*)(const int16_t* const values[2], const int32_t times[2],
                                  size_t size, int32_t* sums);

}  // namespace addhash
