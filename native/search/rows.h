// Vectors as the index keeps them: small integers to scan, and whatever makes them exact.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

// v = scale * code, exactly if place is kNoPlace; v = scale * code + tails[place] if place >= 0;
// else v is wides[kFirstWide - place] and scale * code is near it.
constexpr int64_t kNoPlace = -1;
constexpr int64_t kFirstWide = -2;

struct EncodedRows {
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

    const int8_t* code(size_t row) const { return codes + row * width; }
    bool is_lossless(size_t row) const { return places[row] == kNoPlace; }
};

// The values of a row, exactly.
void decode_row(const EncodedRows& rows, size_t row, double* out);

}  // namespace addhash
