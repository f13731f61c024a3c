#include "arrow/table.h"

#include <cstring>

namespace addhash {
namespace {

constexpr int64_t kMostColumns = 1 << 20;
constexpr size_t kMostRows = size_t{1} << 56;
constexpr size_t kLongestMessage = 500;

Problem failure_of(ArrowArrayStream& stream, int code) {
    const char* said = stream.get_last_error == nullptr ? nullptr : stream.get_last_error(&stream);
    return "its stream failed: " + (said == nullptr
                                        ? std::strerror(code)
                                        : std::string(said, strnlen(said, kLongestMessage)));
}

}  // namespace

Problem Table::read(ArrowArrayStream& given, Table& table) {
    if (given.release == nullptr) return "its stream was read before";
    Owned<ArrowArrayStream> stream(given);
    ArrowSchema schema{};
    if (const int code = (*stream).get_schema(&*stream, &schema); code != 0) {
        return failure_of(*stream, code);
    }
    if (Problem problem = table.set_schema(schema); !problem.empty()) return problem;
    for (;;) {
        ArrowArray array{};
        if (const int code = (*stream).get_next(&*stream, &array); code != 0) {
            return failure_of(*stream, code);
        }
        if (array.release == nullptr) return {};
        if (Problem problem = table.add(array); !problem.empty()) return problem;
    }
}

Problem Table::read(ArrowSchema& schema, ArrowArray& array, Table& table) {
    if (array.release == nullptr) return "its array was read before";
    // Held here, so that it is given back if the schema is refused.
    Owned<ArrowArray> held(array);
    if (Problem problem = table.set_schema(schema); !problem.empty()) return problem;
    return table.add(*held);
}

Problem Table::set_schema(ArrowSchema& schema) {
    if (schema.release == nullptr) return "its schema was read before";
    schema_ = Owned<ArrowSchema>(schema);
    is_table_ = schema_->format != nullptr && std::strcmp(schema_->format, "+s") == 0;
    if (!is_table_) return {};
    if (schema_->n_children < 0 || schema_->n_children > kMostColumns ||
        (schema_->n_children > 0 && schema_->children == nullptr)) {
        return "its schema has an impossible number of columns";
    }
    for (int64_t i = 0; i < schema_->n_children; ++i) {
        if (schema_->children[i] == nullptr) return "its schema lacks a column";
        const char* name = schema_->children[i]->name;
        names_.emplace_back(name == nullptr ? "" : name);
    }
    return {};
}

Problem Table::add(ArrowArray& array) {
    chunks_.emplace_back(array);
    const Owned<ArrowArray>& chunk = chunks_.back();
    if (chunk->length < 0 || static_cast<size_t>(chunk->length) > kMostRows - rows_) {
        return "an array has an impossible length";
    }
    rows_ += static_cast<size_t>(chunk->length);
    if (!is_table_) return {};
    if (chunk->offset < 0 || static_cast<size_t>(chunk->offset) > kMostRows) {
        return "an array has an impossible offset";
    }
    if (chunk->n_children != schema_->n_children ||
        (chunk->n_children > 0 && chunk->children == nullptr)) {
        return "an array has other columns than its schema";
    }
    for (int64_t i = 0; i < chunk->n_children; ++i) {
        if (chunk->children[i] == nullptr) return "an array lacks a column";
    }
    // Rows of a table are there, if only with nulls.
    if (chunk->n_buffers != 1 || chunk->buffers == nullptr) return "a table has wrong buffers";
    if (const auto* validity = static_cast<const uint8_t*>(chunk->buffers[0]);
        validity != nullptr && chunk->null_count != 0) {
        for (int64_t i = chunk->offset; i < chunk->offset + chunk->length; ++i) {
            if (!(validity[i / 8] >> (i % 8) & 1)) return "a row of the table is null as a whole";
        }
    }
    return {};
}

Problem Table::column(size_t number, std::vector<Column>& chunks) const {
    chunks.clear();
    for (const Owned<ArrowArray>& chunk : chunks_) {
        Column column;
        const ArrowSchema& schema = is_table_ ? *schema_->children[number] : *schema_;
        const ArrowArray& array = is_table_ ? *chunk->children[number] : *chunk;
        if (Problem problem =
                Column::read(schema, array, is_table_ ? chunk->offset : 0, chunk->length, column);
            !problem.empty()) {
            return problem;
        }
        if (column.rows() > 0) chunks.push_back(std::move(column));
    }
    // No chunk says what the format is.
    if (chunks.empty()) {
        Column column;
        const ArrowSchema& schema = is_table_ ? *schema_->children[number] : *schema_;
        if (Problem problem = Column::check_format(schema, column); !problem.empty())
            return problem;
        chunks.push_back(std::move(column));
    }
    return {};
}

}  // namespace addhash
