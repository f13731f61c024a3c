// Planes to zero, for the next document.
#pragma once

#include <cstring>

#include "bitsum/bitsum.h"

namespace addhash {
namespace {

inline void clear_planes(uint64_t* planes, size_t bits, unsigned levels) {
    const size_t columns = (bits / 8 + kColumnBytes - 1) / kColumnBytes;
    for (size_t column = 0; column < columns; ++column) {
        std::memset(planes + column * kPlanes * kColumnWords, 0, levels * kColumnBytes);
    }
}

}  // namespace
}  // namespace addhash
