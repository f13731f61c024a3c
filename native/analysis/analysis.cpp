#include "analysis/analysis.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "parallel/interrupt.h"
#include "simd/bytes.h"

namespace addhash {
namespace {

constexpr size_t kTokenBlock = 4096;
// Tokens overlap: those of a window may be many times as long as it. This much is handed on at
// once.
constexpr size_t kHandedBytes = size_t{16} << 20;
constexpr size_t kMaxUtf8 = 4;
// The marks of Analyzer::text: before the text, after it, and before each word.
constexpr uint8_t kBefore = 2, kAfter = 3, kWordMark = 31;
constexpr size_t kCopied = 32;  // bytes of a word that are copied at once

// Appends a character; the buffer has room for kMaxUtf8 bytes past `end`.
inline size_t append(uint8_t* bytes, size_t end, CharacterTable::Packed c) {
    store32(bytes + end, CharacterTable::bytes(c));
    return end + CharacterTable::length(c);
}

// Some characters of a text in UTF-8, where each begins, and which of them are of words. Nothing
// here branches on what they are.
struct CharacterBlock {
    static constexpr size_t kMost = 64;

    uint8_t bytes[kMost * kMaxUtf8 + kCopied];
    uint32_t offsets[kMost + 1];
    uint64_t word;  // bit i belongs to character i

    // With `is_any`, all but spaces are of words. Returns whether one of these is a surrogate,
    // which has no UTF-8 form.
    template <bool is_any, class Unit>
    bool set(const Unit* data, size_t count, const CharacterTable& table) {
        constexpr CharacterTable::Packed kTold =
            is_any ? CharacterTable::kSpace : CharacterTable::kWord;
        size_t end = 0;
        uint64_t of_words = 0;  // not the member: the bytes that are stored could be its own
        CharacterTable::Packed all = 0;
        for (size_t i = 0; i < count; ++i) {
            const CharacterTable::Packed c = table[data[i]];
            offsets[i] = static_cast<uint32_t>(end);
            end = append(bytes, end, c);
            of_words |= uint64_t{((c & kTold) != 0) != is_any} << i;
            all |= c;
        }
        offsets[count] = static_cast<uint32_t>(end);
        word = of_words;
        return is_any && (all & CharacterTable::kSurrogate) != 0;
    }
};

// Characters of ASCII, most of what Latin scripts are written in, as long as no two spaces meet:
// each is one byte, so that nothing depends on the one before.
class CharacterRun {
public:
    static constexpr size_t kWords = 2;
    static constexpr size_t kSize = 8 * kWords;

    // False, and `previous` as it was, if the next characters are no such run.
    bool set(const uint8_t* data, CharacterTable::Packed& previous, const CharacterTable& table) {
        if ((load64(data) | load64(data + 8)) & 0x8080808080808080) return false;
        CharacterTable::Packed last = previous, met = 0, all = 0;
        for (size_t word = 0; word < kWords; ++word) {
            // Put together in a register: one that is loaded right after its bytes were stored
            // waits for them.
            uint64_t bytes = 0;
            for (size_t i = 0; i < 8; ++i) {
                const CharacterTable::Packed c = table[data[8 * word + i]];
                bytes |= uint64_t{CharacterTable::bytes(c)} << 8 * i;
                met |= c & last;
                all |= c;
                last = c;
            }
            words_[word] = bytes;
        }
        if ((met & CharacterTable::kSpace) != 0 || CharacterTable::length(all) != 1) return false;
        previous = last;
        return true;
    }

    // Characters go to `bytes`, and where they are from `offset` on to `starts` and `ends`.
    void append(uint8_t* bytes, uint32_t* starts, uint32_t* ends, size_t offset) const {
        std::memcpy(bytes, words_, kSize);
        // One after the other, so that compilers make vectors of them.
        for (size_t i = 0; i < kSize; ++i) starts[i] = static_cast<uint32_t>(offset + i);
        for (size_t i = 0; i < kSize; ++i) ends[i] = static_cast<uint32_t>(offset + i + 1);
    }

private:
    uint64_t words_[kWords];
};

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
        case Analyzer::word:
            return words_.is_any ? words<Unit, true>(text, sink) : words<Unit, false>(text, sink);
        case Analyzer::characters: return characters<Unit>(text, false, sink);
        case Analyzer::characters_in_words: return characters_in_words<Unit>(text, sink);
        case Analyzer::text: {
            const Status status = characters<Unit>(text, true, sink);
            return status == Status::done ? words_and_signs<Unit>(text, sink) : status;
        }
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
void Analysis::hand_on(const uint32_t* ends, size_t count, size_t longest, uint32_t order,
                       TokenSink& sink) const {
    const size_t most = std::max<size_t>(1, kHandedBytes / std::max<size_t>(1, longest));
    for (size_t first = 0; first < count; first += most) {
        const size_t taken = std::min(most, count - first);
        check_interrupt_after(taken * longest);
        sink.consume_ngrams(bytes_.data(), starts_.data() + first, ends + first, taken, {order});
    }
}

// Hands on the n-grams of the window's words or characters, each of up to `longest_unit` bytes.
// Unless this is the last window, those that begin in its last `max - 1` units wait for the next.
// Their orders begin with `order`.
void Analysis::emit_ngrams(size_t units, size_t longest_unit, bool is_last, NgramRange range,
                           uint32_t order, TokenSink& sink) const {
    const size_t window = units == 0 ? 0 : ends_[units - 1] - starts_[0];
    for (size_t n = range.min; n <= range.max; ++n) {
        const size_t waiting = (is_last ? n : range.max) - 1;
        if (units <= waiting) {
            if (is_last) return;
            continue;
        }
        hand_on(ends_.data() + n - 1, units - waiting, std::min(window, n * longest_unit),
                order + static_cast<uint32_t>(n - range.min), sink);
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

// Moves the last `longest - 1` units to the front of the window, and returns their number.
size_t Analysis::carry_over(size_t units, size_t longest) {
    const size_t kept = std::min(units, longest - 1);
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
// With marks, one more character stands before the text and one after it.
template <class Unit>
Status Analysis::characters(const Text& text, bool is_marked, TokenSink& sink) {
    const auto* data = static_cast<const Unit*>(text.data);
    const CharacterTable& table = *text.characters;
    const CharacterTable::Packed space = table[' '];
    size_t next = 0;
    size_t units = 0;
    CharacterTable::Packed previous = 0;
    const auto push_mark = [&](uint8_t mark) {
        const uint32_t end = units == 0 ? 0 : ends_[units - 1];
        bytes_[end] = mark;
        starts_[units] = end;
        ends_[units++] = end + 1;
    };
    for (bool is_first = is_marked;; is_first = false) {
        const size_t goal =
            units + is_first + std::min(text.length - next, std::max(window_units_, range_.max));
        size_t end = units == 0 ? 0 : ends_[units - 1];
        if (!reserve(end, (goal - units + 2) * kMaxUtf8)) return Status::too_long;
        if (starts_.size() <= goal) {
            starts_.resize(goal + 1);
            ends_.resize(goal + 1);
        }
        if (is_first) {
            push_mark(kBefore);
            end = ends_[0];
        }
        uint8_t* bytes = bytes_.data();
        uint32_t* starts = starts_.data();
        uint32_t* ends = ends_.data();
        // One space more than the goal is looked at: it may make one of the last character.
        for (bool is_full = false; next < text.length && !is_full;) {
            if constexpr (sizeof(Unit) == 1) {
                CharacterRun run;
                while (std::min(goal - units, text.length - next) >= CharacterRun::kSize &&
                       run.set(data + next, previous, table)) {
                    run.append(bytes + end, starts + units, ends + units, end);
                    end += CharacterRun::kSize;
                    units += CharacterRun::kSize;
                    next += CharacterRun::kSize;
                }
            }
            const size_t stop = std::min(text.length, next + CharacterRun::kSize);
            while (next < stop) {
                const CharacterTable::Packed c = table[data[next]];
                if ((c & previous & CharacterTable::kSpace) | (c & CharacterTable::kSurrogate))
                    [[unlikely]] {
                    if (c & CharacterTable::kSurrogate) return Status::surrogate;
                    end = append(bytes, starts[units - 1], space);
                    ends[units - 1] = static_cast<uint32_t>(end);
                    ++next;
                    continue;
                }
                is_full = units == goal;
                if (is_full) break;
                ++next;
                starts[units] = static_cast<uint32_t>(end);
                end = append(bytes, end, c);
                ends[units++] = static_cast<uint32_t>(end);
                previous = c;
            }
        }
        const bool is_last = next == text.length;
        if (is_last && is_marked) push_mark(kAfter);
        emit_ngrams(units, kMaxUtf8, is_last, sink);
        if (is_last) return Status::done;
        units = carry_over(units, range_.max);
    }
}

// Words lie in the window with one ' ' between two, so that an n-gram of words is a slice of it.
class Analysis::WordWindow {
public:
    explicit WordWindow(Analysis& analysis) : a_(analysis) {
        a_.starts_.clear();
        a_.ends_.clear();
    }

    size_t words() const { return a_.starts_.size(); }

    // Adds the words of a block, of which the last may go on in the next; false if the window would
    // be too large.
    bool add(const CharacterBlock& block, size_t count) {
        if (!a_.reserve(end_, sizeof block.bytes + count + 1)) return false;
        if (!(block.word & 1)) close();
        uint64_t left = block.word;
        while (left != 0) {
            const auto first = static_cast<unsigned>(std::countr_zero(left));
            const auto run = static_cast<unsigned>(std::countr_one(left >> first));
            append_piece(block.bytes + block.offsets[first],
                         block.offsets[first + run] - block.offsets[first]);
            characters_ += run;
            if (first + run == CharacterBlock::kMost) break;
            left &= ~uint64_t{0} << (first + run);
            if (first + run < count) close();
        }
        return true;
    }

    // Ends the word that is being added, if any.
    void close() {
        if (characters_ >= a_.words_.least && !is_stop_word()) {
            a_.starts_.push_back(static_cast<uint32_t>(start_));
            a_.ends_.push_back(static_cast<uint32_t>(end_));
            a_.bytes_[end_++] = ' ';
            start_ = end_;
        }
        end_ = start_;
        characters_ = 0;
    }

    // Keeps only what n-grams to come need: the last words, and the one being added.
    void carry_over() {
        const size_t open = end_ - start_;
        const size_t kept = a_.carry_over(words(), a_.range_.max);
        a_.starts_.resize(kept);
        a_.ends_.resize(kept);
        const size_t end = kept == 0 ? 0 : a_.ends_.back() + 1;
        std::memmove(a_.bytes_.data() + end, a_.bytes_.data() + start_, open);
        if (kept > 0) a_.bytes_[end - 1] = ' ';
        start_ = end;
        end_ = end + open;
    }

private:
    bool is_stop_word() const {
        return a_.stop_words_ && a_.stop_words_->contains(a_.bytes_.data() + start_, end_ - start_);
    }

    // Most words are short: whole registers are copied, up to kCopied bytes past the end.
    void append_piece(const uint8_t* piece, size_t size) {
        uint8_t* out = a_.bytes_.data() + end_;
        std::memcpy(out, piece, kCopied);
        if (size > kCopied) std::memcpy(out + kCopied, piece + kCopied, size - kCopied);
        end_ += size;
    }

    Analysis& a_;
    size_t start_ = 0;       // of the word that is being added
    size_t end_ = 0;         // of the window
    size_t characters_ = 0;  // of that word so far
};

template <class Unit, bool is_any> Status Analysis::words(const Text& text, TokenSink& sink) {
    const auto* data = static_cast<const Unit*>(text.data);
    const size_t goal = std::max(window_units_, 2 * range_.max);
    WordWindow window(*this);
    CharacterBlock block;
    for (size_t next = 0;;) {
        while (window.words() < goal && next < text.length) {
            const size_t count = std::min(text.length - next, CharacterBlock::kMost);
            if (block.set<is_any>(data + next, count, *text.characters)) return Status::surrogate;
            if (!window.add(block, count)) return Status::too_long;
            next += count;
        }
        const bool is_last = next == text.length;
        if (is_last) window.close();
        // In a small window there is nothing to split.
        const size_t size = starts_.empty() ? 0 : ends_.back() - starts_.front();
        const bool is_small = starts_.size() * size <= kHandedBytes;
        emit_ngrams(starts_.size(), is_small ? size : longest_word(), is_last, sink);
        if (is_last) return Status::done;
        window.carry_over();
    }
}

// Runs of word characters, and every other character that is no space. Each has a mark before it,
// so that no n-gram of words is one of characters, and none lies between two.
template <class Unit> Status Analysis::words_and_signs(const Text& text, TokenSink& sink) {
    const auto* data = static_cast<const Unit*>(text.data);
    const CharacterTable& table = *text.characters;
    constexpr NgramRange range = {1, kMostWordsOfText};
    constexpr size_t kAtOnce = 256;  // characters that room is made for
    const auto order = static_cast<uint32_t>(range_.max - range_.min + 1);
    starts_.clear();
    ends_.clear();
    size_t end = 0;
    bool is_open = false;  // whether a word is being added
    const auto open = [&] {
        starts_.push_back(static_cast<uint32_t>(end));
        bytes_[end++] = kWordMark;
    };
    const auto close = [&] { ends_.push_back(static_cast<uint32_t>(end)); };
    const auto push_mark = [&](uint8_t mark) {
        open();
        bytes_[end++] = mark;
        close();
    };
    if (!reserve(0, kMaxUtf8)) return Status::too_long;
    push_mark(kBefore);
    for (size_t next = 0;;) {
        const size_t stop = next + std::min(kAtOnce, text.length - next);
        if (!reserve(end, (stop - next + 2) * (kMaxUtf8 + 1))) return Status::too_long;
        for (; next < stop; ++next) {
            const CharacterTable::Packed c = table[data[next]];
            const bool is_word = (c & CharacterTable::kWord) != 0;
            if (is_open && !is_word) close();
            if (c & (CharacterTable::kSpace | CharacterTable::kSurrogate)) {
                if (c & CharacterTable::kSurrogate) return Status::surrogate;
                is_open = false;
                continue;
            }
            if (!is_open || !is_word) open();
            end = append(bytes_.data(), end, c);
            if (!is_word) close();
            is_open = is_word;
        }
        const bool is_last = next == text.length;
        if (is_last) {
            if (is_open) close();
            push_mark(kAfter);
        } else if (ends_.size() < window_units_) {
            continue;
        }
        emit_ngrams(ends_.size(), end, is_last, range, order, sink);
        if (is_last) return Status::done;
        // What n-grams to come need: the last words, and the one being added.
        const size_t kept = std::min(ends_.size(), range.max - 1);
        const size_t first = ends_.size() - kept;
        const uint32_t origin = starts_[first];
        std::memmove(bytes_.data(), bytes_.data() + origin, end - origin);
        end -= origin;
        starts_.erase(starts_.begin(), starts_.begin() + static_cast<ptrdiff_t>(first));
        ends_.erase(ends_.begin(), ends_.begin() + static_cast<ptrdiff_t>(first));
        for (uint32_t& start : starts_) start -= origin;
        for (uint32_t& word_end : ends_) word_end -= origin;
    }
}

// The n-grams of one word and the spaces around it: units `first` to `first + count` of the
// window. A word too short for an n gives itself, once, and no longer n-grams.
void Analysis::push_padded_word(size_t first, size_t count, TokenSink& sink) {
    for (size_t n = range_.min; n <= range_.max; ++n) {
        const size_t tokens = count > n ? count - n + 1 : 1;
        const size_t reach = std::min(n, count) - 1;
        const size_t longest = (reach + 1) * kMaxUtf8;
        const size_t most = std::clamp<size_t>(kHandedBytes / longest, 1, kTokenBlock);
        const uint32_t* starts = starts_.data() + first;
        const uint32_t* ends = ends_.data() + first + reach;
        for (size_t i = 0; i < tokens;) {
            const size_t old = token_starts_.size();
            const size_t taken = std::min(tokens - i, most > old ? most - old : 1);
            std::copy_n(starts + i, taken, token_starts_.room(taken));
            std::copy_n(ends + i, taken, token_ends_.room(taken));
            std::fill_n(token_orders_.room(taken), taken, static_cast<uint32_t>(n - range_.min));
            token_starts_.grow(taken);
            token_ends_.grow(taken);
            token_orders_.grow(taken);
            i += taken;
            if (token_starts_.size() >= most) {
                check_interrupt();
                hand_on_padded(sink);
            }
        }
        if (count <= n) break;
    }
}

void Analysis::hand_on_padded(TokenSink& sink) {
    if (token_starts_.size() > 0) {
        sink.consume_ngrams(bytes_.data(), token_starts_.data(), token_ends_.data(),
                            token_starts_.size(), {0, token_orders_.data()});
    }
    token_starts_.clear();
    token_ends_.clear();
    token_orders_.clear();
}

// Words are what str.split() gives. The window holds them as " w1 w2 w3 ": neighbours share
// the space between them.
template <class Unit> Status Analysis::characters_in_words(const Text& text, TokenSink& sink) {
    const auto* data = static_cast<const Unit*>(text.data);
    const CharacterTable& table = *text.characters;
    const CharacterTable::Packed space = table[' '];
    token_starts_.clear();
    token_ends_.clear();
    token_orders_.clear();
    size_t units = 0;
    size_t end = 0;
    const auto push = [&](CharacterTable::Packed c) {
        starts_[units] = static_cast<uint32_t>(end);
        end = append(bytes_.data(), end, c);
        ends_[units++] = static_cast<uint32_t>(end);
    };
    // Room for `more` characters and the spaces around them.
    const auto has_room = [&](size_t more) {
        if (starts_.size() < units + more + 2) {
            starts_.resize(2 * (units + more + 2));
            ends_.resize(2 * (units + more + 2));
        }
        return reserve(end, (more + 2) * kMaxUtf8);
    };
    size_t next = 0;
    for (;;) {
        while (next < text.length && table[data[next]] & CharacterTable::kSpace) ++next;
        if (next == text.length) break;
        if (!has_room(0)) return Status::too_long;
        if (units == 0) push(space);
        const size_t first = units - 1;
        // The room is made for some characters at a time: a word may be as long as the text.
        for (bool is_ended = false; !is_ended && next < text.length;) {
            constexpr size_t kAtOnce = 256;
            const size_t most = std::min(kAtOnce, text.length - next);
            if (!has_room(most)) return Status::too_long;
            const size_t stop = next + most;
            for (; next < stop; ++next) {
                const CharacterTable::Packed c = table[data[next]];
                if (c & (CharacterTable::kSpace | CharacterTable::kSurrogate)) [[unlikely]] {
                    if (c & CharacterTable::kSurrogate) return Status::surrogate;
                    is_ended = true;
                    break;
                }
                push(c);
            }
        }
        push(space);
        push_padded_word(first, units - first, sink);
        if (units >= kWindowUnits) {
            hand_on_padded(sink);
            units = 0;
            end = 0;
        }
    }
    hand_on_padded(sink);
    return Status::done;
}

}  // namespace addhash
