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
        for (int x = 0; x < 5; ++x) d[x] = c[(x + 4) % 5] ^ c[(x + 1) % 5].template rol<1>();

        b[0] = a[0] ^ d[0];
        b[10] = (a[1] ^ d[1]).template rol<1>();
        b[20] = (a[2] ^ d[2]).template rol<62>();
        b[5] = (a[3] ^ d[3]).template rol<28>();
        b[15] = (a[4] ^ d[4]).template rol<27>();
        b[16] = (a[5] ^ d[0]).template rol<36>();
        b[1] = (a[6] ^ d[1]).template rol<44>();
        b[11] = (a[7] ^ d[2]).template rol<6>();
        b[21] = (a[8] ^ d[3]).template rol<55>();
        b[6] = (a[9] ^ d[4]).template rol<20>();
        b[7] = (a[10] ^ d[0]).template rol<3>();
        b[17] = (a[11] ^ d[1]).template rol<10>();
        b[2] = (a[12] ^ d[2]).template rol<43>();
        b[12] = (a[13] ^ d[3]).template rol<25>();
        b[22] = (a[14] ^ d[4]).template rol<39>();
        b[23] = (a[15] ^ d[0]).template rol<41>();
        b[8] = (a[16] ^ d[1]).template rol<45>();
        b[18] = (a[17] ^ d[2]).template rol<15>();
        b[3] = (a[18] ^ d[3]).template rol<21>();
        b[13] = (a[19] ^ d[4]).template rol<8>();
        b[14] = (a[20] ^ d[0]).template rol<18>();
        b[24] = (a[21] ^ d[1]).template rol<2>();
        b[9] = (a[22] ^ d[2]).template rol<61>();
        b[19] = (a[23] ^ d[3]).template rol<56>();
        b[4] = (a[24] ^ d[4]).template rol<14>();

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
