// Eight components at a time, by a table.
#pragma once

#include "simd/bytes.h"
#include "unpack/clear.h"
#include "unpack/unpack.h"

namespace addhash {
namespace {

// The eight bits of a byte as eight bytes of 0 or 1, most significant bit first.
struct Spread {
    uint8_t of[256][8];
};
constexpr Spread kSpread = [] {
    Spread spread{};
    for (size_t byte = 0; byte < 256; ++byte) {
        for (size_t i = 0; i < 8; ++i) spread.of[byte][i] = (byte >> (7 - i)) & 1;
    }
    return spread;
}();

// Eight counts from up to eight planes. Each is below 256: no byte carries into the next.
uint64_t gather_counts(const uint8_t* plane, unsigned levels) {
    uint64_t counts = 0;
    for (unsigned level = 0; level < levels; ++level) {
        uint64_t bits;
        std::memcpy(&bits, kSpread.of[plane[level * kColumnBytes]], 8);
        counts += bits << level;
    }
    return counts;
}

void unpack_planes(uint64_t* planes, size_t bits, unsigned levels, int16_t total, int16_t* sums) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(planes);
    const unsigned low_levels = levels < 8 ? levels : 8;
    for (size_t byte = 0; byte < bits / 8; ++byte) {
        const uint8_t* plane =
            bytes + byte / kColumnBytes * kPlanes * kColumnBytes + byte % kColumnBytes;
        const uint64_t low_counts = gather_counts(plane, low_levels);
        const uint64_t high_counts =
            gather_counts(plane + low_levels * kColumnBytes, levels - low_levels);
        uint8_t low[8], high[8];
        std::memcpy(low, &low_counts, 8);
        std::memcpy(high, &high_counts, 8);
        int16_t* out = sums + bits - 8 * (byte + 1);
        for (size_t i = 0; i < 8; ++i) {
            out[i] = static_cast<int16_t>(2 * (low[i] + 256 * high[i]) - total);
        }
    }
    clear_planes(planes, bits, levels);
}

}  // namespace
}  // namespace addhash
