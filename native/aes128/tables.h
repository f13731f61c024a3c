// AES by lookup tables, for processors without AES instructions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/bytes.h"

namespace addhash {
namespace {

struct AesTables {
    uint8_t substitute[256];
    // What a substituted byte of the first row adds to its column: twice, once, once, three times.
    uint32_t mix[256];
};

// In the field of 2^8 elements, modulo x^8 + x^4 + x^3 + x + 1.
constexpr uint8_t twice(uint8_t x) { return static_cast<uint8_t>(x << 1 ^ (x >> 7) * 0x1B); }

constexpr AesTables kAesTables = [] {
    AesTables tables{};
    // p runs through all elements but 0 as powers of 3, q through their inverses.
    uint8_t p = 1, q = 1;
    do {
        p = static_cast<uint8_t>(p ^ twice(p));
        q = static_cast<uint8_t>(q ^ q << 1);
        q = static_cast<uint8_t>(q ^ q << 2);
        q = static_cast<uint8_t>(q ^ q << 4);
        if (q & 0x80) q ^= 0x09;
        const unsigned doubled = q * 0x101u;
        tables.substitute[p] = static_cast<uint8_t>(q ^ doubled >> 7 ^ doubled >> 6 ^ doubled >> 5 ^
                                                    doubled >> 4 ^ 0x63);
    } while (p != 1);
    tables.substitute[0] = 0x63;
    for (size_t x = 0; x < 256; ++x) {
        const uint8_t s = tables.substitute[x], s2 = twice(s);
        tables.mix[x] =
            s2 | uint32_t{s} << 8 | uint32_t{s} << 16 | static_cast<uint32_t>(s2 ^ s) << 24;
    }
    return tables;
}();

// One block as two words.
struct TableBlock {
    static constexpr size_t blocks = 1;
    uint64_t low, high;

    static TableBlock load(const uint8_t* p) { return {load64(p), load64(p + 8)}; }
    static TableBlock broadcast(const uint8_t* block) { return load(block); }
    void store(uint8_t* p) const {
        store64(p, low);
        store64(p + 8, high);
    }
    TableBlock operator^(TableBlock b) const { return {low ^ b.low, high ^ b.high}; }
    TableBlock operator&(TableBlock b) const { return {low & b.low, high & b.high}; }
    TableBlock operator|(TableBlock b) const { return {low | b.low, high | b.high}; }
    TableBlock operator+(TableBlock b) const { return {low + b.low, high + b.high}; }

    TableBlock round(TableBlock key) const {
        const auto column = [&](size_t c) {
            uint32_t mixed = 0;
            for (size_t row = 0; row < 4; ++row) {
                const uint32_t bytes = kAesTables.mix[byte(c + row, row)];
                mixed ^= bytes << 8 * row | bytes >> (32 - 8 * row) % 32;
            }
            return mixed;
        };
        return of_columns(column(0), column(1), column(2), column(3)) ^ key;
    }
    // Columns are not mixed.
    TableBlock last_round(TableBlock key) const {
        const auto column = [&](size_t c) {
            uint32_t bytes = 0;
            for (size_t row = 0; row < 4; ++row) {
                bytes |= uint32_t{kAesTables.substitute[byte(c + row, row)]} << 8 * row;
            }
            return bytes;
        };
        return of_columns(column(0), column(1), column(2), column(3)) ^ key;
    }

private:
    static TableBlock of_columns(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
        return {a | uint64_t{b} << 32, c | uint64_t{d} << 32};
    }
    uint8_t byte(size_t column, size_t row) const {
        const uint64_t word = column & 2 ? high : low;
        return static_cast<uint8_t>(word >> (32 * (column & 1) + 8 * row));
    }
};

}  // namespace
}  // namespace addhash
