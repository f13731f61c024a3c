// Vectors as the index stores them: small integers to scan, and whatever makes them exact.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

// v is near scale * code. If place is kNoPlace, scale is 1 and v is the code. If place >= 0, v is
// whole_of(scale_parts(scale), code) + tails[place]; else it is wides[kFirstWide - place].
constexpr int64_t kNoPlace = -1;
constexpr int64_t kFirstWide = -2;

// The scale of a tailed row is a number of 256ths, up to 250: codes can reach 127, and a tail is at
// most half a scale and half a rounding, which fits 8 bits.
constexpr int kScaleParts = 256;
constexpr int kLargestScale = 250;
// Functions here are `static`: see simd/bytes.h.
static inline int scale_parts(double scale) { return static_cast<int>(scale * kScaleParts); }
// scale * code, rounded to an integer.
static inline int whole_of(int parts, int code) { return (parts * code + kScaleParts / 2) >> 8; }

struct EncodedVectors {
    size_t count = 0;
    size_t width = 0;
    const int8_t* codes = nullptr;
    const double* scales = nullptr;
    const double* norms = nullptr;   // of v
    const double* slacks = nullptr;  // at least |v - scale * code| / |v|
    const int64_t* places = nullptr;
    const int8_t* tails = nullptr;
    const float* wides32 = nullptr;  // one of these two, if any row is wide
    const double* wides64 = nullptr;
};

static inline const int8_t* code_of(const EncodedVectors& rows, size_t row) {
    return rows.codes + row * rows.width;
}
static inline bool is_lossless(const EncodedVectors& rows, size_t row) {
    return rows.places[row] == kNoPlace;
}

// The values of a row, exactly.
void decode_row(const EncodedVectors& rows, size_t row, double* out);

}  // namespace addhash
