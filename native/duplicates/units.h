// Texts of any script to n-grams of units: words where the script has spaces, characters elsewhere.
#pragma once

#include <string_view>

#include "analysis/analysis.h"

namespace addhash {

// A unit is a run of word characters and marks, or one character of a script without spaces with
// its marks; everything else separates units. A text with fewer units than the shortest n-gram
// gives one token of all its units, so that short texts are distinguished too.
class UnitCutter {
public:
    struct Span {
        size_t start, end;
    };

    explicit UnitCutter(NgramRange range) : range_(range) {}

    // Memory grows with the text. The only failure is too_long.
    Status run(const Text& text, TokenSink& sink);

    // Where the units of the last text begin and end, in characters.
    const std::vector<Span>& spans() const { return spans_; }
    // Its units as they are compared, with kSlack readable bytes past each; valid until the next.
    std::string_view unit(size_t i) const {
        return {reinterpret_cast<const char*>(bytes_.data()) + starts_[i], ends_[i] - starts_[i]};
    }

private:
    template <class Unit> Status cut(const Text& text, TokenSink& sink);

    NgramRange range_;
    std::vector<uint8_t> bytes_;           // the units, a ' ' after each
    std::vector<uint32_t> starts_, ends_;  // of units
    std::vector<Span> spans_;
};

}  // namespace addhash
