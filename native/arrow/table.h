// Arrow data as it comes: one column, or a table of named ones, in any number of chunks.
#pragma once

#include <string>
#include <vector>

#include "arrow/abi.h"
#include "arrow/column.h"

namespace addhash {

class Table {
public:
    // Reads all of a stream, which may call whatever code its producer has.
    static Problem read(ArrowArrayStream& stream, Table& table);
    // Takes an array over, whatever comes of it.
    static Problem read(ArrowSchema& schema, ArrowArray& array, Table& table);

    // Whether it has named columns; else it is one column, number 0.
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
