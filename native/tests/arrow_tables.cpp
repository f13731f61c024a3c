#include <memory>
#include <string>
#include <vector>

#include "arrow/table.h"
#include "arrow/texts.h"
#include "tests/arrow_builder.h"
#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

// A stream of one table, twice, that may fail.
struct Source {
    ArrowBuilder column;
    ArrowSchema* child_schema;
    ArrowArray* child_array;
    const void* no_buffer = nullptr;
    int given = 0;
    int fails_at = -1;
    int64_t offset = 0;

    Source(const std::vector<std::string>& texts, const std::vector<bool>& present) {
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
            schema->release = [](ArrowSchema* x) {
                x->release = nullptr, ++ArrowBuilder::released;
            };
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
            array->release = [](ArrowArray* x) { x->release = nullptr, ++ArrowBuilder::released; };
            return 0;
        };
        made.get_last_error = [](ArrowArrayStream*) { return "no disk"; };
        made.release = [](ArrowArrayStream* x) { x->release = nullptr, ++ArrowBuilder::released; };
        return made;
    }
};

}  // namespace

TEST(tables_are_read_from_streams_and_given_back_once) {
    const std::vector<std::string> texts = some_texts(50);
    for (const int64_t offset : {int64_t{0}, int64_t{3}}) {
        Source source(texts, std::vector<bool>(50, true));
        source.offset = offset;
        ArrowBuilder::released = 0;
        {
            auto table = std::make_shared<Table>();
            ArrowArrayStream stream = source.stream();
            CHECK(Table::read(stream, *table).empty());
            CHECK(stream.release == nullptr);
            CHECK(table->is_table() && table->names() == std::vector<std::string>{"text"});
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
        CHECK(ArrowBuilder::released == 4);  // stream, schema, two arrays
    }
}

TEST(streams_that_fail_say_why) {
    for (const int at : {0, 1}) {
        Source source(some_texts(5), std::vector<bool>(5, true));
        source.fails_at = at;
        ArrowBuilder::released = 0;
        {
            Table table;
            ArrowArrayStream stream = source.stream();
            CHECK(Table::read(stream, table) == "its stream failed: no disk");
        }
        CHECK(ArrowBuilder::released == 2 + at);
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
