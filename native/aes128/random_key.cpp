#include <random>

#include "aes128/aes128.h"

namespace addhash {

Seed random_key() {
    std::random_device device;
    const auto word = [&] { return uint64_t{device()} << 32 | device(); };
    const uint64_t low = word();
    return {low, word()};
}

}  // namespace addhash
