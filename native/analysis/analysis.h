// From a text to its tokens: words, character n-grams, and character n-grams inside words, as in
// scikit-learn's vectorizers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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

enum class Analyzer { word, characters, characters_in_words };

struct NgramRange {
    size_t min;  // at least 1
    size_t max;  // at least min
};

// Offsets into a window are 32-bit and signed in some kernels.
constexpr size_t kMaxWindowBytes = (size_t{1} << 31) - 4096;

// Characters, or words, after which a window is passed on.
constexpr size_t kWindowUnits = 16384;

class TokenSink {
public:
    // Token i is bytes[starts[i] .. ends[i]), with kSlack readable bytes past the last one. The
    // arrays are valid only during the call.
    virtual void consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                         size_t count) = 0;

    // The same for n-grams with their prefixes: bytes[starts[i] .. prefix_ends[i]) is the text's
    // n-gram that is shorter by its last word or character, and empty if n is the smallest.
    virtual void consume_ngrams(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                                const uint32_t* prefix_ends, size_t count) {
        static_cast<void>(prefix_ends);
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
    Analysis(Analyzer analyzer, NgramRange range, size_t window_units = kWindowUnits)
        : analyzer_(analyzer), range_(range), window_units_(window_units) {}

    Status run(const Text& text, TokenSink& sink);

private:
    class WordWindow;

    template <class Unit> Status words(const Text& text, TokenSink& sink);
    template <class Unit> Status characters(const Text& text, TokenSink& sink);
    template <class Unit> Status characters_in_words(const Text& text, TokenSink& sink);
    template <class Unit> Status dispatch(const Text& text, TokenSink& sink);

    bool reserve(size_t used, size_t more);
    void hand_on(const uint32_t* ends, const uint32_t* prefix_ends, size_t count, size_t longest,
                 TokenSink& sink) const;
    void emit_ngrams(size_t units, size_t longest_unit, bool is_last, TokenSink& sink) const;
    size_t longest_word() const;
    size_t carry_over(size_t units);
    void push_padded_word(size_t first, size_t count, TokenSink& sink);
    void hand_on_padded(TokenSink& sink);

    Analyzer analyzer_;
    NgramRange range_;
    size_t window_units_;
    std::vector<uint8_t> bytes_;
    std::vector<uint32_t> starts_, ends_;  // of the window's words or characters
    // Of n-grams that are not a contiguous run of them.
    GrowingArray<uint32_t> token_starts_, token_ends_, token_prefix_ends_;
};

}  // namespace addhash
