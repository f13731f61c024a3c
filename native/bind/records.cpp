#include "bind/records.h"

#include "bind/failure.h"
#include "bind/unicode.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

// Lists and dicts are read under an ft_object_guard. Without a GIL it does what the GIL does: no
// other thread changes them until Python code runs. With one it is nothing.

// A batch of this size stays in the second cache level from reading to hashing.
constexpr size_t kEnoughTokens = size_t{1} << 14;
constexpr size_t kEnoughBytes = size_t{1} << 19;

// Raises what str.encode raises.
[[noreturn]] void raise_encoding_error(PyObject* text) {
    const nb::object encoded = nb::steal(PyUnicode_AsEncodedString(text, "utf-8", "strict"));
    if (!encoded.is_valid()) throw nb::python_error();
    throw nb::value_error("a token cannot be encoded as UTF-8");
}

[[noreturn]] void raise_runtime_error(const char* text) {
    PyErr_SetString(PyExc_RuntimeError, text);
    throw nb::python_error();
}

inline void append_bytes(TokenBatch& batch, const void* bytes, size_t size) {
    if (!batch.append(bytes, size)) check({Status::too_many, batch.documents()});
}

// Bytes follow an object of plain ASCII: nothing has to be looked up.
inline void append_ascii(TokenBatch& batch, PyObject* text) {
    append_bytes(batch, reinterpret_cast<PyASCIIObject*>(text) + 1,
                 static_cast<size_t>(PyUnicode_GET_LENGTH(text)));
}

// The UTF-8 form of a str; false if it has a lone surrogate.
bool append_text(TokenBatch& batch, PyObject* text) {
    if (PyUnicode_IS_COMPACT_ASCII(text)) [[likely]] {
        append_ascii(batch, text);
        return true;
    }
    const Status status = append_utf8(batch, text);
    if (status == Status::surrogate) return false;
    check({status, batch.documents()});
    return true;
}

void append_name(TokenBatch& batch, PyObject* name) {
    if (PyUnicode_Check(name)) {
        if (!append_text(batch, name)) raise_encoding_error(name);
    } else if (PyBytes_Check(name)) {
        append_bytes(batch, PyBytes_AS_STRING(name), static_cast<size_t>(PyBytes_GET_SIZE(name)));
    } else {
        throw nb::type_error("feature names must be strings");
    }
}

// What "%s" shows of an object.
nb::object shown(PyObject* object) {
    if (PyUnicode_CheckExact(object)) return nb::borrow(object);
    nb::object text = nb::steal(PyObject_Str(object));
    if (!text.is_valid()) throw nb::python_error();
    return text;
}

// The token f"{name}={value}".
void append_category(TokenBatch& batch, PyObject* name, PyObject* value) {
    const nb::object left = shown(name), right = shown(value);
    const bool is_appended = append_text(batch, left.ptr()) &&
                             (append_bytes(batch, "=", 1), append_text(batch, right.ptr()));
    if (!is_appended) {
        const nb::object token = nb::steal(PyUnicode_FromFormat("%U=%U", left.ptr(), right.ptr()));
        if (!token.is_valid()) throw nb::python_error();
        raise_encoding_error(token.ptr());
    }
    batch.end_token(1);
}

void append_feature(TokenBatch& batch, PyObject* name, PyObject* value) {
    double weight;
    if (PyFloat_CheckExact(value)) {
        weight = PyFloat_AS_DOUBLE(value);
    } else if (PyUnicode_Check(value)) {
        append_category(batch, name, value);
        return;
    } else {
        weight = PyLong_CheckExact(value) ? PyLong_AsDouble(value) : PyFloat_AsDouble(value);
        if (weight == -1 && PyErr_Occurred()) throw nb::python_error();
    }
    if (weight == 0) return;
    if (PyUnicode_CheckExact(name) && PyUnicode_IS_COMPACT_ASCII(name)) [[likely]] {
        append_ascii(batch, name);
    } else {
        append_name(batch, name);
    }
    batch.end_token(weight);
}

// Whether reading a feature runs nothing but CPython's own code, which changes no record.
bool is_plain(PyObject* name, PyObject* value) {
    return PyUnicode_CheckExact(name) &&
           (PyFloat_CheckExact(value) || PyUnicode_CheckExact(value) || PyLong_CheckExact(value));
}

// What iterating over dict.items() gives, and raises where the dict is changed meanwhile.
void append_dict(TokenBatch& batch, PyObject* dict) {
    const nb::ft_object_guard guard(dict);
    const Py_ssize_t size = PyDict_GET_SIZE(dict);
    Py_ssize_t left = size;
    Py_ssize_t place = 0;
    PyObject *name, *value;
    while (PyDict_Next(dict, &place, &name, &value)) {
        if (left-- == 0) raise_runtime_error("dictionary keys changed during iteration");
        if (is_plain(name, value)) [[likely]] {
            append_feature(batch, name, value);
            continue;
        }
        const nb::object held_name = nb::borrow(name), held_value = nb::borrow(value);
        append_feature(batch, name, value);
        if (PyDict_GET_SIZE(dict) != size) {
            raise_runtime_error("dictionary changed size during iteration");
        }
    }
}

void append_pair(TokenBatch& batch, PyObject* pair) {
    if (PyTuple_Check(pair) && PyTuple_GET_SIZE(pair) == 2) [[likely]] {
        append_feature(batch, PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1));
        return;
    }
    const nb::object items = nb::steal(PySequence_Tuple(pair));
    if (!items.is_valid()) throw nb::python_error();
    const Py_ssize_t count = PyTuple_GET_SIZE(items.ptr());
    if (count != 2) {
        throw nb::value_error(count < 2 ? "expected (name, value) pairs, got fewer than 2 items"
                                        : "expected (name, value) pairs, got more than 2 items");
    }
    append_feature(batch, PyTuple_GET_ITEM(items.ptr(), 0), PyTuple_GET_ITEM(items.ptr(), 1));
}

inline void append_string(TokenBatch& batch, PyObject* name) {
    if (PyUnicode_CheckExact(name) && PyUnicode_IS_COMPACT_ASCII(name)) [[likely]] {
        append_ascii(batch, name);
    } else {
        append_name(batch, name);
    }
    batch.end_token(1);
}

// Calls append(batch, item) for all that an iterable gives. A list may change meanwhile. Of lists
// and tuples it may be asked for `most` items from `first` on.
template <class Append> void append_each(TokenBatch& batch, PyObject* items, Append append,
                                         size_t first = 0, size_t most = SIZE_MAX) {
    if (PyList_CheckExact(items)) {
        const nb::ft_object_guard guard(items);
        for (size_t i = first; i - first < most && i < static_cast<size_t>(PyList_GET_SIZE(items));
             ++i) {
            const nb::object item = nb::borrow(PyList_GET_ITEM(items, static_cast<Py_ssize_t>(i)));
            append(batch, item.ptr());
        }
        return;
    }
    if (PyTuple_CheckExact(items)) {
        for (size_t i = first; i - first < most && i < static_cast<size_t>(PyTuple_GET_SIZE(items));
             ++i) {
            append(batch, PyTuple_GET_ITEM(items, static_cast<Py_ssize_t>(i)));
        }
        return;
    }
    if (first != 0 || most != SIZE_MAX) throw nb::type_error("only lists and tuples have parts");
    const nb::object iterator = nb::steal(PyObject_GetIter(items));
    if (!iterator.is_valid()) throw nb::python_error();
    while (PyObject* item = PyIter_Next(iterator.ptr())) {
        const nb::object held = nb::steal(item);
        append(batch, item);
    }
    if (PyErr_Occurred()) throw nb::python_error();
}

// The items() of whatever has them.
void append_mapping(TokenBatch& batch, PyObject* record) {
    const nb::object method = nb::steal(PyObject_GetAttrString(record, "items"));
    if (!method.is_valid()) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw nb::python_error();
        PyErr_Clear();
        check({Status::not_record, batch.documents()});
    }
    const nb::object items = nb::steal(PyObject_CallNoArgs(method.ptr()));
    if (!items.is_valid()) throw nb::python_error();
    append_each(batch, items.ptr(), append_pair);
}

void append_record(TokenBatch& batch, PyObject* record, RecordKind kind) {
    switch (kind) {
        case RecordKind::dict:
            if (PyDict_CheckExact(record)) {
                append_dict(batch, record);
            } else {
                append_mapping(batch, record);
            }
            return;
        case RecordKind::pair: append_each(batch, record, append_pair); return;
        case RecordKind::string: append_each(batch, record, append_string); return;
    }
}

}  // namespace

void append_strings(TokenBatch& batch, nb::handle document, size_t first, size_t most) {
    try {
        append_each(batch, document.ptr(), append_string, first, most);
    } catch (...) {
        batch.drop_unfinished();
        throw;
    }
    batch.end_document();
}

void append_records(TokenBatch& batch, const nb::list& records, size_t first, RecordKind kind,
                    bool refuses_text) {
    const nb::ft_object_guard guard(records);
    for (auto i = static_cast<Py_ssize_t>(first); i < PyList_GET_SIZE(records.ptr()); ++i) {
        const nb::object record = nb::borrow(PyList_GET_ITEM(records.ptr(), i));
        if (refuses_text && (PyUnicode_Check(record.ptr()) || PyBytes_Check(record.ptr()))) {
            check({Status::not_record, batch.documents()});
        }
        try {
            append_record(batch, record.ptr(), kind);
        } catch (...) {
            batch.drop_unfinished();
            throw;
        }
        batch.end_document();
        if (batch.tokens() >= kEnoughTokens || batch.byte_count() >= kEnoughBytes) return;
    }
}

}  // namespace addhash::bind
