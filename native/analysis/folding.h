// What becomes of a text's characters before it is tokenized: lower case, without accents, or both.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "analysis/analysis.h"

namespace addhash {

// The forms of all characters. Most are one character, which the table of characters has: texts of
// these are tokenized as they are. Some are none or several, and a text with one of them is
// rewritten first. The form of a character in `contextual` depends on its neighbours.
class Folding {
public:
    using Several = std::map<uint32_t, std::vector<uint32_t>>;
    static constexpr uint32_t kDropped = uint32_t{1} << 31;

    // facts.lower has the form of each character, or kDropped, but of those in `several`. ASCII
    // stays one to one.
    Folding(CharacterFacts facts, const Several& several, std::vector<uint32_t> contextual);

    const CharacterTable& characters() const { return characters_; }

    enum class Kind { one_to_one, rewritten, contextual };
    // What a text needs; `contextual` if it has such a character.
    Kind kind_of(const Text& text) const;
    // Appends the forms of a text's characters.
    void rewrite(const Text& text, std::vector<uint32_t>& out) const;

private:
    static constexpr uint32_t kList = uint32_t{1} << 31;  // the rest is a place in lists_

    struct List {
        uint32_t first, count;
    };

    template <class Unit> Kind kind_of(const Unit* data, size_t length) const;
    template <class Unit>
    void rewrite(const Unit* data, size_t length, std::vector<uint32_t>& out) const;

    CharacterTable characters_;
    std::vector<uint32_t> forms_;  // of each character: one, or kList and a place
    std::vector<List> lists_;
    std::vector<uint32_t> listed_;
    std::vector<uint32_t> contextual_;
    std::vector<uint32_t> irregular_;  // contextual, or not one to one; empty if they are many
};

// Rewritten texts, and the places of those that need more than that.
struct FoldedTexts {
    std::vector<std::vector<uint32_t>> rewritten;
    std::vector<size_t> contextual;
};

// Rewrites the texts that need it, with `plain` as the table of their characters.
FoldedTexts fold_texts(const Folding& folding, const CharacterTable& plain, std::span<Text> texts,
                       size_t threads);

}  // namespace addhash
