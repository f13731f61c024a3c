// The rows of a table as records: tokens with weights.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "arrow/table.h"
#include "status/status.h"
#include "tokens/token_batch.h"

namespace addhash {

// A column is a name. A text becomes the token "name=text" of weight 1, a number or a boolean the
// token "name" weighted by its value, unless that is 0; a null is left out.
class ArrowRecords {
public:
    static Problem make(std::shared_ptr<const Table> table, ArrowRecords& records);

    size_t rows() const { return table_->rows(); }

    // Appends rows from `first` on as documents, up to `most`, and fewer once the batch has
    // `most_bytes`. The failure is not_utf8 or too_many, at a row counted from `first`.
    Outcome append(size_t first, size_t most, size_t most_bytes, TokenBatch& batch) const;

private:
    Outcome append_value(const std::string& name, const Column& column, size_t row,
                         TokenBatch& batch) const;

    std::shared_ptr<const Table> table_;
    std::vector<std::vector<Column>> columns_;
};

}  // namespace addhash
