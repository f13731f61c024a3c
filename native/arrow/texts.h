// Texts in an Arrow column, decoded a batch at a time.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "arrow/table.h"
#include "status/status.h"

namespace addhash {

// A run of the texts of a column. Copies and slices share the data, which is never copied.
class TextColumn {
public:
    // A null is an empty text, or the failure `null`. The chunks contain texts or bytes.
    static Outcome make(std::shared_ptr<const Table> table, std::vector<Column> chunks,
                        bool null_is_empty, TextColumn& column);

    size_t size() const { return size_; }
    bool is_binary() const { return shared_->chunks.front().kind() == ValueKind::binary; }
    std::string_view operator[](size_t i) const;
    TextColumn slice(size_t first, size_t size) const;
    // How many texts from `first` on, up to `most`, take up to `most_bytes` in total; at least one.
    size_t fitting(size_t first, size_t most, size_t most_bytes) const;

private:
    struct Shared {
        std::shared_ptr<const Table> table;
        std::vector<Column> chunks;
        std::vector<size_t> ends;  // of the chunks, in rows
    };

    std::shared_ptr<const Shared> shared_;
    size_t first_ = 0;
    size_t size_ = 0;
};

struct DecodedTexts {
    std::vector<Text> texts;  // without a table of characters yet
    std::vector<std::unique_ptr<uint8_t[]>> buffers;
};

// ASCII stays where it is; other texts get characters of one width. The failure is not_utf8.
Outcome decode_texts(const TextColumn& column, size_t threads, DecodedTexts& decoded);

}  // namespace addhash
