// MurmurHash3 x86 32 written once for any number of 32-bit lanes.
#pragma once

#include "simd/bytes.h"

namespace addhash {
namespace {

template <class V> inline V murmur3_scramble(V k) {
    return k.mul(V::broadcast(0xCC9E2D51u)).template rol<15>().mul(V::broadcast(0x1B873593u));
}

template <class V> inline V murmur3_vector(const uint8_t* bytes, V start, V end, uint32_t seed) {
    const V length = end - start;
    const V four = V::broadcast(4);
    V h = V::broadcast(seed);
    V position = start;
    V block_end = start + four;
    const V stop = end + V::broadcast(1);  // block_end <= end, as a strict comparison
    while (V::any_less(block_end, stop)) {
        // A lane that has run out of blocks reads its own tail again, and drops it.
        V k = murmur3_scramble(V::gather(bytes, position));
        V mixed = (h ^ k).template rol<13>().mul(V::broadcast(5)) + V::broadcast(0xE6546B64u);
        h = V::where_less(block_end, stop, mixed, h);
        position = V::where_less(block_end, stop, block_end, position);
        block_end = position + four;
    }
    // An empty tail masks to 0, and scrambling 0 gives 0: no branch is needed.
    const V tail = V::byte_mask(length & V::broadcast(3));
    h = h ^ murmur3_scramble(V::gather(bytes, position) & tail);
    h = h ^ length;
    h = (h ^ h.template srl<16>()).mul(V::broadcast(0x85EBCA6Bu));
    h = (h ^ h.template srl<13>()).mul(V::broadcast(0xC2B2AE35u));
    return h ^ h.template srl<16>();
}

template <class V> inline void murmur3_lanes(const uint8_t* bytes, const uint32_t* starts,
                                             const uint32_t* ends, size_t count, uint32_t seed,
                                             uint32_t* hashes) {
    size_t i = 0;
    for (; i + V::lanes <= count; i += V::lanes) {
        murmur3_vector<V>(bytes, V::load(starts + i), V::load(ends + i), seed).store(hashes + i);
    }
    if (i == count) return;
    uint32_t start[V::lanes] = {}, end[V::lanes] = {}, hash[V::lanes];
    for (size_t j = i; j < count; ++j) {
        start[j - i] = starts[j];
        end[j - i] = ends[j];
    }
    murmur3_vector<V>(bytes, V::load(start), V::load(end), seed).store(hash);
    for (size_t j = i; j < count; ++j) hashes[j] = hash[j - i];
}

}  // namespace
}  // namespace addhash
