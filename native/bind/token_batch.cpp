// Ready tokens for Python.
#include "tokens/token_batch.h"

#include <nanobind/stl/string.h>

#include "bind/module.h"
#include "bind/records.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

RecordKind kind_named(const std::string& name) {
    if (name == "dict") return RecordKind::dict;
    if (name == "pair") return RecordKind::pair;
    if (name == "string") return RecordKind::string;
    throw nb::value_error("the kind of records must be 'dict', 'pair' or 'string'");
}

void append_list(TokenBatch& batch, const nb::list& records, size_t first, const std::string& kind,
                 bool refuses_text) {
    append_records(batch, records, first, kind_named(kind), refuses_text);
}

}  // namespace

void register_token_batch(nb::module_& module) {
    nb::class_<TokenBatch>(module, "TokenBatch")
        .def(nb::init<>())
        .def("__len__", &TokenBatch::documents, nb::lock_self())
        .def_prop_ro("byte_count", &TokenBatch::byte_count, nb::lock_self())
        .def_prop_ro("token_count", &TokenBatch::tokens, nb::lock_self())
        .def("clear", &TokenBatch::clear, nb::lock_self())
        .def("append_strings", append_strings, nb::arg("document"), nb::arg("first") = 0,
             nb::arg("most") = SIZE_MAX, nb::lock_self())
        .def("append_records", append_list, nb::arg("records"), nb::arg("first"), nb::arg("kind"),
             nb::arg("refuses_text"), nb::lock_self());
}

}  // namespace addhash::bind
