#include "unicode/utf8.h"

#include <cstring>

namespace addhash {
namespace {

constexpr uint64_t kHighBits = 0x8080808080808080u;

size_t ascii_run(const uint8_t* bytes, size_t size) {
    size_t i = 0;
    uint64_t word;
    for (; i + sizeof word <= size; i += sizeof word) {
        std::memcpy(&word, bytes + i, sizeof word);
        if (word & kHighBits) break;
    }
    while (i < size && bytes[i] < 0x80) ++i;
    return i;
}

bool is_tail(uint8_t byte) { return (byte & 0xC0) == 0x80; }

// The length of the character that begins here and is not ASCII, 0 if there is none.
size_t character_size(const uint8_t* at, size_t left) {
    const uint8_t lead = at[0];
    if (lead < 0xC2 || left < 2 || !is_tail(at[1])) return 0;
    if (lead < 0xE0) return 2;
    if (left < 3 || !is_tail(at[2])) return 0;
    if (lead < 0xF0) {
        if (lead == 0xE0 && at[1] < 0xA0) return 0;  // fewer bytes would do
        if (lead == 0xED && at[1] > 0x9F) return 0;  // a surrogate
        return 3;
    }
    if (lead > 0xF4 || left < 4 || !is_tail(at[3])) return 0;
    if (lead == 0xF0 && at[1] < 0x90) return 0;
    if (lead == 0xF4 && at[1] > 0x8F) return 0;  // beyond U+10FFFF
    return 4;
}

template <class Unit> void decode(const uint8_t* at, const uint8_t* end, Unit* out) {
    while (at < end) {
        const uint32_t lead = *at;
        if (lead < 0x80) {
            *out++ = static_cast<Unit>(lead);
            ++at;
        } else if (lead < 0xE0) {
            *out++ = static_cast<Unit>((lead & 0x1F) << 6 | (at[1] & 0x3F));
            at += 2;
        } else if (lead < 0xF0) {
            *out++ = static_cast<Unit>((lead & 0x0F) << 12 | (at[1] & 0x3F) << 6 | (at[2] & 0x3F));
            at += 3;
        } else {
            *out++ = static_cast<Unit>((lead & 0x07) << 18 | (at[1] & 0x3F) << 12 |
                                       (at[2] & 0x3F) << 6 | (at[3] & 0x3F));
            at += 4;
        }
    }
}

}  // namespace

Utf8Size measure_utf8(std::string_view text) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
    size_t at = ascii_run(bytes, text.size());
    if (at == text.size()) return {at, 1, true};
    size_t characters = at;
    uint8_t highest = 0;
    while (at < text.size()) {
        if (bytes[at] < 0x80) {
            const size_t run = ascii_run(bytes + at, text.size() - at);
            at += run;
            characters += run;
            continue;
        }
        const size_t size = character_size(bytes + at, text.size() - at);
        if (size == 0) return {0, 0, false};
        highest = highest < bytes[at] ? bytes[at] : highest;
        at += size;
        ++characters;
    }
    return {characters, highest <= 0xC3 ? 1u : highest < 0xF0 ? 2u : 4u, false};
}

void decode_utf8(std::string_view text, unsigned unit, void* characters) {
    const auto* at = reinterpret_cast<const uint8_t*>(text.data());
    const uint8_t* end = at + text.size();
    switch (unit) {
        case 1: decode(at, end, static_cast<uint8_t*>(characters)); break;
        case 2: decode(at, end, static_cast<uint16_t*>(characters)); break;
        default: decode(at, end, static_cast<uint32_t*>(characters));
    }
}

}  // namespace addhash
