#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "arrow/column.h"
#include "tests/arrow_builder.h"
#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

TEST(columns_of_every_layout_hold_their_texts) {
    for (const std::string& format : kTextFormats) {
        for (const size_t count : {size_t{1}, size_t{7}, size_t{64}, size_t{301}}) {
            for (const size_t offset : {size_t{0}, size_t{1}, count - 1}) {
                const std::vector<std::string> texts = some_texts(count);
                const std::vector<bool> present = some_present(count);
                ArrowBuilder built;
                make_texts(built, format, texts, present, offset);
                make_exact(built);
                Column column;
                CHECK(read(built, column).empty());
                CHECK(column.rows() == count - offset);
                for (size_t i = 0; i < column.rows(); ++i) {
                    CHECK(column.is_null(i) == !present[offset + i]);
                    if (!column.is_null(i)) CHECK(column.bytes(i) == texts[offset + i]);
                }
            }
        }
    }
}

TEST(dictionaries_give_the_texts_of_their_places) {
    const std::vector<std::string> texts = some_texts(100);
    std::vector<bool> present = some_present(100);
    for (const char* format : {"c", "C", "s", "S", "i", "I", "l", "L"}) {
        ArrowBuilder values, places;
        make_texts(values, "u", texts, present, 0);
        const unsigned width = std::strchr("cC", format[0])   ? 1
                               : std::strchr("sS", format[0]) ? 2
                               : std::strchr("iI", format[0]) ? 4
                                                              : 8;
        const auto fill = [&](int64_t extra) {
            std::vector<uint8_t> indices;
            for (int64_t i = 0; i < 100; ++i) {
                const int64_t place = i == 42 ? extra : (i * 37) % 100;
                const auto* first = reinterpret_cast<const uint8_t*>(&place);
                indices.insert(indices.end(), first, first + width);
            }
            places.format = format;
            places.buffers = {{}, indices};
            places.seal(100, 0, 0);
            places.pointers[0] = nullptr;
            places.schema.dictionary = &values.schema;
            places.array.dictionary = &values.array;
        };
        fill(3);
        Column column;
        CHECK(read(places, column).empty());
        CHECK(column.kind() == ValueKind::text);
        for (size_t i = 0; i < 100; ++i) {
            const size_t place = i == 42 ? 3 : i * 37 % 100;
            CHECK(column.is_null(i) == !present[place]);
            if (!column.is_null(i)) CHECK(column.bytes(i) == texts[place]);
        }
        for (const int64_t hostile : {int64_t{100}, int64_t{-1}}) {
            fill(hostile);
            CHECK(!read(places, column).empty());
        }
        fill(3);
        places.array.dictionary = nullptr;
        CHECK(!read(places, column).empty());
    }
}

TEST(numbers_of_every_width_are_read) {
    const auto number = [](const char* format, auto value, double expected) {
        ArrowBuilder built;
        built.format = format;
        std::vector<uint8_t> values;
        append(values, decltype(value){});
        append(values, value);
        built.buffers = {{}, values};
        built.seal(1, 1, 0);
        built.pointers[0] = nullptr;
        Column column;
        CHECK(read(built, column).empty());
        CHECK(column.real(0) == expected);
    };
    number("c", int8_t{-5}, -5);
    number("C", uint8_t{250}, 250);
    number("s", int16_t{-300}, -300);
    number("S", uint16_t{60000}, 60000);
    number("i", int32_t{-70000}, -70000);
    number("I", uint32_t{4000000000}, 4e9);
    number("l", int64_t{-1} << 40, -0x1p40);
    number("L", uint64_t{1} << 63, 0x1p63);
    number("f", 1.5f, 1.5);
    number("g", -2.25, -2.25);
    number("e", uint16_t{0x3E00}, 1.5);
    number("e", uint16_t{0x8001}, -0x1p-24);
    number("e", uint16_t{0xFC00}, -HUGE_VAL);
}

TEST(decimals_without_fractions_are_whole_numbers) {
    const auto number = [](const char* format, std::vector<int64_t> words, bool is_read) {
        ArrowBuilder built;
        built.format = format;
        std::vector<uint8_t> values(words.size() * 8, 7);  // of a row that is left out
        for (const int64_t word : words) append(values, word);
        built.buffers = {{}, values};
        built.seal(1, 1, 0);
        built.pointers[0] = nullptr;
        Column column;
        CHECK(read(built, column).empty() == is_read);
        if (is_read) CHECK(column.kind() == ValueKind::integer && column.integer(0) == words[0]);
    };
    number("d:18,0,64", {-5}, true);
    number("d:38,0", {INT64_MAX, 0}, true);
    number("d:38,0,128", {INT64_MIN, -1}, true);
    number("d:76,0,256", {-1, -1, -1, -1}, true);
    number("d:38,0", {INT64_MIN, 0}, false);
    number("d:38,0", {5, -1}, false);
    number("d:38,0", {5, 1}, false);
    number("d:76,0,256", {5, 0, 0, 1}, false);
    for (const char* format : {"d:38,2", "d:38,-2", "d:38", "d:38,0,", "d:38,0,512", "d:"}) {
        number(format, {5, 0}, false);
    }
}

// Three runs of texts, the second of them null: rows 0 to 1, 2 to 5 and 6.
void make_runs(ArrowBuilder& built, const std::vector<int16_t>& ends, int64_t length,
               int64_t offset) {
    built.format = "+r";
    built.parts.resize(2);
    built.parts[0].format = "s";
    built.parts[0].buffers.resize(2);
    for (const int16_t end : ends) append(built.parts[0].buffers[1], end);
    built.parts[0].seal(static_cast<int64_t>(ends.size()), 0, 0);
    built.parts[0].pointers[0] = nullptr;
    make_texts(built.parts[1], "u", {"a", "b", "c"}, {true, false, true}, 0);
    built.seal(length, offset, 0);
}

TEST(runs_give_each_row_its_value) {
    for (int64_t offset = 0; offset <= 7; ++offset) {
        for (int64_t length = 0; length <= 7 - offset; ++length) {
            ArrowBuilder built;
            make_runs(built, {2, 6, 7}, length, offset);
            Column column;
            CHECK(read(built, column).empty());
            CHECK(column.kind() == ValueKind::text);
            for (size_t row = 0; row < column.rows(); ++row) {
                const size_t at = row + static_cast<size_t>(offset);
                CHECK(column.is_null(row) == (at >= 2 && at < 6));
                if (!column.is_null(row)) CHECK(column.bytes(row) == (at < 2 ? "a" : "c"));
            }
        }
    }
    Column column;
    for (const std::vector<int16_t>& ends : {{2, 6, 6},
                                             {2, 1, 7},
                                             {0, 2, 7},
                                             {-1, 2, 7},
                                             {2, 6},
                                             {2, 3, 4, 7},
                                             std::vector<int16_t>()}) {
        ArrowBuilder built;
        make_runs(built, ends, 7, 0);
        CHECK(!read(built, column).empty());
    }
    const auto refuses = [&](auto spoil) {
        ArrowBuilder built;
        make_runs(built, {2, 6, 7}, 7, 0);
        spoil(built);
        CHECK(!read(built, column).empty());
    };
    refuses([](ArrowBuilder& m) { m.array.n_children = 1; });
    refuses([](ArrowBuilder& m) { m.schema.n_children = 3; });
    refuses([](ArrowBuilder& m) { m.array.children = nullptr; });
    refuses([](ArrowBuilder& m) { m.schema.children = nullptr; });
    refuses([](ArrowBuilder& m) { m.part_arrays[1] = nullptr; });
    refuses([](ArrowBuilder& m) { m.part_schemas[0] = nullptr; });
    refuses([](ArrowBuilder& m) { m.array.n_buffers = 1; });
    refuses([](ArrowBuilder& m) { m.parts[0].schema.format = "f"; });
    refuses([](ArrowBuilder& m) { m.parts[1].schema.format = "+r"; });
    refuses([](ArrowBuilder& m) { m.schema.dictionary = &m.parts[1].schema; });
    refuses([](ArrowBuilder& m) { m.parts[0].array.length = -1; });
    refuses([](ArrowBuilder& m) { m.parts[1].array.length = 2; });
}

TEST(hostile_arrays_are_refused) {
    const auto refuses = [](const std::string& format, auto spoil) {
        ArrowBuilder built;
        make_texts(built, format, some_texts(20), std::vector<bool>(20, true), 0);
        spoil(built);
        Column column;
        CHECK(!Column::read(built.schema, built.array, 0, built.array.length, column).empty());
    };
    for (const std::string& format : kTextFormats) {
        refuses(format, [](ArrowBuilder& m) { m.array.length = -1; });
        refuses(format, [](ArrowBuilder& m) { m.array.length = INT64_MAX; });
        refuses(format, [](ArrowBuilder& m) { m.array.offset = -1; });
        refuses(format, [](ArrowBuilder& m) { m.array.offset = INT64_MAX; });
        refuses(format, [](ArrowBuilder& m) { m.array.null_count = -2; });
        refuses(format, [](ArrowBuilder& m) { m.array.null_count = 21; });
        refuses(format, [](ArrowBuilder& m) { m.array.null_count = 1, m.pointers[0] = nullptr; });
        refuses(format, [](ArrowBuilder& m) { m.array.n_buffers = 0; });
        refuses(format, [](ArrowBuilder& m) { m.array.n_buffers = 2; });
        refuses(format, [](ArrowBuilder& m) { m.array.n_buffers = -3; });
        refuses(format, [](ArrowBuilder& m) { m.array.buffers = nullptr; });
        refuses(format, [](ArrowBuilder& m) { m.pointers[1] = nullptr; });
        refuses(format, [](ArrowBuilder& m) { m.schema.format = nullptr; });
        refuses(format, [](ArrowBuilder& m) { m.schema.format = ""; });
        refuses(format, [](ArrowBuilder& m) { m.schema.format = "tdD"; });
        refuses(format, [](ArrowBuilder& m) { m.schema.format = "+l"; });
        refuses(format, [](ArrowBuilder& m) { m.schema.dictionary = &m.schema; });
        refuses(format, [](ArrowBuilder& m) { m.array.dictionary = &m.array; });
    }
    for (const std::string& format : {std::string("u"), std::string("U")}) {
        refuses(format, [](ArrowBuilder& m) { m.pointers[2] = nullptr; });
        refuses(format, [](ArrowBuilder& m) { m.array.n_buffers = 4; });
        // The highest byte of an offset.
        refuses(format, [&](ArrowBuilder& m) { m.buffers[1][(format == "u" ? 4 : 8) - 1] = 0x80; });
        refuses(format,
                [&](ArrowBuilder& m) { m.buffers[1][(format == "u" ? 4 : 8) * 6 - 1] = 0x7F; });
    }
    Column column;
    ArrowBuilder built;
    make_texts(built, "u", some_texts(20), std::vector<bool>(20, true), 0);
    CHECK(!Column::read(built.schema, built.array, -1, 5, column).empty());
    CHECK(!Column::read(built.schema, built.array, 18, 3, column).empty());
    CHECK(!Column::read(built.schema, built.array, INT64_MAX, INT64_MAX, column).empty());
    CHECK(!Column::read(built.schema, built.array, 5, -1, column).empty());
}

// Whatever is in a view, it is refused, or what it shows lies inside the buffers.
TEST(views_of_any_bytes_stay_inside_their_buffers) {
    std::mt19937 random(5);
    size_t accepted = 0, refused = 0;
    for (int round = 0; round < 20000; ++round) {
        ArrowBuilder built;
        make_texts(built, "vu", some_texts(12), std::vector<bool>(12, true), random() % 3);
        make_exact(built);
        for (unsigned i = random() % 4; i-- > 0;) {
            std::vector<uint8_t>& views = built.buffers[1];
            int32_t value = static_cast<int32_t>(random() % 2 ? random() : random() % 200);
            std::memcpy(views.data() + random() % (views.size() / 4) * 4, &value, 4);
        }
        if (random() % 8 == 0) {
            std::vector<uint8_t>& sizes = built.buffers.back();
            if (!sizes.empty()) sizes[random() % sizes.size()] |= 0x80;
            // A size that is too large cannot be told; a negative one can.
            bool has_large = false;
            for (size_t i = 0; i + 8 <= sizes.size(); i += 8) {
                int64_t size;
                std::memcpy(&size, sizes.data() + i, 8);
                has_large |= size > static_cast<int64_t>(built.buffers[2 + i / 8].size());
            }
            if (has_large) continue;
        }
        Column column;
        if (!read(built, column).empty()) {
            ++refused;
            continue;
        }
        ++accepted;
        uint32_t sum = 0;
        for (size_t i = 0; i < column.rows(); ++i) {
            for (const char c : column.bytes(i)) sum += static_cast<uint8_t>(c);
        }
        volatile uint32_t used = sum;
        static_cast<void>(used);
    }
    CHECK(accepted > 1000);
    CHECK(refused > 1000);
}
