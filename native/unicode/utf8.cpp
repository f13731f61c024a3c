#include "unicode/utf8.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace addhash {
namespace {

constexpr uint64_t kHighBits = 0x8080808080808080u;
// Counts of this many bytes fit a byte.
constexpr size_t kBlock = 128;

uint64_t load64(const uint8_t* bytes) {
    uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

// How many bytes of a word are ASCII before the first that is not.
size_t ascii_bytes(uint64_t high) {
    if (high == 0) return sizeof high;
    return static_cast<size_t>(std::countr_zero(high)) / 8;
}

size_t ascii_run(const uint8_t* bytes, size_t size) {
    size_t i = 0;
    for (; i + kBlock <= size; i += kBlock) {
        uint8_t any = 0;
        for (size_t j = 0; j < kBlock; ++j) any |= bytes[i + j];
        if (any & 0x80) break;
    }
    for (; i + sizeof(uint64_t) <= size; i += sizeof(uint64_t)) {
        if (load64(bytes + i) & kHighBits) break;
    }
    while (i < size && bytes[i] < 0x80) ++i;
    return i;
}

bool is_tail(uint8_t byte) { return (byte & 0xC0) == 0x80; }

// The length of the character that begins here and is not ASCII, 0 if there is none.
inline size_t character_size(const uint8_t* at, size_t left) {
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

template <class Unit> bool decode(const uint8_t* at, const uint8_t* end, Unit* out) {
    while (at < end) {
        if (end - at >= 8) {
            // All eight are written, and those that are ASCII kept.
            const size_t kept = ascii_bytes(load64(at) & kHighBits);
            for (size_t i = 0; i < 8; ++i) out[i] = at[i];
            at += kept;
            out += kept;
            if (kept == 8) continue;
        } else if (*at < 0x80) {
            *out++ = *at++;
            continue;
        }
        do {
            const uint32_t lead = at[0];
            const size_t size = character_size(at, static_cast<size_t>(end - at));
            if (size == 2) {
                *out++ = static_cast<Unit>((lead & 0x1F) << 6 | (at[1] & 0x3F));
            } else if (size == 3) {
                *out++ =
                    static_cast<Unit>((lead & 0x0F) << 12 | (at[1] & 0x3F) << 6 | (at[2] & 0x3F));
            } else if (size == 4) {
                *out++ = static_cast<Unit>((lead & 0x07) << 18 | (at[1] & 0x3F) << 12 |
                                           (at[2] & 0x3F) << 6 | (at[3] & 0x3F));
            } else {
                return false;
            }
            at += size;
        } while (at < end && *at >= 0x80);
    }
    return true;
}

}  // namespace

Utf8Size measure_utf8(std::string_view text) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
    const size_t start = ascii_run(bytes, text.size());
    if (start == text.size()) return {start, 1, true};
    size_t characters = start;
    uint8_t highest = 0;
    for (size_t first = start; first < text.size(); first += kBlock) {
        const size_t count = std::min(kBlock, text.size() - first);
        uint8_t leads = 0;
        for (size_t i = 0; i < count; ++i) {
            const uint8_t byte = bytes[first + i];
            leads = static_cast<uint8_t>(leads + ((byte & 0xC0) != 0x80));
            highest = std::max(highest, byte);
        }
        characters += leads;
    }
    return {characters, highest <= 0xC3 ? 1u : highest < 0xF0 ? 2u : 4u, false};
}

bool decode_utf8(std::string_view text, unsigned unit, void* characters) {
    const auto* at = reinterpret_cast<const uint8_t*>(text.data());
    const uint8_t* end = at + text.size();
    switch (unit) {
        case 1: return decode(at, end, static_cast<uint8_t*>(characters));
        case 2: return decode(at, end, static_cast<uint16_t*>(characters));
        default: return decode(at, end, static_cast<uint32_t*>(characters));
    }
}

bool is_utf8(std::string_view text) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
    for (size_t at = 0; at < text.size();) {
        at += ascii_run(bytes + at, text.size() - at);
        if (at == text.size()) break;
        const size_t size = character_size(bytes + at, text.size() - at);
        if (size == 0) return false;
        at += size;
    }
    return true;
}

}  // namespace addhash
