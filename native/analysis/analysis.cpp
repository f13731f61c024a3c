#include "analysis/analysis.h"

#include <algorithm>
#include <cstring>

#include "parallel/interrupt.h"
#include "simd/bytes.h"

namespace addhash {
namespace {

constexpr size_t kWindowUnits = 16384;  // characters, or words, after which a window is handed on
constexpr size_t kTokenBlock = 4096;
// Tokens overlap: those of a window may be many times as long as it. This much is handed on at
// once.
constexpr size_t kHandedBytes = size_t{16} << 20;
constexpr size_t kMaxUtf8 = 4;

// Appends a character; the buffer has room for kMaxUtf8 bytes past `end`.
inline size_t append(uint8_t* bytes, size_t end, CharacterTable::Packed c) {
    store32(bytes + end, CharacterTable::bytes(c));
    return end + CharacterTable::length(c);
}

}  // namespace

Status Analysis::run(const Text& text, TokenSink& sink) {
    switch (text.unit) {
        case 1: return dispatch<uint8_t>(text, sink);
        case 2: return dispatch<uint16_t>(text, sink);
        default: return dispatch<uint32_t>(text, sink);
    }
}

template <class Unit> Status Analysis::dispatch(const Text& text, TokenSink& sink) {
    switch (analyzer_) {
        case Analyzer::word: return words<Unit>(text, sink);
        case Analyzer::characters: return characters<Unit>(text, sink);
        case Analyzer::characters_in_words: return characters_in_words<Unit>(text, sink);
    }
    __builtin_unreachable();
}

// Makes room for `more` bytes after `used` ones; false if the window would be too large.
bool Analysis::reserve(size_t used, size_t more) {
    if (used > kMaxWindowBytes || more > kMaxWindowBytes - used) return false;
    const size_t needed = used + more + kSlack;
    if (bytes_.size() < needed) bytes_.resize(std::max(needed, 2 * bytes_.size()));
    return true;
}

// Hands on n-grams of up to `longest` bytes each, in parts that take milliseconds.
void Analysis::hand_on(const uint32_t* ends, const uint32_t* prefix_ends, size_t count,
                       size_t longest, TokenSink& sink) const {
    const size_t most = std::max<size_t>(1, kHandedBytes / std::max<size_t>(1, longest));
    for (size_t first = 0; first < count; first += most) {
        const size_t taken = std::min(most, count - first);
        check_interrupt_after(taken * longest);
        sink.consume_ngrams(bytes_.data(), starts_.data() + first, ends + first,
                            prefix_ends + first, taken);
    }
}

// Hands on the n-grams of the window's words or characters, each of up to `longest_unit` bytes.
// Unless this is the last window, those that begin in its last `max - 1` units wait for the next.
void Analysis::emit_ngrams(size_t units, size_t longest_unit, bool is_last, TokenSink& sink) const {
    const size_t window = units == 0 ? 0 : ends_[units - 1] - starts_[0];
    for (size_t n = range_.min; n <= range_.max; ++n) {
        const size_t waiting = (is_last ? n : range_.max) - 1;
        if (units <= waiting) {
            if (is_last) return;
            continue;
        }
        const uint32_t* prefix_ends = n == range_.min ? starts_.data() : ends_.data() + n - 2;
        hand_on(ends_.data() + n - 1, prefix_ends, units - waiting,
                std::min(window, n * longest_unit), sink);
    }
}

// With the space behind it.
size_t Analysis::longest_word() const {
    size_t longest = 0;
    for (size_t i = 0; i < starts_.size(); ++i) {
        longest = std::max<size_t>(longest, ends_[i] - starts_[i] + 1);
    }
    return longest;
}

// Moves the last `max - 1` units to the front of the window, and returns their number.
size_t Analysis::carry_over(size_t units) {
    const size_t kept = std::min(units, range_.max - 1);
    if (kept == 0) return 0;
    const size_t first = units - kept;
    const uint32_t origin = starts_[first];
    std::memmove(bytes_.data(), bytes_.data() + origin, ends_[units - 1] - origin);
    for (size_t i = 0; i < kept; ++i) {
        starts_[i] = starts_[first + i] - origin;
        ends_[i] = ends_[first + i] - origin;
    }
    return kept;
}

// Runs of two or more spaces count as one ' '; a single space of any kind stays as it is.
template <class Unit> Status Analysis::characters(const Text& text, TokenSink& sink) {
    const auto* data = static_cast<const Unit*>(text.data);
    const CharacterTable& table = *text.characters;
    const CharacterTable::Packed space = table[' '];
    size_t next = 0;
    size_t units = 0;
    CharacterTable::Packed previous = 0;
    for (;;) {
        const size_t goal =
            units + std::min(text.length - next, std::max(kWindowUnits, range_.max));
        size_t end = units == 0 ? 0 : ends_[units - 1];
        if (!reserve(end, (goal - units) * kMaxUtf8)) return Status::too_long;
        if (starts_.size() < goal) {
            starts_.resize(goal);
            ends_.resize(goal);
        }
        uint8_t* bytes = bytes_.data();
        uint32_t* starts = starts_.data();
        uint32_t* ends = ends_.data();
        // One space more than the goal is looked at: it may make one of the last character.
        while (next < text.length) {
            const CharacterTable::Packed c = table[data[next]];
            if ((c & previous & CharacterTable::kSpace) | (c & CharacterTable::kSurrogate))
                [[unlikely]] {
                if (c & CharacterTable::kSurrogate) return Status::surrogate;
                end = append(bytes, starts[units - 1], space);
                ends[units - 1] = static_cast<uint32_t>(end);
                ++next;
                continue;
            }
            if (units == goal) break;
            ++next;
            starts[units] = static_cast<uint32_t>(end);
            end = append(bytes, end, c);
            ends[units++] = static_cast<uint32_t>(end);
            previous = c;
        }
        const bool is_last = next == text.length;
        emit_ngrams(units, kMaxUtf8, is_last, sink);
        if (is_last) return Status::done;
        units = carry_over(units);
    }
}

// Words are runs of two or more word characters. They lie in the window with one ' ' between
// two, so that an n-gram of words is a slice of it.
template <class Unit> Status Analysis::words(const Text& text, TokenSink& sink) {
    const auto* data = static_cast<const Unit*>(text.data);
    const CharacterTable& table = *text.characters;
    const size_t goal = std::max(kWindowUnits, 2 * range_.max);
    size_t next = 0;
    size_t end = 0;
    starts_.clear();
    ends_.clear();
    for (;;) {
        while (starts_.size() < goal && next < text.length) {
            CharacterTable::Packed c = table[data[next++]];
            if (!(c & CharacterTable::kWord)) continue;
            const size_t start = end;
            const size_t first = next - 1;
            size_t room = 0;
            for (;;) {
                if (room == 0) {
                    room = 256;
                    // One more for the ' ' behind the word.
                    if (!reserve(end, (room + 1) * kMaxUtf8)) return Status::too_long;
                }
                --room;
                end = append(bytes_.data(), end, c);
                if (next == text.length) break;
                c = table[data[next]];
                if (!(c & CharacterTable::kWord)) break;
                ++next;
            }
            if (next - first < 2) {
                end = start;
                continue;
            }
            starts_.push_back(static_cast<uint32_t>(start));
            ends_.push_back(static_cast<uint32_t>(end));
            bytes_[end++] = ' ';
        }
        const bool is_last = next == text.length;
        // In a small window there is nothing to split.
        const size_t window = starts_.empty() ? 0 : ends_.back() - starts_.front();
        const bool is_small = starts_.size() * window <= kHandedBytes;
        emit_ngrams(starts_.size(), is_small ? window : longest_word(), is_last, sink);
        if (is_last) return Status::done;
        const size_t kept = carry_over(starts_.size());
        starts_.resize(kept);
        ends_.resize(kept);
        end = kept == 0 ? 0 : ends_.back();
        if (kept > 0) bytes_[end++] = ' ';
    }
}

// The n-grams of one word and the spaces around it: units `first` to `first + count` of the
// window. A word too short for an n gives itself, once, and no longer n-grams.
void Analysis::push_padded_word(size_t first, size_t count, TokenSink& sink) {
    for (size_t n = range_.min; n <= range_.max; ++n) {
        const size_t last = count > n ? count - n : 0;
        const size_t longest = std::min(n, count) * kMaxUtf8;
        const size_t most = std::clamp<size_t>(kHandedBytes / longest, 1, kTokenBlock);
        for (size_t i = 0; i <= last; ++i) {
            token_starts_.push_back(starts_[first + i]);
            token_ends_.push_back(ends_[first + std::min(i + n, count) - 1]);
            token_prefix_ends_.push_back(n == range_.min ? starts_[first + i]
                                                         : ends_[first + i + n - 2]);
            if (token_starts_.size() >= most) {
                check_interrupt();
                hand_on_padded(sink);
            }
        }
        if (count <= n) break;
    }
}

void Analysis::hand_on_padded(TokenSink& sink) {
    if (!token_starts_.empty()) {
        sink.consume_ngrams(bytes_.data(), token_starts_.data(), token_ends_.data(),
                            token_prefix_ends_.data(), token_starts_.size());
    }
    token_starts_.clear();
    token_ends_.clear();
    token_prefix_ends_.clear();
}

// Words are what str.split() gives. The window holds them as " w1 w2 w3 ": neighbours share
// the space between them.
template <class Unit> Status Analysis::characters_in_words(const Text& text, TokenSink& sink) {
    const auto* data = static_cast<const Unit*>(text.data);
    const CharacterTable& table = *text.characters;
    const CharacterTable::Packed space = table[' '];
    size_t end = 0;
    const auto push = [&](CharacterTable::Packed c) {
        if (!reserve(end, kMaxUtf8)) return false;
        starts_.push_back(static_cast<uint32_t>(end));
        end = append(bytes_.data(), end, c);
        ends_.push_back(static_cast<uint32_t>(end));
        return true;
    };
    const auto flush = [&] {
        hand_on_padded(sink);
        starts_.clear();
        ends_.clear();
        end = 0;
    };
    starts_.clear();
    ends_.clear();
    token_starts_.clear();
    token_ends_.clear();
    token_prefix_ends_.clear();
    size_t next = 0;
    for (;;) {
        while (next < text.length && table[data[next]] & CharacterTable::kSpace) ++next;
        if (next == text.length) break;
        if (starts_.empty() && !push(space)) return Status::too_long;
        const size_t first = starts_.size() - 1;
        for (; next < text.length; ++next) {
            const CharacterTable::Packed c = table[data[next]];
            if (c & CharacterTable::kSpace) break;
            if (c & CharacterTable::kSurrogate) return Status::surrogate;
            if (!push(c)) return Status::too_long;
        }
        if (!push(space)) return Status::too_long;
        push_padded_word(first, starts_.size() - first, sink);
        if (starts_.size() >= kWindowUnits) flush();
    }
    flush();
    return Status::done;
}

}  // namespace addhash
