// A bitonic sort of keys, written once for any register width.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {
namespace {

// Registers past the last one would hold the greatest keys, and stay where they are: exchanges with
// them are left out.
template <class V> void sort_registers(uint32_t* keys, size_t registers) {
    const auto at = [&](size_t i) { return keys + V::lanes * i; };
    for (size_t i = 0; i < registers; ++i) V::load(at(i)).sorted().store(at(i));
    for (size_t size = 2; size < 2 * registers; size *= 2) {
        for (size_t first = 0; first < registers; first += size) {
            const size_t end = first + size < registers ? first + size : registers;
            for (size_t high = first + size / 2; high < end; ++high) {
                const size_t low = 2 * first + size - 1 - high;
                const V a = V::load(at(low)), b = V::load(at(high)).reversed();
                V::min(a, b).store(at(low));
                V::max(a, b).reversed().store(at(high));
            }
        }
        for (size_t apart = size / 4; apart > 0; apart /= 2) {
            for (size_t first = 0; first + apart < registers; first += 2 * apart) {
                const size_t end =
                    registers - apart < first + apart ? registers - apart : first + apart;
                for (size_t low = first; low < end; ++low) {
                    const V a = V::load(at(low)), b = V::load(at(low + apart));
                    V::min(a, b).store(at(low));
                    V::max(a, b).store(at(low + apart));
                }
            }
        }
        for (size_t i = 0; i < registers; ++i) V::load(at(i)).merged().store(at(i));
    }
}

// `keys` has room for whole registers.
template <class V> void sort_keys_network(uint32_t* keys, size_t count) {
    const size_t registers = (count + V::lanes - 1) / V::lanes;
    for (size_t i = count; i < registers * V::lanes; ++i) keys[i] = ~uint32_t{0};
    sort_registers<V>(keys, registers);
}

}  // namespace
}  // namespace addhash
