// The permutation Keccak-f[1600] on any number of 64-bit lanes.
#pragma once

#include "simd/bytes.h"

namespace addhash {
namespace {

constexpr uint64_t kKeccakRoundConstants[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808A, 0x8000000080008000,
    0x000000000000808B, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008A, 0x0000000000000088, 0x0000000080008009, 0x000000008000000A,
    0x000000008000808B, 0x800000000000008B, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800A, 0x800000008000000A,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008};

// Word (x, y) of FIPS 202 is a[x + 5 * y].
template <class V> inline void keccak_f1600(V (&a)[25]) {
    for (uint64_t constant : kKeccakRoundConstants) {
        V c[5], d[5], b[25];
#pragma GCC unroll 5
        for (int x = 0; x < 5; ++x) {
            c[x] = V::xor3(V::xor3(a[x], a[x + 5], a[x + 10]), a[x + 15], a[x + 20]);
        }
#pragma GCC unroll 5
        for (int x = 0; x < 5; ++x) d[x] = V::xor_rol1(c[(x + 4) % 5], c[(x + 1) % 5]);

        b[0] = a[0] ^ d[0];
        b[10] = V::template rol_xor<1>(a[1], d[1]);
        b[20] = V::template rol_xor<62>(a[2], d[2]);
        b[5] = V::template rol_xor<28>(a[3], d[3]);
        b[15] = V::template rol_xor<27>(a[4], d[4]);
        b[16] = V::template rol_xor<36>(a[5], d[0]);
        b[1] = V::template rol_xor<44>(a[6], d[1]);
        b[11] = V::template rol_xor<6>(a[7], d[2]);
        b[21] = V::template rol_xor<55>(a[8], d[3]);
        b[6] = V::template rol_xor<20>(a[9], d[4]);
        b[7] = V::template rol_xor<3>(a[10], d[0]);
        b[17] = V::template rol_xor<10>(a[11], d[1]);
        b[2] = V::template rol_xor<43>(a[12], d[2]);
        b[12] = V::template rol_xor<25>(a[13], d[3]);
        b[22] = V::template rol_xor<39>(a[14], d[4]);
        b[23] = V::template rol_xor<41>(a[15], d[0]);
        b[8] = V::template rol_xor<45>(a[16], d[1]);
        b[18] = V::template rol_xor<15>(a[17], d[2]);
        b[3] = V::template rol_xor<21>(a[18], d[3]);
        b[13] = V::template rol_xor<8>(a[19], d[4]);
        b[14] = V::template rol_xor<18>(a[20], d[0]);
        b[24] = V::template rol_xor<2>(a[21], d[1]);
        b[9] = V::template rol_xor<61>(a[22], d[2]);
        b[19] = V::template rol_xor<56>(a[23], d[3]);
        b[4] = V::template rol_xor<14>(a[24], d[4]);

#pragma GCC unroll 5
        for (int y = 0; y < 25; y += 5) {
#pragma GCC unroll 5
            for (int x = 0; x < 5; ++x) {
                a[y + x] = V::chi(b[y + x], b[y + (x + 1) % 5], b[y + (x + 2) % 5]);
            }
        }
        a[0] = a[0] ^ V::broadcast(constant);
    }
}

}  // namespace
}  // namespace addhash
