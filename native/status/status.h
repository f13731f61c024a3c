// What can be wrong with the input.
#pragma once

#include <cstddef>

namespace addhash {

enum class Status {
    done,
    not_text,      // an item is not a string
    null,          // an item is missing
    not_utf8,      // a text is not valid UTF-8
    not_record,    // an item is not a record of the expected kind
    surrogate,     // a token contains a lone surrogate, which has no UTF-8 form
    too_long,      // a token is longer than kMaxWindowBytes
    too_many,      // the tokens of a batch exceed TokenBatch::kMaxBytes in total
    overflow,      // a component does not fit the integer type, or may not: the weights are so
                   // large that their sums were rounded
    fractional,    // a component is not an integer
    not_finite,    // a weight is infinite or NaN
    nan,           // a value is NaN
    infinite,      // a value is infinite
    out_of_range,  // the magnitude of a vector is outside what can be searched
    too_large,     // an integer is too large for float64 to represent exactly
};

// The first document or row with a problem, and the problem.
struct Outcome {
    Status status = Status::done;
    size_t position = 0;

    // Takes the other if it is a failure at an earlier position: thread order must not matter.
    void merge(Outcome other) {
        if (other.status == Status::done) return;
        if (status == Status::done || other.position < position) *this = other;
    }
};

}  // namespace addhash
