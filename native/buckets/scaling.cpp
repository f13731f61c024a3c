#include "buckets/scaling.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr size_t kRowChunk = 256;  // rows that a thread takes at a time

template <class Float> double row_size(const Float* values, size_t count, Norm norm) {
    double size = 0;
    if (norm == Norm::l1) {
        for (size_t i = 0; i < count; ++i) size += std::fabs(values[i]);
        return size;
    }
    for (size_t i = 0; i < count; ++i) {
        const Float square = values[i] * values[i];
        size += square;
    }
    return std::sqrt(size);
}

}  // namespace

template <class Float> void scale_row(Float* values, size_t count, Norm norm) {
    if (norm == Norm::none) return;
    const double size = row_size(values, count, norm);
    if (size == 0) return;
    for (size_t i = 0; i < count; ++i) values[i] = static_cast<Float>(values[i] / size);
}

template <class Float, class Index>
void scale_rows(const Index* row_starts, size_t rows, const Index* columns, Float* values,
                const Float* factors, Norm norm, size_t threads) {
    const size_t chunks = (rows + kRowChunk - 1) / kRowChunk;
    run_parallel(threads, chunks, [&](auto next) {
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            const size_t end = std::min(rows, (chunk + 1) * kRowChunk);
            for (size_t row = chunk * kRowChunk; row < end; ++row) {
                const auto first = static_cast<size_t>(row_starts[row]);
                const auto last = static_cast<size_t>(row_starts[row + 1]);
                check_interrupt_after((last - first) * sizeof(Float));
                if (factors != nullptr) {
                    for (size_t i = first; i < last; ++i) values[i] *= factors[columns[i]];
                }
                scale_row(values + first, last - first, norm);
            }
        }
    });
}

template void scale_row(float*, size_t, Norm);
template void scale_row(double*, size_t, Norm);
template void scale_rows(const int32_t*, size_t, const int32_t*, float*, const float*, Norm,
                         size_t);
template void scale_rows(const int32_t*, size_t, const int32_t*, double*, const double*, Norm,
                         size_t);
template void scale_rows(const int64_t*, size_t, const int64_t*, float*, const float*, Norm,
                         size_t);
template void scale_rows(const int64_t*, size_t, const int64_t*, double*, const double*, Norm,
                         size_t);

}  // namespace addhash
