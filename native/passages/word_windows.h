// The words of a text, and a hash of each window of n consecutive words.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "dispatch/kernels.h"
#include "duplicates/units.h"

namespace addhash {

// Equal windows have equal hashes; different ones hardly ever.
class WordWindows {
public:
    WordWindows(const Kernels& kernels, size_t words) : kernels_(kernels), window_(words) {}

    // Cuts a text; those of different groups have no hashes in common. The only failure is
    // too_long.
    Status run(const Text& text, uint32_t group = 0);

    // Of the last text. Word i is the first of window i.
    size_t words() const { return hashes_.size(); }
    std::string_view word(size_t i) const { return cutter_.unit(i); }
    uint64_t word_hash(size_t i) const { return hashes_[i]; }
    const std::vector<UnitCutter::Span>& spans() const { return cutter_.spans(); }
    std::span<const uint64_t> windows() const { return windows_; }

private:
    const Kernels& kernels_;
    size_t window_;
    UnitCutter cutter_{{1, 1}};
    std::vector<uint64_t> hashes_, windows_;
};

}  // namespace addhash
