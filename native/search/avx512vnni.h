// vpdpbusd adds four products of an unsigned and a signed byte to each 32-bit sum. Rows are packed
// as unsigned bytes, offset by 128; every query carries the correction for that. Packed are groups
// of four components: those of every row, then the next four of every row.
#pragma once

#include <immintrin.h>

#include <cstring>

#include "search/loops.h"

namespace addhash {
namespace {

constexpr int kOffset = 128;
constexpr size_t kVector = 16;    // rows of a register
constexpr size_t kFoldLine = 64;  // bytes for the folds of a group, before each kDepth

// Sixteen rows of sixteen 32-bit words, transposed.
void transpose(__m512i (&rows)[16]) {
    __m512i a[16], b[16];
    for (int i = 0; i < 8; ++i) {
        a[2 * i] = _mm512_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]);
        a[2 * i + 1] = _mm512_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]);
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 2; ++j) {
            b[4 * i + 2 * j] = _mm512_unpacklo_epi64(a[4 * i + j], a[4 * i + j + 2]);
            b[4 * i + 2 * j + 1] = _mm512_unpackhi_epi64(a[4 * i + j], a[4 * i + j + 2]);
        }
    }
    // Now b[4 i + c] has, in its quarter w, word 4 w + c of the rows 4 i to 4 i + 3.
    for (int c = 0; c < 4; ++c) {
        const __m512i low01 = _mm512_shuffle_i32x4(b[c], b[4 + c], 0x44);
        const __m512i high01 = _mm512_shuffle_i32x4(b[c], b[4 + c], 0xEE);
        const __m512i low23 = _mm512_shuffle_i32x4(b[8 + c], b[12 + c], 0x44);
        const __m512i high23 = _mm512_shuffle_i32x4(b[8 + c], b[12 + c], 0xEE);
        rows[c] = _mm512_shuffle_i32x4(low01, low23, 0x88);
        rows[4 + c] = _mm512_shuffle_i32x4(low01, low23, 0xDD);
        rows[8 + c] = _mm512_shuffle_i32x4(high01, high23, 0x88);
        rows[12 + c] = _mm512_shuffle_i32x4(high01, high23, 0xDD);
    }
}

void pack_rows_vnni(const int8_t* const (&rows)[kTileRows], size_t width, void* tile) {
    const __m512i offset = _mm512_set1_epi8(static_cast<char>(kOffset));
    auto* out = static_cast<uint8_t*>(tile);
    for (size_t i = 0; i < width; i += 64) {
        const size_t left = width - i;
        const __mmask64 mask = left >= 64 ? ~__mmask64{0} : (__mmask64{1} << left) - 1;
        for (size_t half = 0; half < kTileRows; half += kVector) {
            __m512i words[16];
            for (size_t r = 0; r < kVector; ++r) {
                words[r] =
                    _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, rows[half + r] + i), offset);
            }
            transpose(words);
            for (size_t w = 0; w < 16; ++w) {
                _mm512_storeu_si512(out + w * 4 * kTileRows + half * 4, words[w]);
            }
        }
        out += 64 * kTileRows;
    }
}

void pack_queries_vnni(const int8_t* const* queries, size_t group, size_t width, void* packed) {
    auto* out = static_cast<int8_t*>(packed);
    const size_t padded = padded_width(width);
    for (size_t first = 0; first < padded; first += kDepth) {
        const size_t depth = padded - first < kDepth ? padded - first : kDepth;
        int32_t folds[kFoldLine / sizeof(int32_t)] = {};
        int8_t* words = out + kFoldLine;
        std::memset(words, 0, depth * group);
        for (size_t q = 0; q < group; ++q) {
            if (queries[q] == nullptr) continue;
            for (size_t i = 0; i < depth && first + i < width; ++i) {
                const int8_t value = queries[q][first + i];
                folds[q] -= kOffset * value;
                words[(i / 4 * group + q) * 4 + i % 4] = value;
            }
        }
        std::memcpy(out, folds, kFoldLine);
        out = words + depth * group;
    }
}

void put(__m512i sums, bool is_first, double* out) {
    const __m512d low = _mm512_cvtepi32_pd(_mm512_castsi512_si256(sums));
    const __m512d high = _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(sums, 1));
    const __m512d zero = _mm512_setzero_pd();
    _mm512_storeu_pd(out, _mm512_add_pd(is_first ? zero : _mm512_loadu_pd(out), low));
    _mm512_storeu_pd(out + 8, _mm512_add_pd(is_first ? zero : _mm512_loadu_pd(out + 8), high));
}

// Around the intrinsic GCC 12 copies every sum to another register and back, and spills some: half
// the speed.
inline void add_products(__m512i& sums, __m512i row, __m512i query) {
#if defined(__GNUC__) && !defined(__clang__)
    asm("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(row), "v"(query));
#else
    sums = _mm512_dpbusd_epi32(sums, row, query);
#endif
}

template <size_t group> const int8_t* score_depth(const uint8_t* tile, const int8_t* packed,
                                                  size_t depth, bool is_first, double* dots) {
    __m512i sums[group][2];
    int32_t fold;
#pragma GCC unroll 16
    for (size_t q = 0; q < group; ++q) {
        std::memcpy(&fold, packed + q * sizeof fold, sizeof fold);
        sums[q][0] = sums[q][1] = _mm512_set1_epi32(fold);
    }
    const int8_t* words = packed + kFoldLine;
    for (size_t i = 0; i < depth; i += 4, tile += 4 * kTileRows, words += 4 * group) {
        const __m512i low = _mm512_loadu_si512(tile);
        const __m512i high = _mm512_loadu_si512(tile + 64);
#pragma GCC unroll 16
        for (size_t q = 0; q < group; ++q) {
            int32_t word;
            std::memcpy(&word, words + 4 * q, sizeof word);
            const __m512i query = _mm512_set1_epi32(word);
            add_products(sums[q][0], low, query);
            add_products(sums[q][1], high, query);
        }
    }
#pragma GCC unroll 16
    for (size_t q = 0; q < group; ++q) {
        put(sums[q][0], is_first, dots + q * kTileRows);
        put(sums[q][1], is_first, dots + q * kTileRows + kVector);
    }
    return words;
}

void score_tile_vnni(const void* tile, const void* queries, size_t group, size_t width,
                     double* dots) {
    const size_t padded = padded_width(width);
    const auto* rows = static_cast<const uint8_t*>(tile);
    const auto* packed = static_cast<const int8_t*>(queries);
    for (size_t first = 0; first < padded; first += kDepth) {
        const size_t depth = padded - first < kDepth ? padded - first : kDepth;
        switch (group) {
            case 1: packed = score_depth<1>(rows, packed, depth, first == 0, dots); break;
            case 4: packed = score_depth<4>(rows, packed, depth, first == 0, dots); break;
            default: packed = score_depth<12>(rows, packed, depth, first == 0, dots);
        }
        rows += depth * kTileRows;
    }
}

// One row's product with packed words of `depth` components, of which the row has `count`.
inline int32_t dot_vnni(const int8_t* row, size_t count, const int8_t* packed) {
    const __m512i offset = _mm512_set1_epi8(static_cast<char>(kOffset));
    const int8_t* words = packed + kFoldLine;
    // Four sums hide the latency of an instruction.
    __m512i sums[4] = {};
    size_t i = 0;
    for (; i + 256 <= count; i += 256) {
#pragma GCC unroll 4
        for (size_t j = 0; j < 4; ++j) {
            const int8_t* part = row + i + 64 * j;
            add_products(sums[j], _mm512_xor_si512(_mm512_loadu_si512(part), offset),
                         _mm512_loadu_si512(words + i + 64 * j));
        }
    }
    for (; i < count; i += 64) {
        const size_t left = count - i;
        const __mmask64 mask = left >= 64 ? ~__mmask64{0} : (__mmask64{1} << left) - 1;
        // Past the row's end the words are zero.
        add_products(sums[0], _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, row + i), offset),
                     _mm512_loadu_si512(words + i));
    }
    int32_t fold;
    std::memcpy(&fold, packed, sizeof fold);
    return fold + _mm512_reduce_add_epi32(_mm512_add_epi32(_mm512_add_epi32(sums[0], sums[1]),
                                                           _mm512_add_epi32(sums[2], sums[3])));
}

void score_rows_vnni(const int8_t* rows, size_t count, size_t width, const void* query,
                     double* dots) {
    for (size_t r = 0; r < count; ++r, rows += width) {
        const auto* packed = static_cast<const int8_t*>(query);
        dots[r] = 0;
        for (size_t first = 0; first < width; first += kDepth) {
            const size_t depth = width - first < kDepth ? width - first : kDepth;
            dots[r] += dot_vnni(rows + first, depth, packed);
            packed += kFoldLine + kDepth;
        }
    }
}

}  // namespace
}  // namespace addhash
