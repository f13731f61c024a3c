#include "normalize/loops.h"

namespace addhash::baseline {

uint64_t sum_squares(const int16_t* values, size_t count) {
    return sum_squares_loop(values, count);
}

uint64_t sum_magnitudes(const int16_t* values, size_t count) {
    return sum_magnitudes_loop(values, count);
}

void scale_to_float(const int16_t* values, size_t count, double factor, bool, float* out) {
    scale_loop(values, count, factor, out);
}

void scale_to_double(const int16_t* values, size_t count, double factor, double* out) {
    scale_loop(values, count, factor, out);
}

}  // namespace addhash::baseline
