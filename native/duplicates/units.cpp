#include "duplicates/units.h"

#include <algorithm>

#include "duplicates/characters.h"
#include "simd/bytes.h"

namespace addhash {
namespace {

constexpr size_t kMaxUtf8 = 4;
constexpr uint32_t kFirstMark = 0x300;
constexpr uint32_t kFirstAlone = 0xE01;

}  // namespace

Status UnitCutter::run(const Text& text, TokenSink& sink) {
    switch (text.unit) {
        case 1: return cut<uint8_t>(text, sink);
        case 2: return cut<uint16_t>(text, sink);
        default: return cut<uint32_t>(text, sink);
    }
}

template <class Unit> Status UnitCutter::cut(const Text& text, TokenSink& sink) {
    // A character takes up to 4 bytes, and a unit of one character has a ' ' behind it.
    if (text.length > kMaxWindowBytes / (kMaxUtf8 + 1)) return Status::too_long;
    const size_t needed = text.length * (kMaxUtf8 + 1) + kSlack;
    if (bytes_.size() < needed) bytes_.resize(needed);
    starts_.clear();
    ends_.clear();
    spans_.clear();
    const auto* data = static_cast<const Unit*>(text.data);
    const CharacterTable& table = *text.characters;
    uint8_t* bytes = bytes_.data();
    size_t end = 0;
    size_t start = 0;
    size_t first = 0;      // the first character of the unit
    bool is_open = false;  // whether the last unit may still grow by letters
    const auto close = [&](size_t next) {
        if (end == start) return;
        spans_.push_back({first, next});
        starts_.push_back(static_cast<uint32_t>(start));
        ends_.push_back(static_cast<uint32_t>(end));
        bytes[end++] = ' ';
        start = end;
    };
    for (size_t i = 0; i < text.length; ++i) {
        const uint32_t code = data[i];
        const CharacterTable::Packed c = table[code];
        const bool continues = code >= kFirstMark && end > start && is_mark(code);
        if (!(c & CharacterTable::kWord) && !continues) {
            close(i);
            is_open = false;
            continue;
        }
        const bool alone = !continues && code >= kFirstAlone && stands_alone(code);
        if (alone || (!continues && !is_open)) close(i);
        if (end == start) first = i;
        store32(bytes + end, CharacterTable::bytes(c));
        end += CharacterTable::length(c);
        if (!continues) is_open = !alone;
    }
    close(text.length);
    const size_t units = starts_.size();
    if (units == 0) return Status::done;
    if (units < range_.min) {
        sink.consume(bytes, starts_.data(), ends_.data() + units - 1, 1);
        return Status::done;
    }
    for (size_t n = range_.min; n <= std::min(range_.max, units); ++n) {
        sink.consume(bytes, starts_.data(), ends_.data() + n - 1, units - n + 1);
    }
    return Status::done;
}

}  // namespace addhash
