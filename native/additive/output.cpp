#include "additive/output.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace addhash {
namespace {

__extension__ typedef unsigned __int128 uint128;

uint64_t magnitude(int64_t value) {
    return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

double wide_norm(const Kernels& kernels, const Components& c, Norm norm) {
    if (norm == Norm::l1) {
        uint128 sum = 0;
        for (size_t i = 0; i < c.count; ++i) sum += magnitude(c.wide[i]);
        return static_cast<double>(sum);
    }
    // 53 bits a component: 2^20 squares stay below 2^126. Only fixed-point weights are longer.
    const uint64_t used = kernels.magnitude_bits(c.wide, c.count);
    const int excess = static_cast<int>(std::bit_width(used)) - 53;
    const int shift = excess > 0 ? excess : 0;
    const WideSquares squares = kernels.sum_wide_squares(c.wide, c.count, shift);
    const uint128 sum = static_cast<uint128>(squares.high) << 64 | squares.low;
    return std::ldexp(std::sqrt(static_cast<double>(sum)), shift);
}

double norm_of(const Kernels& kernels, const Components& c, Norm norm) {
    if (c.wide != nullptr) return wide_norm(kernels, c, norm);
    if (norm == Norm::l1) return static_cast<double>(kernels.sum_magnitudes(c.narrow, c.count));
    return std::sqrt(static_cast<double>(kernels.sum_squares(c.narrow, c.count, c.largest)));
}

template <class Float> void write_floats(const Kernels& kernels, const Components& c,
                                         const VectorOutput& output, Float* out) {
    const Norm norm = output.norm;
    double factor = 1;
    if (norm != Norm::none) {
        const double size = norm_of(kernels, c, norm);
        factor = size > 0 ? 1 / size : 1;
    }
    if (c.wide == nullptr) {
        if constexpr (sizeof(Float) == 4) {
            kernels.scale_to_float(c.narrow, c.count, c.largest, factor, output.is_streamed, out);
        } else {
            kernels.scale_to_double(c.narrow, c.count, factor, out);
        }
        return;
    }
    const int exponent = norm == Norm::none ? c.exponent : 0;
    if (exponent == 0) {
        if constexpr (sizeof(Float) == 4) {
            kernels.scale_wide_to_float(c.wide, c.count, factor, output.is_streamed, out);
        } else {
            kernels.scale_wide_to_double(c.wide, c.count, factor, out);
        }
        return;
    }
    for (size_t i = 0; i < c.count; ++i) {
        out[i] = static_cast<Float>(std::ldexp(static_cast<double>(c.wide[i]) * factor, exponent));
    }
}

template <class Int> Status write_integers(const Components& c, Int* out) {
    // Weights are only scaled up when they leave no room to add them as integers of 64 bits.
    if (c.exponent != 0) return c.exponent > 0 ? Status::overflow : Status::fractional;
    bool fits = true;
    for (size_t i = 0; i < c.count; ++i) {
        const int64_t value = c.wide != nullptr ? c.wide[i] : c.narrow[i];
        out[i] = static_cast<Int>(value);
        fits &= static_cast<int64_t>(out[i]) == value;
    }
    return fits ? Status::done : Status::overflow;
}

void write_signs(const Components& c, uint8_t* out) {
    for (size_t byte = 0; byte < c.count / 8; ++byte) {
        unsigned bits = 0;
        for (size_t i = 8 * byte; i < 8 * byte + 8; ++i) {
            bits = bits << 1 | (c.wide != nullptr ? c.wide[i] > 0 : c.narrow[i] > 0);
        }
        out[byte] = static_cast<uint8_t>(bits);
    }
}

}  // namespace

Status write_vector(const Kernels& kernels, const Components& components,
                    const VectorOutput& output, size_t row) {
    uint8_t* out = output.data + row * output.row_bytes;
    switch (output.type) {
        case ValueType::float32:
            write_floats(kernels, components, output, reinterpret_cast<float*>(out));
            return Status::done;
        case ValueType::float64:
            write_floats(kernels, components, output, reinterpret_cast<double*>(out));
            return Status::done;
        case ValueType::int16: return write_integers(components, reinterpret_cast<int16_t*>(out));
        case ValueType::int32: return write_integers(components, reinterpret_cast<int32_t*>(out));
        case ValueType::int64: return write_integers(components, reinterpret_cast<int64_t*>(out));
        case ValueType::bits: write_signs(components, out); return Status::done;
    }
    __builtin_unreachable();
}

}  // namespace addhash
