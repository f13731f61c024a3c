#include "detection/letters.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

#include "detection/letter_data.h"

namespace addhash {

size_t script_count() { return std::size(kScripts); }

const char* script_name(Script script) {
    return script < std::size(kScripts) ? kScripts[script] : kScripts[0];
}

const Letters& Letters::shared() {
    static const Letters letters;
    return letters;
}

Letters::Letters() : direct_(kDirect) {
    for (uint32_t c = 0; c < kDirect; ++c) direct_[c] = c;
    for (const LetterRange& range : kLetterRanges) {
        const uint32_t flags = uint32_t{range.script} << 21 | uint32_t{range.kind} << 29;
        for (uint32_t c = range.first; c <= range.last; ++c) direct_[c] |= flags;
    }
    for (const LowerRange& range : kLowerRanges) {
        for (uint32_t c = range.first; c <= range.last; c += range.step) {
            direct_[c] = (direct_[c] & ~0x1FFFFFu) |
                         static_cast<uint32_t>(static_cast<int32_t>(c) + range.distance);
        }
    }
    han_ = direct_[0x4E00] & ~0x1FFFFFu;
}

uint32_t Letters::composed(uint32_t base, uint32_t mark) const {
    const auto* found = std::lower_bound(
        std::begin(kCompositions), std::end(kCompositions), std::pair(base, mark),
        [](const Composition& c, const std::pair<uint32_t, uint32_t>& wanted) {
            return std::tie(c.base, c.mark) < std::tie(wanted.first, wanted.second);
        });
    const bool is_found =
        found != std::end(kCompositions) && found->base == base && found->mark == mark;
    return is_found ? found->composed : 0;
}

}  // namespace addhash
