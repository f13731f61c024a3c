// What language detection knows about each character: its script, whether it is a letter, and its
// lower case. The tables are the project's own, so that answers do not depend on Python's version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace addhash {

using Script = uint8_t;  // 0 is none

size_t script_count();
const char* script_name(Script script);  // ISO 15924; Han and kana are one script, "Hani"

enum class LetterKind : uint8_t {
    none,
    letter,
    mark,             // belongs to the letter before it
    ignored,          // as if it were not there: joiners, direction marks, Arabic vowel signs
    unspaced_letter,  // of a script that has no spaces between words
    digit,            // or an underscore
    space,
};

// A character as 32 bits: lower case, script and kind.
class LetterFacts {
public:
    uint32_t lower() const { return bits_ & 0x1FFFFF; }
    Script script() const { return static_cast<Script>(bits_ >> 21); }
    LetterKind kind() const { return static_cast<LetterKind>(bits_ >> 29); }

private:
    friend class Letters;
    explicit LetterFacts(uint32_t bits) : bits_(bits) {}
    uint32_t bits_;
};

class Letters {
public:
    static const Letters& shared();

    LetterFacts operator[](uint32_t c) const {
        if (c < kDirect) return LetterFacts(direct_[c]);
        return LetterFacts(c | (c <= kLastHan ? han_ : 0));
    }
    // The letter that a base and a mark make in Unicode's composed form, or 0.
    uint32_t composed(uint32_t base, uint32_t mark) const;
    bool is_kana(uint32_t c) const { return c >= 0x3041 && c <= 0x30FF; }

private:
    Letters();

    static constexpr uint32_t kDirect = 0x20000, kLastHan = 0x323AF;
    std::vector<uint32_t> direct_;
    uint32_t han_ = 0;
};

}  // namespace addhash
