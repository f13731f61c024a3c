#include "arrow/texts.h"

#include <algorithm>
#include <mutex>

#include "parallel/parallel.h"
#include "unicode/utf8.h"

namespace addhash {
namespace {

constexpr size_t kChunkTexts = 64;
constexpr size_t kAlignment = 4;

// Decodes texts `first` to `end`.
Outcome decode_some(const TextColumn& column, size_t first, size_t end, DecodedTexts& decoded,
                    std::unique_ptr<uint8_t[]>& buffer) {
    size_t needed = 0;
    bool is_ascii = true;
    for (size_t i = first; i < end; ++i) {
        const std::string_view bytes = column[i];
        const Utf8Size size = measure_utf8(bytes);
        // The place is filled in once there is a buffer.
        decoded.texts[i] = {size.is_ascii ? bytes.data() : nullptr, size.characters, size.unit,
                            nullptr};
        is_ascii = is_ascii && size.is_ascii;
        if (!size.is_ascii) {
            needed += (size.characters * size.unit + kAlignment - 1) / kAlignment * kAlignment;
        }
    }
    if (is_ascii) return {};
    // What a text writes past its end is written over by the next one.
    buffer.reset(new uint8_t[needed + kDecodeSlack * sizeof(uint32_t)]);
    uint8_t* next = buffer.get();
    for (size_t i = first; i < end; ++i) {
        Text& text = decoded.texts[i];
        const std::string_view bytes = column[i];
        if (text.data != nullptr || bytes.empty()) continue;
        if (!decode_utf8(bytes, text.unit, next)) return {Status::not_utf8, i};
        text.data = next;
        next += (text.length * text.unit + kAlignment - 1) / kAlignment * kAlignment;
    }
    return {};
}

}  // namespace

Outcome TextColumn::make(std::shared_ptr<const Table> table, std::vector<Column> chunks,
                         bool null_is_empty, TextColumn& column) {
    auto shared = std::make_shared<Shared>();
    size_t rows = 0;
    for (const Column& chunk : chunks) {
        for (size_t row = 0; !null_is_empty && row < chunk.rows(); ++row) {
            if (chunk.is_null(row)) return {Status::null, rows + row};
        }
        rows += chunk.rows();
        shared->ends.push_back(rows);
    }
    shared->table = std::move(table);
    shared->chunks = std::move(chunks);
    column.shared_ = std::move(shared);
    column.first_ = 0;
    column.size_ = rows;
    return {};
}

std::string_view TextColumn::operator[](size_t i) const {
    const size_t row = first_ + i;
    const auto& ends = shared_->ends;
    const size_t number =
        static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), row) - ends.begin());
    const Column& chunk = shared_->chunks[number];
    const size_t own = row - (ends[number] - chunk.rows());
    return chunk.is_null(own) ? std::string_view() : chunk.bytes(own);
}

TextColumn TextColumn::slice(size_t first, size_t size) const {
    TextColumn part = *this;
    part.first_ += std::min(first, size_);
    part.size_ = std::min(size, size_ - std::min(first, size_));
    return part;
}

size_t TextColumn::fitting(size_t first, size_t most, size_t most_bytes) const {
    size_t count = 0, bytes = 0;
    while (count < most && first + count < size_) {
        const size_t more = (*this)[first + count].size();
        if (count > 0 && more > most_bytes - std::min(bytes, most_bytes)) break;
        bytes += more;
        ++count;
    }
    return count;
}

Outcome decode_texts(const TextColumn& column, size_t threads, DecodedTexts& decoded) {
    const size_t chunks = (column.size() + kChunkTexts - 1) / kChunkTexts;
    decoded.texts.resize(column.size());
    decoded.buffers.resize(chunks);
    std::mutex merging;
    Outcome outcome;
    run_parallel(threads, chunks, [&](const auto& next) {
        Outcome own;
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            const size_t first = chunk * kChunkTexts;
            const size_t end = std::min(column.size(), first + kChunkTexts);
            own.merge(decode_some(column, first, end, decoded, decoded.buffers[chunk]));
        }
        const std::lock_guard lock(merging);
        outcome.merge(own);
    });
    return outcome;
}

}  // namespace addhash
