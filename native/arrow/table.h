// Raw Arrow data: one column, or a table of named ones, in any number of chunks.
#pragma once

#include <string>
#include <vector>

#include "arrow/abi.h"
#include "arrow/column.h"

namespace addhash {

class Table {
public:
    // Reads a whole stream, which may run arbitrary code of its producer.
    static Problem read(ArrowArrayStream& stream, Table& table);
    // Takes ownership of an array, whatever the outcome.
    static Problem read(ArrowSchema& schema, ArrowArray& array, Table& table);

    // Whether it has named columns; otherwise it is one column, number 0.
    bool is_table() const { return is_table_; }
    const std::vector<std::string>& names() const { return names_; }
    size_t rows() const { return rows_; }

    // The chunks of a column, checked. They are valid as long as the table lives.
    Problem column(size_t number, std::vector<Column>& chunks) const;

private:
    Problem set_schema(ArrowSchema& schema);
    Problem add(ArrowArray& array);

    Owned<ArrowSchema> schema_;
    std::vector<Owned<ArrowArray>> chunks_;
    bool is_table_ = false;
    std::vector<std::string> names_;
    size_t rows_ = 0;
};

}  // namespace addhash
