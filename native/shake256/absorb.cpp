#include "shake256/keccak.h"
#include "shake256/shake256.h"
#include "simd/baseline.h"

namespace addhash {

void shake256_absorb_block(uint64_t state[kKeccakWords], const uint8_t* block) {
    Lanes64 a[kKeccakWords];
    for (size_t i = 0; i < kKeccakWords; ++i) {
        a[i] = {i < kShakeRate / 8 ? state[i] ^ load64(block + 8 * i) : state[i]};
    }
    keccak_f1600(a);
    for (size_t i = 0; i < kKeccakWords; ++i) a[i].store(state + i);
}

}  // namespace addhash
