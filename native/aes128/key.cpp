#include <cstring>

#include "aes128/aes128.h"
#include "aes128/lanes.h"
#include "aes128/tables.h"

namespace addhash {
namespace {

// Twice an element of the field of 2^128 elements whose bytes go from the highest to the lowest.
void set_twice(const uint8_t* block, uint8_t* out) {
    for (size_t i = 0; i < kAesBlock; ++i) {
        const unsigned next = i + 1 < kAesBlock ? block[i + 1] : 0u;
        out[i] = static_cast<uint8_t>(block[i] << 1 | next >> 7);
    }
    out[kAesBlock - 1] = static_cast<uint8_t>(out[kAesBlock - 1] ^ (block[0] >> 7) * 0x87);
}

}  // namespace

AesKey aes_key(Seed key) {
    AesKey made{};
    store64(made.rounds[0], key.low);
    store64(made.rounds[0] + 8, key.high);
    uint8_t constant = 1;
    for (size_t round = 1; round <= kAesRounds; ++round) {
        const uint8_t* before = made.rounds[round - 1];
        uint8_t* own = made.rounds[round];
        for (size_t i = 0; i < kAesBlock; ++i) {
            const unsigned left =
                i < 4 ? kAesTables.substitute[before[12 + (i + 1) % 4]] : own[i - 4];
            own[i] = static_cast<uint8_t>(before[i] ^ left ^ (i == 0 ? constant : 0u));
        }
        constant = twice(constant);
    }
    uint8_t zero[kAesBlock] = {};
    const TableBlock block = encrypt(AesKeys<TableBlock>(made), TableBlock::load(zero));
    uint8_t encrypted[kAesBlock];
    block.store(encrypted);
    set_twice(encrypted, made.whole);
    set_twice(made.whole, made.padded);
    return made;
}

}  // namespace addhash
