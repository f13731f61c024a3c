#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "arrow/records.h"
#include "arrow/table.h"
#include "arrow/texts.h"
#include "tests/check.h"
#include "tests/support.h"
#include "unicode/utf8.h"

using namespace addhash;
using namespace addhash::test;

namespace {

using Strings = std::vector<std::string>;

int released = 0;

// An array of any layout that owns its buffers; what is handed out refers to them.
struct Made {
    std::string format;
    std::vector<std::vector<uint8_t>> buffers;
    std::vector<const void*> pointers;
    ArrowSchema schema{};
    ArrowArray array{};

    void seal(int64_t length, int64_t offset, int64_t nulls) {
        pointers.clear();
        for (const auto& buffer : buffers) pointers.push_back(buffer.data());
        schema = {};
        schema.format = format.c_str();
        schema.name = "text";
        schema.release = [](ArrowSchema* s) { s->release = nullptr, ++released; };
        array = {};
        array.length = length;
        array.offset = offset;
        array.null_count = nulls;
        array.n_buffers = static_cast<int64_t>(pointers.size());
        array.buffers = pointers.data();
        array.release = [](ArrowArray* a) { a->release = nullptr, ++released; };
    }
};

template <class T> void append(std::vector<uint8_t>& bytes, T value) {
    const auto* first = reinterpret_cast<const uint8_t*>(&value);
    bytes.insert(bytes.end(), first, first + sizeof value);
}

std::vector<uint8_t> bits_of(const std::vector<bool>& present) {
    std::vector<uint8_t> bits(present.size() / 8 + 1);
    for (size_t i = 0; i < present.size(); ++i)
        bits[i / 8] |= static_cast<uint8_t>(present[i] << i % 8);
    return bits;
}

// Texts, the first `offset` of which are left out; those that are not present are null.
void make_texts(Made& made, const std::string& format, const Strings& texts,
                const std::vector<bool>& present, size_t offset) {
    made.format = format;
    std::vector<uint8_t> values, data, sizes;
    std::vector<std::vector<uint8_t>> longs;
    const bool is_view = format[0] == 'v', is_wide = format == "U" || format == "Z";
    if (!is_view && is_wide) append(values, int64_t{0});
    if (!is_view && !is_wide) append(values, int32_t{0});
    for (const std::string& text : texts) {
        const auto length = static_cast<int32_t>(text.size());
        if (!is_view) {
            data.insert(data.end(), text.begin(), text.end());
            is_wide ? append(values, static_cast<int64_t>(data.size()))
                    : append(values, static_cast<int32_t>(data.size()));
            continue;
        }
        append(values, length);
        if (text.size() <= 12) {
            values.insert(values.end(), text.begin(), text.end());
            values.resize(values.size() + 12 - text.size());
            continue;
        }
        values.insert(values.end(), text.begin(), text.begin() + 4);
        if (longs.empty() || longs.back().size() > 100) longs.emplace_back();
        append(values, static_cast<int32_t>(longs.size() - 1));
        append(values, static_cast<int32_t>(longs.back().size()));
        longs.back().insert(longs.back().end(), text.begin(), text.end());
    }
    made.buffers = {bits_of(present), values};
    if (!is_view) made.buffers.push_back(data);
    for (const auto& buffer : longs) append(sizes, static_cast<int64_t>(buffer.size()));
    if (is_view) {
        made.buffers.insert(made.buffers.end(), longs.begin(), longs.end());
        made.buffers.push_back(sizes);
    }
    made.seal(static_cast<int64_t>(texts.size() - offset), static_cast<int64_t>(offset), -1);
}

// Exact allocations: the address sanitizer sees a step past them.
void make_exact(Made& made) {
    for (auto& buffer : made.buffers) buffer.shrink_to_fit();
    made.seal(made.array.length, made.array.offset, made.array.null_count);
}

Problem read(const Made& made, Column& column) {
    return Column::read(made.schema, made.array, 0, made.array.length, column);
}

Strings some_texts(size_t count) {
    const Strings pieces{"",
                         "a",
                         "hello ",
                         "\xC3\xA9",
                         "\xE6\x97\xA5\xE6\x9C\xAC",
                         "\xF0\x9F\x98\x80",
                         "\n",
                         "ASCII",
                         "\xCE\xA3",
                         "a longer piece of text "};
    std::mt19937 random(7);
    Strings texts(count);
    for (std::string& text : texts) {
        for (size_t i = random() % 5; i-- > 0;) text += pieces[random() % pieces.size()];
    }
    return texts;
}

std::vector<bool> some_present(size_t count) {
    std::mt19937 random(11);
    std::vector<bool> present(count);
    for (size_t i = 0; i < count; ++i) present[i] = random() % 4 != 0;
    return present;
}

const std::vector<std::string> kTextFormats{"u", "U", "vu", "z", "Z", "vz"};

// One character at a time, by the definition; -1 for what is no character.
int64_t slow_character(const std::string& text, size_t& at) {
    const auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0; };
    const uint8_t lead = byte(at);
    const size_t size = lead < 0x80       ? 1
                        : lead >> 5 == 6  ? 2
                        : lead >> 4 == 14 ? 3
                        : lead >> 3 == 30 ? 4
                                          : 0;
    if (size == 0) return -1;
    int64_t c = size == 1 ? lead : lead & (0xFF >> (size + 1));
    for (size_t i = 1; i < size; ++i) {
        if (byte(at + i) >> 6 != 2) return -1;
        c = c << 6 | (byte(at + i) & 0x3F);
    }
    const int64_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (c < least[size] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return -1;
    at += size;
    return c;
}

void check_utf8(const std::string& text) {
    std::vector<int64_t> expected;
    int64_t highest = 0;
    bool is_valid = true;
    for (size_t at = 0; at < text.size();) {
        const int64_t c = slow_character(text, at);
        if (c < 0) {
            is_valid = false;
            break;
        }
        highest = std::max(highest, c);
        expected.push_back(c);
    }
    const std::vector<char> exact(text.begin(), text.end());
    const std::string_view view(exact.data(), exact.size());
    const Utf8Size size = measure_utf8(view);
    CHECK(is_utf8(view) == is_valid);
    std::vector<uint8_t> out((size.characters + kDecodeSlack) * size.unit);
    CHECK(decode_utf8(view, size.unit, out.data()) == is_valid);
    if (!is_valid) return;
    CHECK(size.characters == expected.size());
    CHECK(size.unit == (highest < 0x100 ? 1u : highest < 0x10000 ? 2u : 4u));
    CHECK(size.is_ascii == (highest < 0x80));
    for (size_t i = 0; i < expected.size(); ++i) {
        uint32_t c = 0;
        std::memcpy(&c, out.data() + i * size.unit, size.unit);
        CHECK(c == expected[i]);
    }
}

}  // namespace

TEST(utf8_is_decoded_as_the_definition_says) {
    for (const std::string& text : some_texts(300)) check_utf8(text);
    std::mt19937 random(3);
    const uint8_t edges[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF,
                             0xC0, 0xC1, 0xC2, 0xC3, 0xC4, 0xDF, 0xE0, 0xE1, 0xED,
                             0xEE, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xF8, 0xFF};
    for (int round = 0; round < 200000; ++round) {
        std::string text(random() % (round % 50 == 0 ? 400 : 12), 'x');
        for (char& c : text) {
            if (random() % 4 != 0) c = static_cast<char>(edges[random() % std::size(edges)]);
        }
        check_utf8(text);
    }
}

TEST(columns_of_every_layout_hold_their_texts) {
    for (const std::string& format : kTextFormats) {
        for (const size_t count : {size_t{1}, size_t{7}, size_t{64}, size_t{301}}) {
            for (const size_t offset : {size_t{0}, size_t{1}, count - 1}) {
                const Strings texts = some_texts(count);
                const std::vector<bool> present = some_present(count);
                Made made;
                make_texts(made, format, texts, present, offset);
                make_exact(made);
                Column column;
                CHECK(read(made, column).empty());
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
    const Strings texts = some_texts(100);
    std::vector<bool> present = some_present(100);
    for (const char* format : {"c", "C", "s", "S", "i", "I", "l", "L"}) {
        Made values, places;
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
        Made made;
        made.format = format;
        std::vector<uint8_t> values;
        append(values, decltype(value){});
        append(values, value);
        made.buffers = {{}, values};
        made.seal(1, 1, 0);
        made.pointers[0] = nullptr;
        Column column;
        CHECK(read(made, column).empty());
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

TEST(hostile_arrays_are_refused) {
    const auto refuses = [](const std::string& format, auto spoil) {
        Made made;
        make_texts(made, format, some_texts(20), std::vector<bool>(20, true), 0);
        spoil(made);
        Column column;
        CHECK(!Column::read(made.schema, made.array, 0, made.array.length, column).empty());
    };
    for (const std::string& format : kTextFormats) {
        refuses(format, [](Made& m) { m.array.length = -1; });
        refuses(format, [](Made& m) { m.array.length = INT64_MAX; });
        refuses(format, [](Made& m) { m.array.offset = -1; });
        refuses(format, [](Made& m) { m.array.offset = INT64_MAX; });
        refuses(format, [](Made& m) { m.array.null_count = -2; });
        refuses(format, [](Made& m) { m.array.null_count = 21; });
        refuses(format, [](Made& m) { m.array.null_count = 1, m.pointers[0] = nullptr; });
        refuses(format, [](Made& m) { m.array.n_buffers = 0; });
        refuses(format, [](Made& m) { m.array.n_buffers = 2; });
        refuses(format, [](Made& m) { m.array.n_buffers = -3; });
        refuses(format, [](Made& m) { m.array.buffers = nullptr; });
        refuses(format, [](Made& m) { m.pointers[1] = nullptr; });
        refuses(format, [](Made& m) { m.schema.format = nullptr; });
        refuses(format, [](Made& m) { m.schema.format = ""; });
        refuses(format, [](Made& m) { m.schema.format = "tdD"; });
        refuses(format, [](Made& m) { m.schema.format = "+l"; });
        refuses(format, [](Made& m) { m.schema.dictionary = &m.schema; });
        refuses(format, [](Made& m) { m.array.dictionary = &m.array; });
    }
    for (const std::string& format : {std::string("u"), std::string("U")}) {
        refuses(format, [](Made& m) { m.pointers[2] = nullptr; });
        refuses(format, [](Made& m) { m.array.n_buffers = 4; });
        // The highest byte of an offset.
        refuses(format, [&](Made& m) { m.buffers[1][(format == "u" ? 4 : 8) - 1] = 0x80; });
        refuses(format, [&](Made& m) { m.buffers[1][(format == "u" ? 4 : 8) * 6 - 1] = 0x7F; });
    }
    Column column;
    Made made;
    make_texts(made, "u", some_texts(20), std::vector<bool>(20, true), 0);
    CHECK(!Column::read(made.schema, made.array, -1, 5, column).empty());
    CHECK(!Column::read(made.schema, made.array, 18, 3, column).empty());
    CHECK(!Column::read(made.schema, made.array, INT64_MAX, INT64_MAX, column).empty());
    CHECK(!Column::read(made.schema, made.array, 5, -1, column).empty());
}

// Whatever is in a view, it is refused, or what it shows lies inside the buffers.
TEST(views_of_any_bytes_stay_inside_their_buffers) {
    std::mt19937 random(5);
    size_t accepted = 0, refused = 0;
    for (int round = 0; round < 20000; ++round) {
        Made made;
        make_texts(made, "vu", some_texts(12), std::vector<bool>(12, true), random() % 3);
        make_exact(made);
        for (unsigned i = random() % 4; i-- > 0;) {
            std::vector<uint8_t>& views = made.buffers[1];
            int32_t value = static_cast<int32_t>(random() % 2 ? random() : random() % 200);
            std::memcpy(views.data() + random() % (views.size() / 4) * 4, &value, 4);
        }
        if (random() % 8 == 0) {
            std::vector<uint8_t>& sizes = made.buffers.back();
            if (!sizes.empty()) sizes[random() % sizes.size()] |= 0x80;
            // A size that is too large cannot be told; a negative one can.
            bool has_large = false;
            for (size_t i = 0; i + 8 <= sizes.size(); i += 8) {
                int64_t size;
                std::memcpy(&size, sizes.data() + i, 8);
                has_large |= size > static_cast<int64_t>(made.buffers[2 + i / 8].size());
            }
            if (has_large) continue;
        }
        Column column;
        if (!read(made, column).empty()) {
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

namespace {

// A stream of one table, twice, that may fail.
struct Source {
    Made column;
    ArrowSchema* child_schema;
    ArrowArray* child_array;
    const void* no_buffer = nullptr;
    int given = 0;
    int fails_at = -1;
    int64_t offset = 0;

    Source(const Strings& texts, const std::vector<bool>& present) {
        make_texts(column, "u", texts, present, 0);
        child_schema = &column.schema;
        child_array = &column.array;
    }

    ArrowArrayStream stream() {
        ArrowArrayStream made{};
        made.private_data = this;
        made.get_schema = [](ArrowArrayStream* s, ArrowSchema* schema) {
            auto& self = *static_cast<Source*>(s->private_data);
            *schema = {};
            schema->format = "+s";
            schema->n_children = 1;
            schema->children = &self.child_schema;
            schema->release = [](ArrowSchema* x) { x->release = nullptr, ++released; };
            return 0;
        };
        made.get_next = [](ArrowArrayStream* s, ArrowArray* array) {
            auto& self = *static_cast<Source*>(s->private_data);
            if (self.given == self.fails_at) return 5;
            *array = {};
            if (self.given++ == 2) return 0;
            array->length = self.column.array.length - self.offset;
            array->offset = self.offset;
            array->n_buffers = 1;
            array->buffers = &self.no_buffer;
            array->n_children = 1;
            array->children = &self.child_array;
            array->release = [](ArrowArray* x) { x->release = nullptr, ++released; };
            return 0;
        };
        made.get_last_error = [](ArrowArrayStream*) { return "no disk"; };
        made.release = [](ArrowArrayStream* x) { x->release = nullptr, ++released; };
        return made;
    }
};

}  // namespace

TEST(tables_are_read_from_streams_and_given_back_once) {
    const Strings texts = some_texts(50);
    for (const int64_t offset : {int64_t{0}, int64_t{3}}) {
        Source source(texts, std::vector<bool>(50, true));
        source.offset = offset;
        released = 0;
        {
            auto table = std::make_shared<Table>();
            ArrowArrayStream stream = source.stream();
            CHECK(Table::read(stream, *table).empty());
            CHECK(stream.release == nullptr);
            CHECK(table->is_table() && table->names() == Strings{"text"});
            const size_t half = 50 - static_cast<size_t>(offset);
            CHECK(table->rows() == 2 * half);
            std::vector<Column> chunks;
            CHECK(table->column(0, chunks).empty());
            TextColumn column;
            CHECK(TextColumn::make(table, chunks, false, column).status == Status::done);
            CHECK(column.size() == 2 * half);
            for (size_t i = 0; i < column.size(); ++i) {
                CHECK(column[i] == texts[i % half + static_cast<size_t>(offset)]);
            }
            const TextColumn part = column.slice(half - 2, 5);
            CHECK(part.size() == 5 && part[2] == column[half]);
            CHECK(column.slice(2 * half, 3).size() == 0 &&
                  column.slice(2 * half + 9, 3).size() == 0);
            CHECK(part.fitting(0, 100, SIZE_MAX) == 5 && part.fitting(0, 2, SIZE_MAX) == 2);
            CHECK(part.fitting(0, 100, 0) >= 1 && part.fitting(5, 100, 9) == 0);
        }
        CHECK(released == 4);  // stream, schema, two arrays
    }
}

TEST(streams_that_fail_say_why) {
    for (const int at : {0, 1}) {
        Source source(some_texts(5), std::vector<bool>(5, true));
        source.fails_at = at;
        released = 0;
        {
            Table table;
            ArrowArrayStream stream = source.stream();
            CHECK(Table::read(stream, table) == "its stream failed: no disk");
        }
        CHECK(released == 2 + at);
    }
}

TEST(hostile_tables_are_refused) {
    const auto refuses = [](auto spoil) {
        Source source(some_texts(5), std::vector<bool>(5, true));
        ArrowArrayStream stream = source.stream();
        ArrowSchema schema;
        ArrowArray array;
        stream.get_schema(&stream, &schema);
        stream.get_next(&stream, &array);
        spoil(schema, array);
        Table table;
        std::vector<Column> chunks;
        Problem problem = Table::read(schema, array, table);
        if (problem.empty()) problem = table.column(0, chunks);
        CHECK(!problem.empty());
    };
    static ArrowArray* no_array = nullptr;
    static ArrowSchema* no_schema = nullptr;
    static const uint8_t one_null = 0xFE;
    static const void* nulls = &one_null;
    refuses([](ArrowSchema& s, ArrowArray&) { s.release = nullptr; });
    refuses([](ArrowSchema&, ArrowArray& a) { a.release = nullptr; });
    refuses([](ArrowSchema& s, ArrowArray&) { s.n_children = -1; });
    refuses([](ArrowSchema& s, ArrowArray&) { s.n_children = INT64_MAX; });
    refuses([](ArrowSchema& s, ArrowArray&) { s.children = nullptr; });
    refuses([](ArrowSchema& s, ArrowArray&) { s.children = &no_schema; });
    refuses([](ArrowSchema&, ArrowArray& a) { a.n_children = 0; });
    refuses([](ArrowSchema&, ArrowArray& a) { a.n_children = 2; });
    refuses([](ArrowSchema&, ArrowArray& a) { a.children = nullptr; });
    refuses([](ArrowSchema&, ArrowArray& a) { a.children = &no_array; });
    refuses([](ArrowSchema&, ArrowArray& a) { a.length = 6; });
    refuses([](ArrowSchema&, ArrowArray& a) { a.length = -1; });
    refuses([](ArrowSchema&, ArrowArray& a) { a.length = INT64_MAX; });
    refuses([](ArrowSchema&, ArrowArray& a) { a.offset = 1; });
    refuses([](ArrowSchema&, ArrowArray& a) { a.offset = -1; });
    refuses([](ArrowSchema&, ArrowArray& a) { a.offset = INT64_MAX; });
    refuses([](ArrowSchema&, ArrowArray& a) { a.n_buffers = 0; });
    refuses([](ArrowSchema&, ArrowArray& a) { a.buffers = nullptr; });
    refuses([](ArrowSchema&, ArrowArray& a) { a.buffers = &nulls, a.null_count = 1; });
    refuses([](ArrowSchema&, ArrowArray& a) { a.buffers = &nulls, a.null_count = -1; });
}

TEST(texts_of_columns_are_decoded_by_any_number_of_threads) {
    const Strings texts = some_texts(1000);
    const uint32_t irregular[] = {0x3A3};
    for (const std::string& format : kTextFormats) {
        Made made;
        make_texts(made, format, texts, std::vector<bool>(1000, true), 0);
        make_exact(made);
        auto table = std::make_shared<Table>();
        CHECK(Table::read(made.schema, made.array, *table).empty());
        std::vector<Column> chunks;
        CHECK(table->column(0, chunks).empty());
        TextColumn column;
        CHECK(TextColumn::make(table, chunks, false, column).status == Status::done);
        for (const size_t threads : {size_t{1}, size_t{3}}) {
            DecodedTexts decoded;
            CHECK(decode_texts(column, irregular, threads, decoded).status == Status::done);
            std::vector<size_t> found;
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
                if (texts[i].find("\xCE\xA3") != std::string::npos) found.push_back(i);
            }
            std::sort(decoded.irregular.begin(), decoded.irregular.end());
            CHECK(decoded.irregular == found && !found.empty());
        }
    }
}

TEST(the_first_null_and_the_first_text_that_is_no_utf8_are_named) {
    Strings texts = some_texts(500);
    texts[333] = "\xFF", texts[444] = "\xC3";
    std::vector<bool> present(500, true);
    Made made;
    make_texts(made, "u", texts, present, 0);
    auto table = std::make_shared<Table>();
    CHECK(Table::read(made.schema, made.array, *table).empty());
    std::vector<Column> chunks;
    CHECK(table->column(0, chunks).empty());
    TextColumn column;
    TextColumn::make(table, chunks, false, column);
    DecodedTexts decoded;
    const Outcome outcome = decode_texts(column, {}, 4, decoded);
    CHECK(outcome.status == Status::not_utf8 && outcome.position == 333);

    // A byte that begins no character is none, but not nothing.
    Made middles;
    make_texts(middles, "u", {"", "\x80", "\x80\x80"}, {true, true, true}, 0);
    auto bare = std::make_shared<Table>();
    CHECK(Table::read(middles.schema, middles.array, *bare).empty());
    CHECK(bare->column(0, chunks).empty());
    TextColumn::make(bare, chunks, false, column);
    const Outcome refused = decode_texts(column, {}, 1, decoded);
    CHECK(refused.status == Status::not_utf8 && refused.position == 1);

    present[222] = present[223] = false;
    Made nulls;
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
    const Strings texts = some_texts(rows);
    const std::vector<bool> present = some_present(rows);
    Made text, number;
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
    const auto records_of = [&](Records& records) {
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
        return Records::make(table, records);
    };
    Records records;
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
    Records refused;
    CHECK(!records_of(refused).empty());
    text.schema.name = "t";
    text.format = "vz";
    text.schema.format = text.format.c_str();
    CHECK(!records_of(refused).empty());
}
