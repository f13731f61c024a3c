#include "unicode/characters.h"

#include <map>

namespace addhash {

CharacterTable::Packed CharacterTable::utf8(uint32_t c) {
    const auto tail = [](uint32_t bits) { return Packed{0x80 | (bits & 0x3F)}; };
    if (c < 0x80) return Packed{c} | Packed{1} << 32;
    if (c < 0x800) return Packed{0xC0 | c >> 6} | tail(c) << 8 | Packed{2} << 32;
    if (c < 0x10000) {
        return Packed{0xE0 | c >> 12} | tail(c >> 6) << 8 | tail(c) << 16 | Packed{3} << 32;
    }
    return Packed{0xF0 | c >> 18} | tail(c >> 12) << 8 | tail(c >> 6) << 16 | tail(c) << 24 |
           Packed{4} << 32;
}

CharacterTable::CharacterTable(const CharacterFacts& facts) {
    const auto lower = [&](uint32_t c) { return facts.lower.empty() ? c : facts.lower[c]; };
    direct_.resize(kDirect);
    for (uint32_t c = 0; c < kDirect; ++c) {
        const uint32_t form = lower(c);
        direct_[c] = utf8(form) | (facts.is_space(form) ? kSpace : 0) |
                     (facts.is_word(form) ? kWord : 0) |
                     (form >= 0xD800 && form <= 0xDFFF ? kSurrogate : 0);
    }
    std::map<Page, uint16_t> known;
    for (uint32_t first = kDirect; first <= kLast; first += kPage) {
        Page page;
        for (uint32_t c = first; c < first + kPage; ++c) {
            const uint32_t form = lower(c);
            page[c % kPage] = ((form - c) & kCodeMask) << 2 | (facts.is_word(form) ? 2u : 0u) |
                              (facts.is_space(form) ? 1u : 0u);
        }
        const auto [place, added] = known.emplace(page, static_cast<uint16_t>(pages_.size()));
        if (added) pages_.push_back(page);
        page_of_.push_back(place->second);
    }
}

}  // namespace addhash
