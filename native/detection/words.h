// From a text to the words that tell its language.
//
// A word is a run of letters of one script, in lower case, with its marks and the apostrophes
// inside it. Links, addresses, names with @, HTML tags, file paths, words with digits, underscores
// or capitals inside, and repetitions of one letter are not language. A script without spaces gives
// runs of letters instead.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "detection/letters.h"
#include "parallel/interrupt.h"

namespace addhash {

struct Word {
    Script script;
    bool is_unspaced;
    const uint32_t* letters;
    size_t length;
    const size_t* positions;  // of each letter in the text
};

// A longer run of letters is no word; a run of an unspaced script is passed on in parts.
constexpr size_t kLongestWord = 64;
// Letters of unspaced scripts that stand before a part as well, so that no n-gram is lost.
constexpr size_t kMostMarks = 3;

class WordReader {
public:
    // What a text has besides its words.
    struct Summary {
        size_t letters = 0;  // of any kind, in words or not
        size_t symbols = 0;  // that are usual in code and rare in language
        size_t calls = 0;    // brackets directly after a letter, as in f(x)
    };

    // Calls visit(word) for each word; its arrays are valid only during the call.
    template <class Visit> Summary read(const Text& text, Visit&& visit) {
        if (text.unit == 1) return read(static_cast<const uint8_t*>(text.data), text.length, visit);
        if (text.unit == 2)
            return read(static_cast<const uint16_t*>(text.data), text.length, visit);
        return read(static_cast<const uint32_t*>(text.data), text.length, visit);
    }

private:
    static bool is_name(uint32_t c) {
        return (c | 32) - 'a' < 26 || c - '0' < 10 || c == '_' || c == '.' || c == '-';
    }
    static bool is_ascii_letter(uint32_t c) { return (c | 32) - 'a' < 26; }

    // Where what stands at `i` ends if it is no language; `i` itself if it is.
    template <class Unit> static size_t end_of_noise(const Unit* text, size_t i, size_t length) {
        const uint32_t c = text[i];
        if (c == '<' && i + 1 < length) return end_of_tag(text, i, length);
        if (c == '&') {
            size_t end = i + 1;
            while (end < length && end < i + 10 &&
                   (is_ascii_letter(text[end]) || text[end] == '#' ||
                    uint32_t{text[end]} - '0' < 10)) {
                ++end;
            }
            return end < length && end > i + 1 && text[end] == ';' ? end + 1 : i;
        }
        if (c == '@') {
            size_t end = i + 1;
            while (end < length && is_name(text[end])) ++end;
            return end;
        }
        return i;
    }

    template <class Unit> static size_t end_of_tag(const Unit* text, size_t i, size_t length) {
        const uint32_t next = text[i + 1];
        if (!is_ascii_letter(next) && next != '/' && next != '!' && next != '?') return i;
        const size_t last = std::min(length, i + 512);
        for (size_t end = i + 1; end < last; ++end) {
            if (text[end] == '>') return end + 1;
            if (text[end] == '<') return i;
        }
        return i;
    }

    // Whether the ASCII run from `i` to `end` is a link, an address or a path.
    template <class Unit> static bool is_link(const Unit* text, size_t i, size_t end) {
        size_t slashes = 0;
        for (size_t j = i; j < end; ++j) {
            const uint32_t c = text[j];
            if (c == '@' && j > i && is_name(text[j - 1]) && j + 1 < end) return true;
            if (c == ':' && j + 2 < end && text[j + 1] == '/' && text[j + 2] == '/') return true;
            if ((c == '/' || c == '\\') && text[i] != '<') ++slashes;
        }
        if (end - i > 4 && (text[i] | 32) == 'w' && (text[i + 1] | 32) == 'w' &&
            (text[i + 2] | 32) == 'w' && text[i + 3] == '.') {
            return true;
        }
        return slashes >= 2 || is_domain(text, i, end);
    }

    // Whether an ASCII run is the name of a site, such as example.com, perhaps with a stop after
    // it.
    template <class Unit> static bool is_domain(const Unit* text, size_t i, size_t end) {
        while (end > i && !is_ascii_letter(text[end - 1])) --end;
        size_t dot = end;
        while (dot > i && is_ascii_letter(text[dot - 1])) --dot;
        if (dot < i + 2 || text[dot - 1] != '.' || !is_name(text[dot - 2])) return false;
        for (const std::string_view domain : {"com", "org", "net", "edu", "gov", "info"}) {
            if (std::equal(domain.begin(), domain.end(), text + dot, text + end)) return true;
        }
        return false;
    }

    template <class Unit, class Visit>
    Summary read(const Unit* text, size_t length, Visit&& visit) {
        const Letters& table = Letters::shared();
        Summary summary;
        start_word();
        size_t run_end = 0;  // up to here, the run without spaces has been looked at
        for (size_t i = 0; i < length; ++i) {
            if ((i & 0xFFFFF) == 0xFFFFF) check_interrupt();
            const uint32_t c = text[i];
            if (i >= run_end && c > ' ' && c < 0x80) {
                run_end = i;
                while (run_end < length && text[run_end] > ' ' && text[run_end] < 0x80) ++run_end;
                if (letters_.empty() && is_link(text, i, run_end)) {
                    i = run_end - 1;
                    continue;
                }
            }
            const LetterFacts facts = table[c];
            switch (facts.kind()) {
                case LetterKind::ignored: break;
                case LetterKind::letter:
                case LetterKind::unspaced_letter:
                    ++summary.letters;
                    add_letter(facts, c, i, visit);
                    break;
                case LetterKind::mark: add_mark(table, facts.lower(), i); break;
                case LetterKind::digit:
                    if (!is_unspaced_) is_spoilt_ = true;
                    break;
                default: {
                    const bool is_apostrophe = c == '\'' || c == 0x2019 || c == 0x2BC;
                    if (is_apostrophe && !letters_.empty() && !is_unspaced_) {
                        push('\'', i);
                        break;
                    }
                    end_word(visit);
                    summary.symbols += is_symbol(c);
                    summary.calls += c == '(' && i > 0 && is_ascii_letter(text[i - 1]);
                    const size_t end = end_of_noise(text, i, length);
                    if (end > i) i = end - 1;
                }
            }
        }
        end_word(visit);
        return summary;
    }

    static bool is_symbol(uint32_t c) {
        return c == '{' || c == '}' || c == '[' || c == ']' || c == '=' || c == ';' || c == '|' ||
               c == '\\' || c == '$' || c == '<' || c == '>';
    }

    template <class Visit>
    void add_letter(LetterFacts facts, uint32_t c, size_t position, Visit&& visit) {
        const Script script = facts.script();
        const bool is_unspaced = facts.kind() == LetterKind::unspaced_letter;
        if (script == 0) {  // common to all scripts: it belongs to a word that has begun
            if (letters_.empty()) return;
            if (is_unspaced_ && letters_.size() >= kLongestWord) pass_part(visit);
            push(facts.lower(), position);
            return;
        }
        if (!letters_.empty() && (script != script_ || is_unspaced != is_unspaced_)) {
            end_word(visit);
        }
        if (is_unspaced) {
            is_spoilt_ = false;  // numbers stand beside words of these scripts
            if (letters_.size() >= kLongestWord) pass_part(visit);
        }
        script_ = script;
        is_unspaced_ = is_unspaced;
        const bool is_capital = facts.lower() != c;
        if (is_capital && !was_capital_ && letters_.size() >= 3) is_spoilt_ = true;
        was_capital_ = is_capital;
        push(facts.lower(), position);
    }

    void add_mark(const Letters& table, uint32_t mark, size_t position) {
        if (letters_.empty()) return;
        if (const uint32_t composed = table.composed(letters_.back(), mark)) {
            letters_.back() = composed;
        } else if (++marks_ <= kMostMarks) {
            const unsigned kept = marks_;
            push(mark, position);
            marks_ = kept;
        }
    }

    void push(uint32_t letter, size_t position) {
        marks_ = 0;
        if (letters_.size() <= kLongestWord || is_unspaced_) {
            letters_.push_back(letter);
            positions_.push_back(position);
        }
    }

    void start_word() {
        letters_.clear();
        positions_.clear();
        script_ = 0;
        marks_ = 0;
        is_unspaced_ = is_spoilt_ = false;
        was_capital_ = true;
    }

    template <class Visit> void pass_part(Visit&& visit) {
        visit(Word{script_, true, letters_.data(), letters_.size(), positions_.data()});
        letters_.clear();
        positions_.clear();
    }

    template <class Visit> void end_word(Visit&& visit) {
        while (!letters_.empty() && letters_.back() == '\'') {
            letters_.pop_back();
            positions_.pop_back();
        }
        const bool is_short = letters_.size() <= kLongestWord || is_unspaced_;
        if (!letters_.empty() && !is_spoilt_ && is_short && !is_one_letter()) {
            visit(Word{script_, is_unspaced_, letters_.data(), letters_.size(), positions_.data()});
        }
        start_word();
    }

    // A letter three times or more, as in "xxx".
    bool is_one_letter() const {
        return !is_unspaced_ && letters_.size() >= 3 &&
               std::all_of(letters_.begin(), letters_.end(),
                           [&](uint32_t letter) { return letter == letters_[0]; });
    }

    std::vector<uint32_t> letters_;
    std::vector<size_t> positions_;
    Script script_ = 0;
    unsigned marks_ = 0;  // after the last letter
    bool is_unspaced_ = false, is_spoilt_ = false, was_capital_ = true;
};

}  // namespace addhash
