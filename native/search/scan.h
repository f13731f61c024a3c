// The kernels of exact search: products of a tile of rows with a group of queries.
#pragma once

#include <cstddef>
#include <cstdint>

#include "search/encoded.h"

namespace addhash {

// Rows are scanned this many at a time.
constexpr size_t kTileRows = 32;
// The most queries of one product, and the sizes that a smaller group is filled up to.
constexpr size_t kMaxGroup = 12;
static constexpr size_t group_size(size_t queries) {
    return queries > 4 ? 12 : queries > 1 ? 4 : 1;
}
// Components whose products fit 32 bits: 255 * 128 * 2^15 < 2^31, a row's code having 128 added.
constexpr size_t kDepth = size_t{1} << 15;
// Packed rows are filled up with zeros to a multiple of this.
constexpr size_t kWidthStep = 64;
static constexpr size_t padded_width(size_t width) {
    return (width + kWidthStep - 1) / kWidthStep * kWidthStep;
}
// Room for what a kernel packs: 16 bits a component, and a line for every kDepth of them.
static constexpr size_t packed_bytes(size_t width, size_t rows) {
    return padded_width(width) * 2 * rows + (width / kDepth + 1) * 64;
}

// Each instruction set packs in the order in which its own product reads.
using PackRows = void (*)(const int8_t* const (&rows)[kTileRows], size_t width, void* tile);
// `group` is group_size() of the number of queries; the others are null and count as zeros.
using PackQueries = void (*)(const int8_t* const* queries, size_t group, size_t width,
                             void* packed);
// dots[q * kTileRows + r] = <query q, row r>, exactly.
using ScoreTile = void (*)(const void* tile, const void* queries, size_t group, size_t width,
                           double* dots);
// dots[r] = <query, row r>, exactly, for `count` rows as they lie in memory. `query` is what
// PackQueries made of one query, in memory that was zero.
using ScoreRows = void (*)(const int8_t* rows, size_t count, size_t width, const void* query,
                           double* dots);
// Whether dots[r] * factors[r] * factor + slacks[r] * stretch >= threshold for any row of a tile.
using AnyReaches = bool (*)(const double* dots, const double* factors, const double* slacks,
                            double factor, double stretch, double threshold);
// The sum of values[i] * v[i] in float64: 16 partial sums of every 16th product, added in pairs.
// It does not depend on the instruction set, and is exact if every partial sum fits 53 bits.
using ExactDot = double (*)(const EncodedVectors& rows, size_t row, const double* values);

struct Scan {
    // For this many queries or fewer, packing the rows takes longer than it saves.
    size_t few_queries;
    PackRows pack_rows;
    PackQueries pack_queries;
    ScoreTile score_tile;
    ScoreRows score_rows;
    AnyReaches any_reaches;
    ExactDot exact_dot;
};

}  // namespace addhash
