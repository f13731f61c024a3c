#include "exact_sums/digits.h"

#include <algorithm>
#include <bit>
#include <climits>
#include <type_traits>

#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr int kLimbBits = 32;
constexpr uint64_t kLow = 0xffffffff;
constexpr size_t kColumns = 256;  // that a thread takes at a time

// A finite float as an integer times a power of two.
template <class T> struct Parts;

template <> struct Parts<float> {
    using Bits = uint32_t;
    static constexpr int kFraction = 23, kExponents = 0xff, kLeast = -149;
};

template <> struct Parts<double> {
    using Bits = uint64_t;
    static constexpr int kFraction = 52, kExponents = 0x7ff, kLeast = -1074;
};

// Where the lowest bit of a value's integer stands, counted from the lowest bit of limb 0.
template <class T> int place_of(typename Parts<T>::Bits bits) {
    using P = Parts<T>;
    const int exponent = static_cast<int>(bits >> P::kFraction) & P::kExponents;
    return std::max(exponent, 1) - 1 + P::kLeast + kLimbBits * kUnitLimb;
}

template <class T> uint64_t integer_of(typename Parts<T>::Bits bits) {
    using P = Parts<T>;
    const uint64_t fraction = bits & ((typename P::Bits{1} << P::kFraction) - 1);
    const bool is_normal = (bits >> P::kFraction) & P::kExponents;
    return fraction | (uint64_t{is_normal} << P::kFraction);
}

}  // namespace

template <class T> LimbRange limbs_of(const T* values, size_t count) {
    if constexpr (std::is_integral_v<T>) {
        static_cast<void>(values);
        if (count == 0) return {1, 0};
        return {kUnitLimb, kUnitLimb + (sizeof(T) > 4 ? 1 : 0)};
    } else {
        using Bits = typename Parts<T>::Bits;
        constexpr Bits kMagnitude = ~Bits{0} >> 1;
        Bits least = kMagnitude, most = 0;
        for (size_t i = 0; i < count; ++i) {
            const Bits bits = std::bit_cast<Bits>(values[i]) & kMagnitude;
            most = std::max(most, bits);
            least = std::min(least, bits == 0 ? kMagnitude : bits);
        }
        if (most == 0) return {1, 0};
        // An integer shifted by up to 31 bits reaches into one or two limbs above its own.
        constexpr int kSpread = sizeof(T) == 4 ? 1 : 2;
        return {place_of<T>(least) / kLimbBits, place_of<T>(most) / kLimbBits + kSpread};
    }
}

namespace {

// Components begin to end of add_digits.
template <class T> void add_columns(const T* vectors, size_t n_vectors, size_t width, size_t begin,
                                    size_t end, const int64_t* groups, size_t n_groups, int first,
                                    int sign, int64_t* digits) {
    const size_t limb_size = n_groups * width;
    for (size_t i = 0; i < n_vectors; ++i) {
        const T* vector = vectors + i * width;
        int64_t* row = digits + static_cast<size_t>(groups[i]) * width;
        if constexpr (std::is_integral_v<T> && sizeof(T) <= 4) {
            for (size_t c = begin; c < end; ++c) row[c] += sign * int64_t{vector[c]};
        } else if constexpr (std::is_integral_v<T>) {
            for (size_t c = begin; c < end; ++c) {
                row[c] += sign * (vector[c] & static_cast<int64_t>(kLow));
                row[limb_size + c] += sign * (vector[c] >> kLimbBits);
            }
        } else {
            using Bits = typename Parts<T>::Bits;
            constexpr int kSignBit = sizeof(T) * CHAR_BIT - 1;
            for (size_t c = begin; c < end; ++c) {
                const Bits bits = std::bit_cast<Bits>(vector[c]);
                const uint64_t integer = integer_of<T>(bits);
                if (integer == 0) continue;
                const int place = place_of<T>(bits) - kLimbBits * first;
                const int shift = place & (kLimbBits - 1);
                const int64_t way = (bits >> kSignBit) ? -sign : sign;
                int64_t* digit = row + static_cast<size_t>(place / kLimbBits) * limb_size + c;
                // No shift leaves 64 bits: the lower half has 32, the upper one 21 at most.
                const uint64_t low = (integer & kLow) << shift;
                const uint64_t high = (integer >> kLimbBits) << shift;
                digit[0] += way * static_cast<int64_t>(low & kLow);
                digit[limb_size] += way * static_cast<int64_t>((low >> kLimbBits) + (high & kLow));
                if constexpr (sizeof(T) == 8) {
                    digit[2 * limb_size] += way * static_cast<int64_t>(high >> kLimbBits);
                }
            }
        }
    }
}

}  // namespace

template <class T> void add_digits(const T* vectors, size_t n_vectors, size_t width,
                                   const int64_t* groups, size_t n_groups, int first, int sign,
                                   int64_t* digits, size_t threads) {
    const size_t chunks = (width + kColumns - 1) / kColumns;
    run_parallel(threads, chunks, [&](const auto& next) {
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            const size_t begin = chunk * kColumns;
            add_columns(vectors, n_vectors, width, begin, std::min(begin + kColumns, width), groups,
                        n_groups, first, sign, digits);
        }
    });
}

#define ADDHASH_EXACT(T)                                                                    \
    template LimbRange limbs_of<T>(const T*, size_t);                                       \
    template void add_digits<T>(const T*, size_t, size_t, const int64_t*, size_t, int, int, \
                                int64_t*, size_t);
ADDHASH_EXACT(int16_t)
ADDHASH_EXACT(int32_t)
ADDHASH_EXACT(int64_t)
ADDHASH_EXACT(float)
ADDHASH_EXACT(double)
#undef ADDHASH_EXACT

}  // namespace addhash
