#include "bind/token_batch.h"

#include "bind/failure.h"
#include "bind/unicode.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

// Raises what str.encode raises.
[[noreturn]] void raise_encoding_error(PyObject* text) {
    const nb::object encoded = nb::steal(PyUnicode_AsEncodedString(text, "utf-8", "strict"));
    if (!encoded.is_valid()) throw nb::python_error();
    throw nb::value_error("a token cannot be encoded as UTF-8");
}

// `text` is part of the document that is being appended.
void check_appended(Status status, const TokenBatch& batch, PyObject* text) {
    if (status == Status::surrogate) raise_encoding_error(text);
    check({status, batch.documents()});
}

void append_name(TokenBatch& batch, PyObject* name) {
    if (PyUnicode_Check(name)) {
        check_appended(append_utf8(batch, name), batch, name);
    } else if (PyBytes_Check(name)) {
        const auto size = static_cast<size_t>(PyBytes_GET_SIZE(name));
        uint8_t* out = batch.extend(size);
        if (out == nullptr) check_appended(Status::too_many, batch, name);
        std::memcpy(out, PyBytes_AS_STRING(name), size);
        batch.keep(size);
    } else {
        throw nb::type_error("feature names must be strings");
    }
}

// The token f"{name}={value}".
void append_category(TokenBatch& batch, PyObject* name, PyObject* value) {
    const nb::object shown = nb::steal(PyObject_Str(name));
    if (!shown.is_valid()) throw nb::python_error();
    const nb::object token = nb::steal(PyUnicode_FromFormat("%U=%U", shown.ptr(), value));
    if (!token.is_valid()) throw nb::python_error();
    check_appended(append_utf8(batch, token.ptr()), batch, token.ptr());
    batch.end_token(1);
}

void append_pair(TokenBatch& batch, PyObject* name, PyObject* value) {
    if (PyUnicode_Check(value)) {
        append_category(batch, name, value);
        return;
    }
    const double weight = PyFloat_AsDouble(value);
    if (weight == -1 && PyErr_Occurred()) throw nb::python_error();
    if (weight == 0) return;
    append_name(batch, name);
    batch.end_token(weight);
}

template <class Append>
void append_document(TokenBatch& batch, nb::handle document, Append append) {
    try {
        const nb::object items = nb::steal(PyObject_GetIter(document.ptr()));
        if (!items.is_valid()) throw nb::python_error();
        while (PyObject* item = PyIter_Next(items.ptr())) append(nb::steal(item));
        if (PyErr_Occurred()) throw nb::python_error();
    } catch (...) {
        batch.drop_unfinished();
        throw;
    }
    batch.end_document();
}

}  // namespace

void append_strings(TokenBatch& batch, nb::handle document) {
    append_document(batch, document, [&](const nb::object& token) {
        append_name(batch, token.ptr());
        batch.end_token(1);
    });
}

void append_pairs(TokenBatch& batch, nb::handle document) {
    append_document(batch, document, [&](const nb::object& pair) {
        if (PyTuple_Check(pair.ptr()) && PyTuple_GET_SIZE(pair.ptr()) == 2) {
            append_pair(batch, PyTuple_GET_ITEM(pair.ptr(), 0), PyTuple_GET_ITEM(pair.ptr(), 1));
            return;
        }
        const nb::object items = nb::steal(PySequence_Tuple(pair.ptr()));
        if (!items.is_valid()) throw nb::python_error();
        const Py_ssize_t count = PyTuple_GET_SIZE(items.ptr());
        if (count != 2) {
            throw nb::value_error(count < 2
                                      ? "expected (name, value) pairs, got fewer than 2 items"
                                      : "expected (name, value) pairs, got more than 2 items");
        }
        append_pair(batch, PyTuple_GET_ITEM(items.ptr(), 0), PyTuple_GET_ITEM(items.ptr(), 1));
    });
}

void register_token_batch(nb::module_& module) {
    nb::class_<TokenBatch>(module, "TokenBatch")
        .def(nb::init<>())
        .def("__len__", &TokenBatch::documents)
        .def_prop_ro("byte_count", &TokenBatch::byte_count)
        .def("append_strings", [](TokenBatch& b, nb::handle d) { append_strings(b, d); })
        .def("append_pairs", [](TokenBatch& b, nb::handle d) { append_pairs(b, d); });
}

}  // namespace addhash::bind
