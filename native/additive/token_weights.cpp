#include "additive/token_weights.h"

#include <array>
#include <cmath>

namespace addhash {

// No value lies so near to a half that the last bits of log(), which not all machines share, would
// decide how it is rounded; a test looks at all of them.
const uint16_t* SublinearWeight::factors() {
    static const auto table = [] {
        std::array<uint16_t, kCounts> made{};
        for (size_t count = 1; count < kCounts; ++count) {
            const double value = 1 + std::log(static_cast<double>(count));
            made[count] = static_cast<uint16_t>(std::lround(std::ldexp(value, kFractionBits)));
        }
        return made;
    }();
    return table.data();
}

}  // namespace addhash
