// From a text to its tokens: words, character n-grams, and character n-grams inside words, as in
// scikit-learn's vectorizers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/word_set.h"
#include "status/status.h"
#include "tokens/growing.h"
#include "unicode/characters.h"

namespace addhash {

// A text as CPython stores it: `length` code points of 1, 2 or 4 bytes.
struct Text {
    const void* data;
    size_t length;
    unsigned unit;
    const CharacterTable* characters;
};

enum class Analyzer {
    word,
    characters,
    characters_in_words,
    text,  // characters, and then words, both with marks before and after the text
};

// Which n-grams of words Analyzer::text has; its range is that of characters.
constexpr size_t kMostWordsOfText = 2;

struct NgramRange {
    size_t min;  // at least 1
    size_t max;  // at least min
};

// A word is a maximal run of at least `least` characters: those that `\w` matches in CPython's re,
// or `\S`.
struct WordRule {
    bool is_any = false;  // \S
    size_t least = 2;
};

// How a text becomes tokens. The last two are for words, which are left out if they are stop words.
struct Tokenization {
    Analyzer analyzer;
    NgramRange range;
    WordRule words = {};
    std::shared_ptr<const WordSet> stop_words = nullptr;
};

// Offsets into a window are 32-bit and signed in some kernels.
constexpr size_t kMaxWindowBytes = (size_t{1} << 31) - 4096;

// Characters, or words, after which a window is passed on.
constexpr size_t kWindowUnits = 16384;

// The lengths of n-grams, in steps from the shortest: the same for all, or one for each. Those of
// words in Analyzer::text come after all lengths of characters.
struct NgramOrders {
    uint32_t all;
    const uint32_t* each = nullptr;

    uint32_t operator[](size_t i) const { return each == nullptr ? all : each[i]; }
};

class TokenSink {
public:
    // Token i is bytes[starts[i] .. ends[i]), with kSlack readable bytes past the last one. The
    // arrays are valid only during the call.
    virtual void consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                         size_t count) = 0;

    // The same for n-grams of one or several lengths.
    virtual void consume_ngrams(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                                size_t count, NgramOrders orders) {
        static_cast<void>(orders);
        consume(bytes, starts, ends, count);
    }

protected:
    ~TokenSink() = default;
};

// Tokenizes texts; reuses its buffers from one text to the next. A long text goes through a window
// of bounded size, so memory depends on the longest token, not on the text. The tokens do not
// depend on the window; their order may.
class Analysis {
public:
    explicit Analysis(const Tokenization& how, size_t window_units = kWindowUnits)
        : analyzer_(how.analyzer),
          range_(how.range),
          words_(how.words),
          stop_words_(how.stop_words),
          window_units_(window_units) {}

    Status run(const Text& text, TokenSink& sink);

private:
    class WordWindow;

    template <class Unit, bool is_any> Status words(const Text& text, TokenSink& sink);
    template <class Unit> Status characters(const Text& text, bool is_marked, TokenSink& sink);
    template <class Unit> Status words_and_signs(const Text& text, TokenSink& sink);
    template <class Unit> Status characters_in_words(const Text& text, TokenSink& sink);
    template <class Unit> Status dispatch(const Text& text, TokenSink& sink);

    bool reserve(size_t used, size_t more);
    void hand_on(const uint32_t* ends, size_t count, size_t longest, uint32_t order,
                 TokenSink& sink) const;
    void emit_ngrams(size_t units, size_t longest_unit, bool is_last, TokenSink& sink) const {
        emit_ngrams(units, longest_unit, is_last, range_, 0, sink);
    }
    void emit_ngrams(size_t units, size_t longest_unit, bool is_last, NgramRange range,
                     uint32_t order, TokenSink& sink) const;
    size_t longest_word() const;
    size_t carry_over(size_t units, size_t longest);
    void push_padded_word(size_t first, size_t count, TokenSink& sink);
    void hand_on_padded(TokenSink& sink);

    Analyzer analyzer_;
    NgramRange range_;
    WordRule words_;
    std::shared_ptr<const WordSet> stop_words_;
    size_t window_units_;
    std::vector<uint8_t> bytes_;
    std::vector<uint32_t> starts_, ends_;  // of the window's words or characters
    // Of n-grams that are not a contiguous run of them.
    GrowingArray<uint32_t> token_starts_, token_ends_, token_orders_;
};

}  // namespace addhash
