// Arrow data with anything in its fields and buffers: it is refused, or read within its buffers.
// Buffers are as large as the fields say, since the interface tells their size by nothing else.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "arrow/records.h"
#include "arrow/table.h"
#include "arrow/texts.h"
#include "fuzz/require.h"
#include "tests/arrow_builder.h"
#include "unicode/utf8.h"

using namespace addhash;
using test::append;
using test::ArrowBuilder;

namespace {

constexpr int64_t kMostRows = 40;
constexpr int64_t kMostBytes = 4096;

using Bytes = std::vector<uint8_t>;

template <class T> T value_at(const Bytes& bytes, size_t i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    return value;
}

// `size` bytes of the input, and zeros where it has no more.
Bytes some_bytes(FuzzedDataProvider& input, size_t size) {
    Bytes bytes = input.ConsumeBytes<uint8_t>(size);
    bytes.resize(size);
    bytes.shrink_to_fit();
    return bytes;
}

// Offsets that ascend, or anything; but none beyond the data, which is as long as the largest.
template <class Offset>
void add_offsets(FuzzedDataProvider& input, size_t rows, ArrowBuilder& built) {
    Bytes offsets = some_bytes(input, (rows + 1) * sizeof(Offset));
    const bool ascend = input.ConsumeBool();
    Offset last = 0, largest = 0;
    for (size_t i = 0; i <= rows; ++i) {
        auto offset = value_at<Offset>(offsets, i);
        if (ascend) offset = static_cast<Offset>(last + (offset & 15));
        last = static_cast<Offset>(std::min<int64_t>(offset, kMostBytes));
        largest = std::max(largest, last);
        std::memcpy(offsets.data() + i * sizeof last, &last, sizeof last);
    }
    built.buffers.push_back(std::move(offsets));
    built.buffers.push_back(some_bytes(input, static_cast<size_t>(largest)));
}

// Views, the buffers that they point into, and the sizes of those.
void add_views(FuzzedDataProvider& input, size_t rows, ArrowBuilder& built) {
    Bytes views = some_bytes(input, rows * 16);
    const bool are_small = input.ConsumeBool();
    for (size_t i = 0; are_small && i < rows * 4; ++i) {
        const int32_t small = value_at<int32_t>(views, i) & 31;
        if (i % 4 != 1) std::memcpy(views.data() + i * sizeof small, &small, sizeof small);
    }
    built.buffers.push_back(std::move(views));
    Bytes sizes;
    for (size_t i = input.ConsumeIntegralInRange<size_t>(0, 3); i > 0; --i) {
        built.buffers.push_back(some_bytes(input, input.ConsumeIntegralInRange<size_t>(0, 64)));
        auto size = static_cast<int64_t>(built.buffers.back().size());
        if (input.ConsumeIntegral<uint8_t>() == 1) size = -size;
        append(sizes, size);
    }
    built.buffers.push_back(std::move(sizes));
}

void add_buffers(FuzzedDataProvider& input, size_t rows, ArrowBuilder& built) {
    const std::string& format = built.format;
    if (format == "n" || format == "+r") return;
    built.buffers.push_back(some_bytes(input, (rows + 7) / 8));
    if (format == "+s") return;
    if (format == "u" || format == "z") return add_offsets<int32_t>(input, rows, built);
    if (format == "U" || format == "Z") return add_offsets<int64_t>(input, rows, built);
    if (format == "vu" || format == "vz") return add_views(input, rows, built);
    const size_t width = std::strchr("sSe", format[0])    ? 2
                         : std::strchr("iIf", format[0])  ? 4
                         : std::strchr("lLgt", format[0]) ? 8
                         : format[0] == 'd'               ? 16
                                                          : 1;
    built.buffers.push_back(some_bytes(input, format == "b" ? (rows + 7) / 8 : rows * width));
}

// A number of rows, or now and then one that cannot be.
int64_t some_rows(FuzzedDataProvider& input) {
    if (input.ConsumeIntegral<uint8_t>() != 1)
        return input.ConsumeIntegralInRange<int64_t>(0, kMostRows);
    return input.PickValueInArray<int64_t>({-1, INT64_MIN, INT64_MAX});
}

ArrowBuilder some_array(FuzzedDataProvider& input, bool may_have_parts) {
    static const char* const kFormats[] = {"u", "U", "z", "Z", "vu",  "vz",    "c", "C",
                                           "s", "S", "i", "I", "l",   "L",     "e", "f",
                                           "g", "b", "n", "",  "tdD", "d:9,0", "+r"};
    ArrowBuilder built;
    const bool is_table = may_have_parts && input.ConsumeBool();
    built.format = is_table ? "+s" : input.PickValueInArray(kFormats);
    built.name = input.ConsumeBytesAsString(input.ConsumeIntegralInRange<size_t>(0, 3));
    built.array.length = some_rows(input);
    built.array.offset = input.ConsumeBool() ? 0 : some_rows(input);
    built.array.null_count = input.ConsumeIntegralInRange<int64_t>(-2, kMostRows + 1);
    const auto within = [](int64_t rows) { return std::clamp<int64_t>(rows, 0, kMostRows); };
    const int64_t rows = within(built.array.length) + within(built.array.offset);
    add_buffers(input, static_cast<size_t>(rows), built);
    if (built.format == "+r") {
        for (int i = 0; i < 2; ++i) built.parts.push_back(some_array(input, false));
    } else if (is_table) {
        for (size_t i = input.ConsumeIntegralInRange<size_t>(0, 3); i > 0; --i) {
            built.parts.push_back(some_array(input, false));
        }
    } else if (input.ConsumeIntegral<uint8_t>() % 4 == 1) {
        built.parts.push_back(some_array(input, false));  // a dictionary
    }
    return built;
}

// Fills in the pointers, some of them wrong: nothing moves any more.
void seal(FuzzedDataProvider& input, ArrowBuilder& built) {
    built.seal(built.array.length, built.array.offset, built.array.null_count);
    for (const void*& pointer : built.pointers) {
        if (input.ConsumeIntegral<uint8_t>() == 1) pointer = nullptr;
    }
    if (!built.pointers.empty() && input.ConsumeBool()) built.pointers[0] = nullptr;
    // One too many, or one too few; but the last one tells how large those of views are.
    if (input.ConsumeIntegral<uint8_t>() == 1) {
        built.array.n_buffers += input.ConsumeBool() || built.format[0] == 'v' ? 1 : -1;
    }
    built.pointers.push_back(nullptr);
    built.array.buffers = built.pointers.data();
    for (ArrowBuilder& part : built.parts) seal(input, part);
    if (built.format == "+s" || built.format == "+r") {
        if (input.ConsumeIntegral<uint8_t>() == 1 && built.array.n_children > 0) {
            --built.array.n_children;
        }
    } else if (!built.parts.empty() && input.ConsumeIntegral<uint8_t>() == 1) {
        built.array.dictionary = nullptr;
    }
}

void read_numbers(const std::vector<Column>& chunks) {
    volatile double sum = 0;
    for (const Column& column : chunks) {
        for (size_t row = 0; row < column.rows(); ++row) {
            if (!column.is_null(row)) sum = sum + column.real(row);
        }
    }
}

void read_texts(const std::shared_ptr<const Table>& table, const std::vector<Column>& chunks,
                bool null_is_empty) {
    TextColumn column;
    const Outcome taken = TextColumn::make(table, chunks, null_is_empty, column);
    if (taken.status != Status::done) {
        REQUIRE(taken.status == Status::null && !null_is_empty);
        return;
    }
    bool are_valid = true;
    for (size_t i = 0; i < column.size(); ++i) are_valid = are_valid && is_utf8(column[i]);
    DecodedTexts decoded;
    const Outcome outcome = decode_texts(column, 1, decoded);
    REQUIRE((outcome.status == Status::done) == are_valid);
    if (!are_valid) return;
    REQUIRE(decoded.texts.size() == column.size());
    for (size_t i = 0; i < column.size(); ++i) {
        REQUIRE(decoded.texts[i].length == measure_utf8(column[i]).characters);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    FuzzedDataProvider input(data, size);
    const bool null_is_empty = input.ConsumeBool();
    ArrowBuilder built = some_array(input, true);
    seal(input, built);
    const auto table = std::make_shared<Table>();
    if (!Table::read(built.schema, built.array, *table).empty()) return 0;
    for (size_t i = 0; i < (table->is_table() ? table->names().size() : 1); ++i) {
        std::vector<Column> chunks;
        if (!table->column(i, chunks).empty()) continue;
        switch (chunks.front().kind()) {
            case ValueKind::text:
            case ValueKind::binary: read_texts(table, chunks, null_is_empty); break;
            case ValueKind::null: break;
            default: read_numbers(chunks);
        }
    }
    ArrowRecords records;
    if (!table->is_table() || !ArrowRecords::make(table, records).empty()) return 0;
    TokenBatch batch;
    const Outcome outcome = records.append(0, records.rows(), size_t{1} << 20, batch);
    REQUIRE(outcome.status != Status::done || batch.documents() == records.rows());
    return 0;
}
