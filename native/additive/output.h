// Writing a document's components as the requested vector.
#pragma once

#include "additive/document_sum.h"
#include "normalize/norm.h"
#include "status/status.h"

namespace addhash {

enum class ValueType { float32, float64, int16, int32, int64, bits };

struct VectorOutput {
    ValueType type;  // bits: component c > 0 gives bit 7 - c % 8 of byte c / 8
    Norm norm;       // none for the integer types
    uint8_t* data;
    size_t row_bytes;
    bool is_streamed;  // too large to stay in a cache
};

Status write_vector(const Kernels& kernels, const Components& components,
                    const VectorOutput& output, size_t row);

}  // namespace addhash
