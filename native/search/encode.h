// From raw vectors to rows as the index stores them.
#pragma once

#include "search/encoded.h"
#include "status/status.h"

namespace addhash {

// The largest integer of a row that is kept as a code and a tail, both of 8 bits.
constexpr int kLargestTailed = 127 * kLargestScale;
// A row with a larger or smaller magnitude is refused: its square must be a normal number.
constexpr double kLargestMagnitude = 1e120;
constexpr double kSmallestMagnitude = 1e-120;
// The largest integer up to which float64 represents all integers.
constexpr int64_t kLargestInteger = int64_t{1} << 53;

enum class RowKind : uint8_t { lossless, tailed, wide };
struct EncodedOutput {
    int8_t* codes;
    double* scales;
    double* norms;
    double* slacks;
    RowKind* kinds;
};

// Encodes `count` rows of `width` values. What a row becomes depends on its values alone, not on
// their type. The first row that cannot be encoded is reported. Value is int16_t, int32_t, int64_t,
// float or double.
template <class Value> Outcome encode_rows(const Value* values, size_t count, size_t width,
                                           const EncodedOutput& output, size_t threads);

}  // namespace addhash
