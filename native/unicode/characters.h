// What analysis needs to know about every character: its UTF-8 bytes, and whether it is a space,
// part of a word, or a lone surrogate.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace addhash {

// Facts about Unicode, from whichever source has the tables (CPython, for the Python package).
struct CharacterFacts {
    bool (*is_space)(uint32_t);
    bool (*is_word)(uint32_t);
    std::vector<uint32_t> lower;  // of every character from 0 to 0x10FFFF; empty: keep the case
};

class CharacterTable {
public:
    // A packed character: its UTF-8 bytes in bits 0-31, the first one lowest; their number in
    // bits 32-34; the flags.
    using Packed = uint64_t;
    static constexpr Packed kSpace = Packed{1} << 35;
    static constexpr Packed kWord = Packed{1} << 36;
    static constexpr Packed kSurrogate = Packed{1} << 37;
    static uint32_t bytes(Packed c) { return static_cast<uint32_t>(c); }
    static unsigned length(Packed c) { return static_cast<unsigned>(c >> 32) & 7; }

    explicit CharacterTable(const CharacterFacts& facts);

    // The lower-case form of `c` if the facts had one, and the flags of that form.
    // `c` is at most 0x10FFFF.
    Packed operator[](uint32_t c) const {
        if (c < kDirect) return direct_[c];
        const uint32_t entry = pages_[page_of_[(c - kDirect) / kPage]][c % kPage];
        return utf8((c + (entry >> 2)) & kCodeMask) | (entry & 1 ? kSpace : 0) |
               (entry & 2 ? kWord : 0);
    }

private:
    static constexpr uint32_t kDirect = 0x10000;
    static constexpr uint32_t kLast = 0x10FFFF;
    static constexpr uint32_t kPage = 256;
    static constexpr uint32_t kCodeMask = 0x1FFFFF;
    // Beyond the direct table: the distance to the lower-case form (modulo 2^21) in bits 2-22, a
    // word flag and a space flag. Identical pages are stored once.
    using Page = std::array<uint32_t, kPage>;

    static Packed utf8(uint32_t c);

    std::vector<Packed> direct_;
    std::vector<uint16_t> page_of_;
    std::vector<Page> pages_;
};

}  // namespace addhash
