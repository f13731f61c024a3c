// The loops of every instruction set: each compiles these to its own registers.
#pragma once

#include "search/scan.h"

namespace addhash {
namespace {

inline bool any_reaches_loop(const double* dots, const double* factors, const double* slacks,
                             double factor, double stretch, double threshold) {
    int any = 0;
    for (size_t r = 0; r < kTileRows; ++r) {
        any |= dots[r] * factors[r] * factor + slacks[r] * stretch >= threshold;
    }
    return any != 0;
}

// The product of a row with a query, kDepth components at a time.
template <class Element, class Dot>
inline double dot_in_pieces(const int8_t* row, const Element* query, size_t width, Dot&& dot) {
    double sum = 0;
    for (size_t first = 0; first < width; first += kDepth) {
        const size_t depth = width - first < kDepth ? width - first : kDepth;
        sum += dot(row + first, query + first, depth);
    }
    return sum;
}

constexpr size_t kDotLanes = 16;

template <class Value> inline double lane_dot(size_t width, const double* values, Value value) {
    double lanes[kDotLanes] = {};
    size_t i = 0;
    for (; i + kDotLanes <= width; i += kDotLanes) {
        for (size_t j = 0; j < kDotLanes; ++j) lanes[j] += values[i + j] * value(i + j);
    }
    for (size_t j = 0; i < width; ++i, ++j) lanes[j] += values[i] * value(i);
    for (size_t step = kDotLanes / 2; step > 0; step /= 2) {
        for (size_t j = 0; j < step; ++j) lanes[j] = lanes[2 * j] + lanes[2 * j + 1];
    }
    return lanes[0];
}

inline double exact_dot_loop(const EncodedVectors& rows, size_t row, const double* values) {
    const size_t width = rows.width;
    const int8_t* code = code_of(rows, row);
    const int64_t place = rows.places[row];
    if (place == kNoPlace) {
        return lane_dot(width, values, [=](size_t i) { return static_cast<double>(code[i]); });
    }
    if (place >= 0) {
        const int8_t* tail = rows.tails + static_cast<size_t>(place) * width;
        const int parts = scale_parts(rows.scales[row]);
        return lane_dot(width, values, [=](size_t i) {
            return static_cast<double>(whole_of(parts, code[i]) + tail[i]);
        });
    }
    const auto wide = static_cast<size_t>(kFirstWide - place) * width;
    if (rows.wides32 != nullptr) {
        const float* exact = rows.wides32 + wide;
        return lane_dot(width, values, [=](size_t i) { return static_cast<double>(exact[i]); });
    }
    const double* exact = rows.wides64 + wide;
    return lane_dot(width, values, [=](size_t i) { return exact[i]; });
}

}  // namespace
}  // namespace addhash
