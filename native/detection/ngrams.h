// The n-grams of a word as keys: of the word between two spaces, its letters, 2 to 5 letters with a
// space among them, 4 and 5 without; and the word itself. 1 to 4 letters of a run without spaces.
//
// A key has the script in bits 32-39, the kind of the n-gram in bits 30-31, and a hash in bits
// 0-29. Different n-grams can share a key: among a million keys, one unknown n-gram in 1,000 is
// taken for a known one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "detection/words.h"

namespace addhash {

using NgramKey = uint64_t;

constexpr size_t kLongestNgram = 5, kLongestUnspaced = 4;
constexpr size_t kShortestInner = 4;
constexpr uint64_t kNgramSeed = 0x1234567, kWordSeed = 0x7654321;

inline uint64_t mix_letter(uint64_t hash, uint32_t letter) {
    hash = (hash ^ letter) * 0x9FB21C651E98DF25;
    return hash ^ hash >> 32;
}

// What an n-gram is, and how often its evidence counts: those inside a word overlap most, and those
// without spaces least. Chosen on held-back text.
enum class NgramKind : uint8_t { inner, word, edge, unspaced };  // `edge`: and single letters
constexpr unsigned kKindWeights[] = {1, 4, 2, 5};
constexpr unsigned kMostWeight = 5;
constexpr size_t kKinds = std::size(kKindWeights);

constexpr unsigned kHashBits = 30;

inline NgramKey key_of(Script script, uint64_t hash, NgramKind kind) {
    const uint64_t high = (hash * 0xD6E8FEB86659FD93) >> (64 - kHashBits);
    return NgramKey{script} << 32 | static_cast<uint64_t>(kind) << kHashBits | high;
}

inline NgramKind kind_of(bool is_edge, bool is_unspaced) {
    if (is_edge) return NgramKind::edge;
    return is_unspaced ? NgramKind::unspaced : NgramKind::inner;
}

inline size_t kind_of(NgramKey key) { return key >> kHashBits & 3; }
inline unsigned weight_of(NgramKey key) { return kKindWeights[kind_of(key)]; }

inline uint64_t hash_letters(uint64_t hash, const uint32_t* letters, size_t count) {
    for (size_t i = 0; i < count; ++i) hash = mix_letter(hash, letters[i]);
    return hash;
}

// Calls visit(key, first, count) for each n-gram: `count` letters from letter `first`,
// where the space before the word is letter -1 and the one after it letter `length`.
template <class Visit> void for_each_ngram(const Word& word, Visit&& visit) {
    const auto length = static_cast<ptrdiff_t>(word.length);
    const ptrdiff_t margin = word.is_unspaced ? 0 : 1;
    const auto longest =
        static_cast<ptrdiff_t>(word.is_unspaced ? kLongestUnspaced : kLongestNgram);
    constexpr auto shortest_inner = static_cast<ptrdiff_t>(kShortestInner);
    for (ptrdiff_t first = -margin; first < length; ++first) {
        uint64_t hash = kNgramSeed;
        for (ptrdiff_t n = 1; n <= longest && first + n <= length + margin; ++n) {
            const ptrdiff_t last = first + n - 1;
            const bool is_space = last < 0 || last >= length;
            hash = mix_letter(hash, is_space ? ' ' : word.letters[last]);
            const bool is_edge = first < 0 || is_space;
            if (n == 1 ? is_space : !is_edge && !word.is_unspaced && n < shortest_inner) continue;
            const NgramKind kind = kind_of(n == 1 || is_edge, word.is_unspaced);
            visit(key_of(word.script, hash, kind), first, static_cast<size_t>(n));
        }
    }
    if (!word.is_unspaced) {
        const uint64_t hash = hash_letters(kWordSeed, word.letters, word.length);
        visit(key_of(word.script, hash, NgramKind::word), ptrdiff_t{0}, word.length);
    }
}

// The words of a text that have been seen: each counts once, however often it stands there, so that
// repeating a text changes nothing.
class SeenWords {
public:
    void clear() {
        if (count_ == 0) return;
        count_ = 0;
        if (slots_.size() > kKept) {
            slots_.assign(kKept, 0);
        } else {
            std::fill(slots_.begin(), slots_.end(), 0);
        }
    }
    // Whether it is new; then it is remembered.
    bool add(uint64_t hash) {
        hash |= 1;  // 0 is an empty slot
        if (2 * count_ >= slots_.size()) grow();
        size_t place = place_of(hash);
        while (slots_[place] != 0) {
            if (slots_[place] == hash) return false;
            place = (place + 1) & (slots_.size() - 1);
        }
        slots_[place] = hash;
        ++count_;
        return true;
    }

private:
    static constexpr size_t kKept = 256;

    size_t place_of(uint64_t hash) const { return (hash >> 20) & (slots_.size() - 1); }
    void grow() {
        std::vector<uint64_t> old(std::max(kKept, 2 * slots_.size()));
        old.swap(slots_);
        for (const uint64_t hash : old) {
            if (hash == 0) continue;
            size_t place = place_of(hash);
            while (slots_[place] != 0) place = (place + 1) & (slots_.size() - 1);
            slots_[place] = hash;
        }
    }

    std::vector<uint64_t> slots_ = std::vector<uint64_t>(kKept);
    size_t count_ = 0;
};

// Calls visit(word) for each word of a text that is not a repetition.
template <class Visit> WordReader::Summary for_each_new_word(WordReader& reader, SeenWords& seen,
                                                             const Text& text, Visit&& visit) {
    seen.clear();
    return reader.read(text, [&](const Word& word) {
        const uint64_t hash = hash_letters(kWordSeed + word.script, word.letters, word.length);
        if (seen.add(hash)) visit(word);
    });
}

}  // namespace addhash
