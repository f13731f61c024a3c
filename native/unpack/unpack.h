// From bit planes to integers in the paper's component order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bitsum/bitsum.h"

namespace addhash {

// Kernels write whole registers downwards from a vector's end, so every array of
// components is writable this many elements before its first one.
constexpr size_t kComponentSlack = 256;

// sums[c] = 2 * (count of bit bits - 1 - c) - total, for c from 0 to bits - 1.
// `planes` is what AddRows left; planes from `levels` (1 to kPlanes) up are zero, and no count is
// above `total`, which is at most kMaxPlaneCount: every sum fits. Leaves all planes zero.
using UnpackPlanes = void (*)(uint64_t* planes, size_t bits, unsigned levels, int16_t total,
                              int16_t* sums);

}  // namespace addhash
