#include "arrow/records.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "unicode/utf8.h"

namespace addhash {
namespace {

bool append_bytes(TokenBatch& batch, std::string_view bytes) {
    uint8_t* out = batch.extend(bytes.size());
    if (out == nullptr) return false;
    if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
    batch.keep(bytes.size());
    return true;
}

}  // namespace

Problem ArrowRecords::make(std::shared_ptr<const Table> table, ArrowRecords& records) {
    records = ArrowRecords();
    records.columns_.resize(table->names().size());
    for (size_t i = 0; i < records.columns_.size(); ++i) {
        const std::string& name = table->names()[i];
        if (!is_utf8(name)) return "a name of a column is not valid UTF-8";
        if (Problem problem = table->column(i, records.columns_[i]); !problem.empty()) {
            return "column '" + name + "': " + problem;
        }
        if (records.columns_[i].front().kind() == ValueKind::binary) {
            return "column '" + name + "': it holds bytes; expected texts, numbers or booleans";
        }
    }
    records.table_ = std::move(table);
    return {};
}

Outcome ArrowRecords::append_value(const std::string& name, const Column& column, size_t row,
                                   TokenBatch& batch) const {
    if (column.is_null(row)) return {};
    double weight = 1;
    if (column.kind() == ValueKind::text) {
        const std::string_view text = column.bytes(row);
        if (!is_utf8(text)) return {Status::not_utf8, 0};
        if (!append_bytes(batch, name) || !append_bytes(batch, "=") || !append_bytes(batch, text)) {
            return {Status::too_many, 0};
        }
    } else {
        weight = column.real(row);
        if (weight == 0) return {};
        if (!append_bytes(batch, name)) return {Status::too_many, 0};
    }
    batch.end_token(weight);
    return {};
}

Outcome ArrowRecords::append(size_t first, size_t most, size_t most_bytes,
                             TokenBatch& batch) const {
    // All columns have the same chunks: find the one that has the first row.
    size_t chunk = 0, before = 0;
    const size_t chunks = columns_.empty() ? 0 : columns_.front().size();
    while (chunk < chunks && before + columns_.front()[chunk].rows() <= first) {
        before += columns_.front()[chunk++].rows();
    }
    const size_t end = std::min(rows(), first + std::min(most, rows() - std::min(first, rows())));
    for (size_t row = first; row < end && batch.byte_count() < most_bytes; ++row) {
        while (chunk < chunks && row - before == columns_.front()[chunk].rows()) {
            before += columns_.front()[chunk++].rows();
        }
        for (size_t i = 0; i < columns_.size(); ++i) {
            const Outcome outcome =
                append_value(table_->names()[i], columns_[i][chunk], row - before, batch);
            if (outcome.status != Status::done) {
                batch.drop_unfinished();
                return {outcome.status, row - first};
            }
        }
        batch.end_document();
    }
    return {};
}

}  // namespace addhash
