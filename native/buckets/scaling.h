// Rows of a sparse matrix scaled as in scikit-learn, rounding included: squares in the type of the
// values, their sum and the quotient in double.
#pragma once

#include <cstddef>

#include "normalize/norm.h"

namespace addhash {

// To norm 1; a row of zeros stays as it is.
template <class Float> void scale_row(Float* values, size_t count, Norm norm);

// In place, all rows of a CSR matrix: each value by the factor of its column, unless `factors` is
// null, and each row to norm 1.
template <class Float, class Index>
void scale_rows(const Index* row_starts, size_t rows, const Index* columns, Float* values,
                const Float* factors, Norm norm, size_t threads);

}  // namespace addhash
