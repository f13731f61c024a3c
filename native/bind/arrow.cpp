// Arrow data for Python: capsules in, columns out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <limits>
#include <unordered_map>

#include "arrow/records.h"
#include "arrow/table.h"
#include "arrow/texts.h"
#include "bind/arrays.h"
#include "bind/failure.h"
#include "bind/interrupt.h"
#include "bind/module.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

nb::handle arrow_error;  // kept alive for ever

void check_arrow(const Problem& problem) {
    if (problem.empty()) return;
    const nb::object text = nb::steal(
        PyUnicode_DecodeUTF8(problem.data(), static_cast<Py_ssize_t>(problem.size()), "replace"));
    PyErr_SetObject(arrow_error.ptr(), text.ptr());
    throw nb::python_error();
}

template <class Struct> Struct& held_by(nb::handle capsule, const char* name) {
    void* held = PyCapsule_IsValid(capsule.ptr(), name) ? PyCapsule_GetPointer(capsule.ptr(), name)
                                                        : nullptr;
    if (held == nullptr) check_arrow("it is not a capsule of the name " + std::string(name));
    return *static_cast<Struct*>(held);
}

// The stream of a capsule, which is then empty: of several threads, one gets it.
ArrowArrayStream stream_of(nb::handle capsule) {
    auto& held = held_by<ArrowArrayStream>(capsule, "arrow_array_stream");
    const nb::ft_object_guard guard(capsule);
    const ArrowArrayStream taken = held;
    held.release = nullptr;
    return taken;
}

std::shared_ptr<Table> read_stream(nb::handle capsule) {
    auto table = std::make_shared<Table>();
    ArrowArrayStream stream = stream_of(capsule);
    Problem problem;
    {
        // Whoever makes the data may be waiting for the GIL in a thread of its own.
        const ReleasedGil released;
        problem = Table::read(stream, *table);
    }
    if (PyErr_Occurred()) throw nb::python_error();
    check_arrow(problem);
    return table;
}

std::shared_ptr<Table> read_array(nb::handle schema, nb::handle array) {
    auto table = std::make_shared<Table>();
    const nb::ft_object2_guard guard(schema, array);
    check_arrow(Table::read(held_by<ArrowSchema>(schema, "arrow_schema"),
                            held_by<ArrowArray>(array, "arrow_array"), *table));
    return table;
}

nb::object text_of(std::string_view bytes, const char* errors) {
    nb::object text = nb::steal(
        PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), errors));
    if (!text.is_valid()) throw nb::python_error();
    return text;
}

// None for a single column.
nb::object names_of(const Table& table) {
    if (!table.is_table()) return nb::none();
    nb::list names;
    for (const std::string& name : table.names()) names.append(text_of(name, "replace"));
    return names;
}

std::vector<Column> chunks_of(const Table& table, size_t number) {
    if (number >= (table.is_table() ? table.names().size() : 1)) throw nb::index_error("column");
    std::vector<Column> chunks;
    Problem problem;
    {
        const ReleasedGil released;
        problem = table.column(number, chunks);
    }
    check_arrow(problem);
    return chunks;
}

const char* kind_of(const Table& table, size_t number) {
    switch (chunks_of(table, number).front().kind()) {
        case ValueKind::null: return "null";
        case ValueKind::boolean: return "boolean";
        case ValueKind::integer:
        case ValueKind::natural: return "integer";
        case ValueKind::real: return "real";
        case ValueKind::text: return "text";
        case ValueKind::binary: return "binary";
    }
    __builtin_unreachable();
}

TextColumn texts_of(const std::shared_ptr<Table>& table, size_t number, bool null_is_empty) {
    std::vector<Column> chunks = chunks_of(*table, number);
    TextColumn column;
    Outcome outcome;
    {
        const ReleasedGil released;
        outcome = TextColumn::make(table, std::move(chunks), null_is_empty, column);
    }
    check(outcome);
    return column;
}

template <class T, class Read>
nb::object array_of(const std::vector<Column>& chunks, size_t rows, Read read) {
    Buffer<T> made(rows);
    T* next = made.data();
    size_t before = 0;
    for (const Column& chunk : chunks) {
        for (size_t row = 0; row < chunk.rows(); ++row) {
            if (chunk.is_null(row)) check({Status::null, before + row});
            *next++ = read(chunk, row);
        }
        before += chunk.rows();
    }
    return nb::cast(made.to_array());
}

// Booleans, whole numbers or floats. A null is a Failure.
nb::object numbers_of(const Table& table, size_t number) {
    const std::vector<Column> chunks = chunks_of(table, number);
    switch (chunks.front().kind()) {
        case ValueKind::boolean:
            return array_of<bool>(chunks, table.rows(),
                                  [](const Column& c, size_t i) { return c.integer(i) != 0; });
        case ValueKind::integer:
            return array_of<int64_t>(chunks, table.rows(),
                                     [](const Column& c, size_t i) { return c.integer(i); });
        case ValueKind::natural:
            return array_of<uint64_t>(chunks, table.rows(), [](const Column& c, size_t i) {
                return static_cast<uint64_t>(c.integer(i));
            });
        case ValueKind::real:
            return array_of<double>(chunks, table.rows(),
                                    [](const Column& c, size_t i) { return c.real(i); });
        default: check_arrow("it holds no numbers");
    }
    return nb::none();
}

nb::object item_of(const TextColumn& column, Py_ssize_t i) {
    const auto size = static_cast<Py_ssize_t>(column.size());
    if (i < -size || i >= size) throw nb::index_error("there is no such text");
    const std::string_view bytes = column[static_cast<size_t>(i < 0 ? i + size : i)];
    return column.is_binary() ? nb::bytes(bytes.data(), bytes.size()) : text_of(bytes, "strict");
}

// The different texts in the order in which they come first, and the number of each row's.
nb::object numbered(const TextColumn& column) {
    Buffer<int64_t> numbers(column.size());
    std::unordered_map<std::string_view, int64_t> known;
    std::vector<std::string_view> ordered;
    {
        const ReleasedGil released;
        for (size_t i = 0; i < column.size(); ++i) {
            const auto [place, is_new] =
                known.emplace(column[i], static_cast<int64_t>(ordered.size()));
            if (is_new) ordered.push_back(place->first);
            numbers.data()[i] = place->second;
        }
    }
    nb::list texts;
    for (const std::string_view text : ordered) texts.append(text_of(text, "strict"));
    return nb::make_tuple(texts, numbers.to_array());
}

ArrowRecords records_of(const std::shared_ptr<Table>& table) {
    ArrowRecords records;
    Problem problem;
    {
        const ReleasedGil released;
        problem = ArrowRecords::make(table, records);
    }
    check_arrow(problem);
    return records;
}

TokenBatch record_batch(const ArrowRecords& records, size_t first, size_t most, size_t most_bytes) {
    TokenBatch batch;
    Outcome outcome;
    {
        const ReleasedGil released;
        outcome = records.append(first, most, most_bytes, batch);
    }
    check(outcome);
    return batch;
}

// Vectors go out as lists of one size, whose numbers stay where they are.

using Matrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

const char* format_of(const Matrix& matrix) {
    const auto is = [&](nb::dlpack::dtype_code code, unsigned bits) {
        return matrix.dtype().code == static_cast<uint8_t>(code) && matrix.dtype().bits == bits;
    };
    if (is(nb::dlpack::dtype_code::Float, 16)) return "e";
    if (is(nb::dlpack::dtype_code::Float, 32)) return "f";
    if (is(nb::dlpack::dtype_code::Float, 64)) return "g";
    if (is(nb::dlpack::dtype_code::Int, 8)) return "c";
    if (is(nb::dlpack::dtype_code::Int, 16)) return "s";
    if (is(nb::dlpack::dtype_code::Int, 32)) return "i";
    if (is(nb::dlpack::dtype_code::Int, 64)) return "l";
    if (is(nb::dlpack::dtype_code::UInt, 8)) return "C";
    throw nb::type_error("vectors must be of floats, of signed integers, or of bytes");
}

template <class Struct> void release_child(Struct& child) {
    if (child.release != nullptr) child.release(&child);
}

struct ExportedSchema {
    std::string format;
    ArrowSchema child{};
    ArrowSchema* children[1] = {&child};
};

struct ExportedNumbers {
    Matrix matrix;
    const void* buffers[2];
};

struct ExportedLists {
    ArrowArray child{};
    ArrowArray* children[1] = {&child};
    const void* buffers[1] = {nullptr};
};

void export_schema(const Matrix& matrix, ArrowSchema& schema) {
    auto own = std::make_unique<ExportedSchema>();
    own->format = "+w:" + std::to_string(matrix.shape(1));
    own->child.format = format_of(matrix);
    own->child.name = "item";
    own->child.flags = 2;  // it may hold nulls, as far as the type goes
    own->child.release = [](ArrowSchema* s) { s->release = nullptr; };
    schema = {};
    schema.format = own->format.c_str();
    schema.name = "";
    schema.n_children = 1;
    schema.children = own->children;
    schema.private_data = own.release();
    schema.release = [](ArrowSchema* s) {
        auto* held = static_cast<ExportedSchema*>(s->private_data);
        release_child(held->child);
        delete held;
        s->release = nullptr;
    };
}

void export_lists(const Matrix& matrix, ArrowArray& array) {
    auto own = std::make_unique<ExportedLists>();
    auto numbers = std::make_unique<ExportedNumbers>(ExportedNumbers{matrix, {}});
    numbers->buffers[1] = matrix.data();
    own->child.length = static_cast<int64_t>(matrix.shape(0) * matrix.shape(1));
    own->child.n_buffers = 2;
    own->child.buffers = numbers->buffers;
    own->child.private_data = numbers.release();
    own->child.release = [](ArrowArray* a) {
        a->release = nullptr;
        // Once Python has ended there is nothing to give back to.
        if (!Py_IsInitialized()) return;
        const nb::gil_scoped_acquire acquire;
        delete static_cast<ExportedNumbers*>(a->private_data);
    };
    array = {};
    array.length = static_cast<int64_t>(matrix.shape(0));
    array.n_buffers = 1;
    array.buffers = own->buffers;
    array.n_children = 1;
    array.children = own->children;
    array.private_data = own.release();
    array.release = [](ArrowArray* a) {
        auto* held = static_cast<ExportedLists*>(a->private_data);
        release_child(held->child);
        delete held;
        a->release = nullptr;
    };
}

template <class Struct> void release_in(PyObject* capsule, const char* name) {
    auto* held = static_cast<Struct*>(PyCapsule_GetPointer(capsule, name));
    if (held->release != nullptr) held->release(held);
    delete held;
}

// (schema, array), as capsules.
nb::object export_matrix(const Matrix& matrix) {
    auto schema = std::make_unique<ArrowSchema>();
    export_schema(matrix, *schema);
    const nb::object schema_capsule =
        nb::steal(PyCapsule_New(schema.release(), "arrow_schema",
                                [](PyObject* c) { release_in<ArrowSchema>(c, "arrow_schema"); }));
    auto array = std::make_unique<ArrowArray>();
    export_lists(matrix, *array);
    const nb::object array_capsule =
        nb::steal(PyCapsule_New(array.release(), "arrow_array",
                                [](PyObject* c) { release_in<ArrowArray>(c, "arrow_array"); }));
    return nb::make_tuple(schema_capsule, array_capsule);
}

}  // namespace

void register_arrow(nb::module_& module) {
    arrow_error = PyErr_NewException("addhash._native.ArrowError", PyExc_ValueError, nullptr);
    if (!arrow_error.is_valid()) throw nb::python_error();
    module.attr("ArrowError") = arrow_error;
    nb::class_<Table>(module, "ArrowTable")
        .def_static("of_stream", read_stream, nb::arg("stream"))
        .def_static("of_array", read_array, nb::arg("schema"), nb::arg("array"))
        .def("__len__", &Table::rows)
        .def_prop_ro("names", names_of)
        .def("kind", kind_of, nb::arg("number"))
        .def("texts", texts_of, nb::arg("number"), nb::arg("null_is_empty"))
        .def("numbers", numbers_of, nb::arg("number"))
        .def("records", records_of);
    nb::class_<ArrowRecords>(module, "ArrowRecords")
        .def("__len__", &ArrowRecords::rows)
        .def("batch", record_batch, nb::arg("first"), nb::arg("most"), nb::arg("most_bytes"));
    nb::class_<TextColumn>(module, "TextColumn")
        .def("__len__", &TextColumn::size)
        .def("__getitem__", item_of)
        .def("__iter__", [](nb::handle self) { return nb::steal(PySeqIter_New(self.ptr())); })
        .def_prop_ro("is_binary", &TextColumn::is_binary)
        .def("slice", &TextColumn::slice, nb::arg("first"), nb::arg("size"))
        .def("fitting", &TextColumn::fitting, nb::arg("first"), nb::arg("most"),
             nb::arg("most_bytes"))
        .def("numbered", numbered);
    module.def("export_matrix", export_matrix, nb::arg("matrix"));
}

}  // namespace addhash::bind
