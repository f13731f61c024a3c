// Adding bit rows: how many of the rows have each bit set, kept as bit planes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

// Rows are cut into columns of 512 bits. Plane k of a column holds bit k of its 512 counts.
constexpr size_t kColumnBytes = 64;
constexpr size_t kColumnWords = kColumnBytes / 8;
constexpr unsigned kPlanes = 15;
constexpr size_t kMaxPlaneCount = 32767;  // the largest count that kPlanes planes hold
constexpr size_t kRowGroup = 16;          // rows go through the adders in groups of this many

// Adds rows of `columns` columns to planes[columns][kPlanes][kColumnWords]: first counts[0] rows
// that count 1, then counts[1] rows that count 2, and so on up to 2^(weights - 1). Planes from
// `levels` up are not touched: whatever the bits of the rows, the counts after the call must be
// below 2^levels; levels is at most kPlanes.
using AddRows = void (*)(uint64_t* planes, size_t columns, const uint8_t* const* rows,
                         const size_t* counts, unsigned weights, unsigned levels);

}  // namespace addhash
