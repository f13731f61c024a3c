// Fields of many items at a time, written once over registers of bytes.
#pragma once

#include "near/near.h"

namespace addhash {
namespace {

// Most items are dropped by the first fields, so that the others are seldom looked at.
template <class Bytes> size_t select_cheap_lanes(const FieldBits* fields, size_t field_count,
                                                 size_t stride, uint8_t most, size_t first,
                                                 size_t last, uint32_t* near) {
    static_assert(Bytes::lanes <= FieldBits::kSlack);
    const Bytes limit = Bytes::broadcast(most < 255 ? most : 254);
    size_t found = 0;
    for (size_t i = first; i < last; i += Bytes::lanes) {
        const size_t count = last - i < Bytes::lanes ? last - i : Bytes::lanes;
        uint64_t cheap = ~uint64_t{0} >> (64 - count);
        Bytes cost = Bytes::broadcast(0);
        for (size_t f = 0; f < field_count && cheap != 0; ++f) {
            const FieldBits& field = fields[f];
            Bytes bits = Bytes::broadcast(0);
            for (size_t k = 0; k < FieldBits::kBytes; ++k) {
                const Bytes other = Bytes::load(field.bytes + k * stride + i);
                bits = bits + (other ^ Bytes::broadcast(field.signature[k])).bit_counts();
            }
            cost =
                cost.add_saturated(Bytes::halved(bits).looked_up(Bytes::load_table(field.costs)));
            cheap &= cost.at_most(limit);
        }
        for (; cheap != 0; cheap &= cheap - 1) {
            near[found++] = static_cast<uint32_t>(i + static_cast<size_t>(__builtin_ctzll(cheap)));
        }
    }
    return found;
}

}  // namespace
}  // namespace addhash
