#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "arrow/records.h"
#include "arrow/texts.h"
#include "tests/arrow_builder.h"
#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

TEST(texts_of_columns_are_decoded_by_any_number_of_threads) {
    const std::vector<std::string> texts = some_texts(1000);
    for (const std::string& format : kTextFormats) {
        ArrowBuilder built;
        make_texts(built, format, texts, std::vector<bool>(1000, true), 0);
        make_exact(built);
        auto table = std::make_shared<Table>();
        CHECK(Table::read(built.schema, built.array, *table).empty());
        std::vector<Column> chunks;
        CHECK(table->column(0, chunks).empty());
        TextColumn column;
        CHECK(TextColumn::make(table, chunks, false, column).status == Status::done);
        for (const size_t threads : {size_t{1}, size_t{3}}) {
            DecodedTexts decoded;
            CHECK(decode_texts(column, threads, decoded).status == Status::done);
            for (size_t i = 0; i < texts.size(); ++i) {
                const Text& text = decoded.texts[i];
                size_t at = 0;
                for (size_t j = 0; j < text.length; ++j) {
                    uint32_t c = 0;
                    std::memcpy(&c, static_cast<const uint8_t*>(text.data) + j * text.unit,
                                text.unit);
                    CHECK(c == slow_character(texts[i], at));
                }
                CHECK(at == texts[i].size());
                // ASCII is not copied.
                if (at == text.length && at > 0) CHECK(text.data == column[i].data());
            }
        }
    }
}

TEST(the_first_null_and_the_first_text_that_is_no_utf8_are_named) {
    std::vector<std::string> texts = some_texts(500);
    texts[333] = "\xFF", texts[444] = "\xC3";
    std::vector<bool> present(500, true);
    ArrowBuilder built;
    make_texts(built, "u", texts, present, 0);
    auto table = std::make_shared<Table>();
    CHECK(Table::read(built.schema, built.array, *table).empty());
    std::vector<Column> chunks;
    CHECK(table->column(0, chunks).empty());
    TextColumn column;
    TextColumn::make(table, chunks, false, column);
    DecodedTexts decoded;
    const Outcome outcome = decode_texts(column, 4, decoded);
    CHECK(outcome.status == Status::not_utf8 && outcome.position == 333);

    // A byte that begins no character is none, but not nothing.
    ArrowBuilder middles;
    make_texts(middles, "u", {"", "\x80", "\x80\x80"}, {true, true, true}, 0);
    auto bare = std::make_shared<Table>();
    CHECK(Table::read(middles.schema, middles.array, *bare).empty());
    CHECK(bare->column(0, chunks).empty());
    TextColumn::make(bare, chunks, false, column);
    const Outcome refused = decode_texts(column, 1, decoded);
    CHECK(refused.status == Status::not_utf8 && refused.position == 1);

    present[222] = present[223] = false;
    ArrowBuilder nulls;
    make_texts(nulls, "vu", some_texts(500), present, 0);
    auto other = std::make_shared<Table>();
    CHECK(Table::read(nulls.schema, nulls.array, *other).empty());
    chunks.clear();
    CHECK(other->column(0, chunks).empty());
    const Outcome missing = TextColumn::make(other, chunks, false, column);
    CHECK(missing.status == Status::null && missing.position == 222);
    CHECK(TextColumn::make(other, chunks, true, column).status == Status::done);
    CHECK(column.size() == 500 && column[222].empty());
}

TEST(rows_of_tables_become_the_tokens_of_their_values) {
    const size_t rows = 40;
    const std::vector<std::string> texts = some_texts(rows);
    const std::vector<bool> present = some_present(rows);
    ArrowBuilder text, number;
    make_texts(text, "vu", texts, present, 0);
    make_exact(text);
    number.format = "i";
    std::vector<uint8_t> values;
    for (size_t i = 0; i < rows; ++i) append(values, static_cast<int32_t>(i % 3) - 1);
    number.buffers = {{}, values};
    number.seal(static_cast<int64_t>(rows), 0, 0);
    number.pointers[0] = nullptr;
    text.schema.name = "t";
    number.schema.name = "n";
    ArrowSchema* schemas[] = {&text.schema, &number.schema};
    ArrowArray* arrays[] = {&text.array, &number.array};
    const void* no_buffer = nullptr;
    const auto records_of = [&](ArrowRecords& records) {
        ArrowSchema schema{};
        schema.format = "+s";
        schema.n_children = 2;
        schema.children = schemas;
        schema.release = [](ArrowSchema* s) { s->release = nullptr; };
        ArrowArray array{};
        array.length = static_cast<int64_t>(rows);
        array.n_buffers = 1;
        array.buffers = &no_buffer;
        array.n_children = 2;
        array.children = arrays;
        array.release = [](ArrowArray* a) { a->release = nullptr; };
        auto table = std::make_shared<Table>();
        CHECK(Table::read(schema, array, *table).empty());
        return ArrowRecords::make(table, records);
    };
    ArrowRecords records;
    CHECK(records_of(records).empty());
    for (const size_t first : {size_t{0}, size_t{7}, rows - 1, rows, rows + 5}) {
        for (const size_t most : {size_t{0}, size_t{1}, size_t{10}, SIZE_MAX}) {
            TokenBatch batch;
            CHECK(records.append(first, most, SIZE_MAX, batch).status == Status::done);
            CHECK(batch.documents() == std::min(most, rows - std::min(first, rows)));
            for (size_t i = 0; i < batch.documents(); ++i) {
                const size_t row = first + i;
                std::vector<std::pair<std::string, double>> expected, found;
                if (present[row]) expected.emplace_back("t=" + texts[row], 1);
                if (row % 3 != 1) expected.emplace_back("n", static_cast<double>(row % 3) - 1);
                for (size_t j = batch.token_start(i); j < batch.token_end(i); ++j) {
                    found.emplace_back(std::string(reinterpret_cast<const char*>(batch.bytes()) +
                                                       batch.starts()[j],
                                                   batch.ends()[j] - batch.starts()[j]),
                                       batch.weights()[j]);
                }
                CHECK(found == expected);
            }
        }
    }
    TokenBatch few;
    CHECK(records.append(0, rows, 10, few).status == Status::done);
    CHECK(few.documents() < rows && few.documents() > 0);
    text.schema.name = "\xFF";
    ArrowRecords refused;
    CHECK(!records_of(refused).empty());
    text.schema.name = "t";
    text.format = "vz";
    text.schema.format = text.format.c_str();
    CHECK(!records_of(refused).empty());
}
