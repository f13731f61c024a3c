#include "search/encode.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "parallel/parallel.h"
#include "search/loops.h"

namespace addhash {
namespace {

constexpr size_t kChunkRows = 64;
// More than all roundings in the computation of a slack can make up.
constexpr double kRoundUp = 1 + 1e-9;
constexpr double kLeastSlack = 1e-14;

struct Extent {
    Status status = Status::done;
    bool is_integral = true;
    double magnitude = 0;
};

template <class Value> Extent measure(const Value* values, size_t width) {
    Extent extent;
    if constexpr (std::is_integral_v<Value>) {
        Value least = 0, most = 0;
        for (size_t i = 0; i < width; ++i) {
            least = std::min(least, values[i]);
            most = std::max(most, values[i]);
        }
        if constexpr (sizeof(Value) == 8) {
            if (least < -kLargestInteger || most > kLargestInteger) {
                extent.status = Status::too_large;
                return extent;
            }
        }
        extent.magnitude = std::max(-static_cast<double>(least), static_cast<double>(most));
    } else {
        Value most = 0;
        bool has_nan = false, has_fraction = false;
        for (size_t i = 0; i < width; ++i) {
            const Value value = std::abs(values[i]);
            has_nan |= value != value;
            most = value > most ? value : most;
        }
        if (has_nan || std::isinf(most)) {
            extent.status = has_nan ? Status::nan : Status::infinite;
            return extent;
        }
        extent.is_integral = most <= static_cast<Value>(kLargestTailed);
        for (size_t i = 0; extent.is_integral && i < width; ++i) {
            has_fraction = values[i] != static_cast<Value>(static_cast<int>(values[i]));
            extent.is_integral = !has_fraction;
        }
        extent.magnitude = static_cast<double>(most);
    }
    if (extent.magnitude > kLargestMagnitude ||
        (extent.magnitude < kSmallestMagnitude && extent.magnitude > 0)) {
        extent.status = Status::out_of_range;
    }
    return extent;
}

double upper_ratio(double residual, double norm) {
    return residual == 0 ? 0 : std::sqrt(residual) / norm * kRoundUp + kLeastSlack;
}

template <class Value> void encode_integers(const Value* values, size_t width, double magnitude,
                                            size_t row, const EncodedOutput& output) {
    int8_t* codes = output.codes + row * width;
    uint64_t squares = 0, residual = 0;
    const int most = static_cast<int>(magnitude);
    // The least number of 256ths that brings the largest value down to 127.
    const int parts = most <= 127 ? kScaleParts : (most * kScaleParts + 126) / 127;
    if (parts == kScaleParts) {
        for (size_t i = 0; i < width; ++i) {
            const int value = static_cast<int>(values[i]);
            squares += static_cast<uint32_t>(value * value);
            codes[i] = static_cast<int8_t>(value);
        }
    } else {
        for (size_t i = 0; i < width; ++i) {
            const int value = static_cast<int>(values[i]);
            const int twice = 2 * kScaleParts * value;
            const int code = (twice + (value < 0 ? -parts : parts)) / (2 * parts);
            // At most parts / 2, which is 32,000: its square fits 32 bits.
            const int left = kScaleParts * value - parts * code;
            squares += static_cast<uint32_t>(value * value);
            residual += static_cast<uint32_t>(left * left);
            codes[i] = static_cast<int8_t>(code);
        }
    }
    const double scale = static_cast<double>(parts) / kScaleParts;
    output.scales[row] = scale;
    output.norms[row] = std::sqrt(static_cast<double>(squares));
    output.slacks[row] =
        upper_ratio(static_cast<double>(residual), output.norms[row] * kScaleParts);
    output.kinds[row] = parts == kScaleParts ? RowKind::lossless : RowKind::tailed;
}

template <class Value> void encode_wide(const Value* values, size_t width, double magnitude,
                                        size_t row, const EncodedOutput& output,
                                        std::vector<double>& exact) {
    int8_t* codes = output.codes + row * width;
    const double scale = magnitude / 127;
    for (size_t i = 0; i < width; ++i) exact[i] = static_cast<double>(values[i]);
    double residual = 0;
    for (size_t i = 0; i < width; ++i) {
        const double code = std::clamp(std::nearbyint(exact[i] / scale), -127.0, 127.0);
        // Relative to the scale: the square of a small residual must not vanish.
        const double tail = exact[i] / scale - code;
        residual += tail * tail;
        codes[i] = static_cast<int8_t>(code);
    }
    const double squares = lane_dot(width, exact.data(), [&](size_t i) { return exact[i]; });
    output.scales[row] = scale;
    output.norms[row] = std::sqrt(squares);
    output.slacks[row] = upper_ratio(residual, output.norms[row] / scale) + kLeastSlack;
    output.kinds[row] = RowKind::wide;
}

}  // namespace

template <class Value> Outcome encode_rows(const Value* values, size_t count, size_t width,
                                           const EncodedOutput& output, size_t threads) {
    Outcome first;
    Mutex reporting;
    const size_t chunks = (count + kChunkRows - 1) / kChunkRows;
    run_parallel(threads, chunks, [&](const auto& next) {
        std::vector<double> exact(width);
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            const size_t end = std::min(count, (chunk + 1) * kChunkRows);
            for (size_t row = chunk * kChunkRows; row < end; ++row) {
                const Value* vector = values + row * width;
                const Extent extent = measure(vector, width);
                if (extent.status != Status::done) {
                    const std::lock_guard lock(reporting);
                    first.merge({extent.status, row});
                } else if (extent.is_integral && extent.magnitude <= kLargestTailed) {
                    encode_integers(vector, width, extent.magnitude, row, output);
                } else {
                    encode_wide(vector, width, extent.magnitude, row, output, exact);
                }
            }
        }
    });
    return first;
}

void decode_row(const EncodedVectors& rows, size_t row, double* out) {
    const int8_t* code = code_of(rows, row);
    const int64_t place = rows.places[row];
    if (place <= kFirstWide) {
        const auto wide = static_cast<size_t>(kFirstWide - place) * rows.width;
        for (size_t i = 0; i < rows.width; ++i) {
            out[i] = rows.wides32 != nullptr ? static_cast<double>(rows.wides32[wide + i])
                                             : rows.wides64[wide + i];
        }
        return;
    }
    const int8_t* tail =
        place == kNoPlace ? nullptr : rows.tails + static_cast<size_t>(place) * rows.width;
    const int parts = scale_parts(rows.scales[row]);
    for (size_t i = 0; i < rows.width; ++i) {
        out[i] = tail == nullptr ? code[i] : whole_of(parts, code[i]) + tail[i];
    }
}

template Outcome encode_rows(const int16_t*, size_t, size_t, const EncodedOutput&, size_t);
template Outcome encode_rows(const int32_t*, size_t, size_t, const EncodedOutput&, size_t);
template Outcome encode_rows(const int64_t*, size_t, size_t, const EncodedOutput&, size_t);
template Outcome encode_rows(const float*, size_t, size_t, const EncodedOutput&, size_t);
template Outcome encode_rows(const double*, size_t, size_t, const EncodedOutput&, size_t);

}  // namespace addhash
