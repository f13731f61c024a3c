// Rows and queries as plain 16-bit integers: compilers know the product of two such arrays.
#pragma once

#include <cstring>

#include "search/loops.h"

namespace addhash {
namespace {

void widen(const int8_t* values, size_t width, int16_t* out) {
    for (size_t i = 0; i < width; ++i) out[i] = values[i];
    std::memset(out + width, 0, (padded_width(width) - width) * sizeof(int16_t));
}

void pack_rows_widened(const int8_t* const (&rows)[kTileRows], size_t width, void* tile) {
    for (size_t r = 0; r < kTileRows; ++r) {
        widen(rows[r], width, static_cast<int16_t*>(tile) + r * padded_width(width));
    }
}

void pack_queries_widened(const int8_t* const* queries, size_t group, size_t width, void* packed) {
    const size_t padded = padded_width(width);
    for (size_t q = 0; q < group; ++q) {
        int16_t* out = static_cast<int16_t*>(packed) + q * padded;
        if (queries[q] == nullptr) {
            std::memset(out, 0, padded * sizeof(int16_t));
        } else {
            widen(queries[q], width, out);
        }
    }
}

int32_t dot(const int16_t* a, const int16_t* b, size_t count) {
    int32_t sum = 0;
    for (size_t i = 0; i < count; ++i) sum += a[i] * b[i];
    return sum;
}

void score_tile_widened(const void* tile, const void* queries, size_t group, size_t width,
                        double* dots) {
    const size_t padded = padded_width(width);
    const auto* rows = static_cast<const int16_t*>(tile);
    for (size_t r = 0; r < kTileRows; ++r, rows += padded) {
        const auto* query = static_cast<const int16_t*>(queries);
        for (size_t q = 0; q < group; ++q, query += padded) {
            double sum = 0;
            for (size_t first = 0; first < padded; first += kDepth) {
                const size_t depth = padded - first < kDepth ? padded - first : kDepth;
                sum += dot(rows + first, query + first, depth);
            }
            dots[q * kTileRows + r] = sum;
        }
    }
}

int32_t dot_widening(const int8_t* row, const int16_t* query, size_t count) {
    int32_t sum = 0;
    for (size_t i = 0; i < count; ++i) sum += static_cast<int16_t>(row[i]) * query[i];
    return sum;
}

void score_rows_widened(const int8_t* rows, size_t count, size_t width, const void* query,
                        double* dots) {
    for (size_t r = 0; r < count; ++r, rows += width) {
        dots[r] = dot_in_pieces(rows, static_cast<const int16_t*>(query), width, dot_widening);
    }
}

}  // namespace
}  // namespace addhash
