#include "bind/failure.h"

#include <exception>
#include <new>

namespace nb = nanobind;

namespace addhash::bind {
namespace {

nb::handle failure_type;  // kept alive for ever

}  // namespace

void check(Outcome outcome) {
    if (outcome.status == Status::done) return;
    const nb::object status = nb::cast(outcome.status);
    const nb::object position = nb::cast(outcome.position);
    const nb::object raised = failure_type(status, position);
    raised.attr("status") = status;
    raised.attr("position") = position;
    PyErr_SetObject(failure_type.ptr(), raised.ptr());
    throw nb::python_error();
}

void raise_too_large(size_t bytes) {
    PyErr_Format(PyExc_MemoryError,
                 "A result of %zu bytes does not fit in memory; ask for less at a time.", bytes);
    throw nb::python_error();
}

void register_failure(nb::module_& module) {
    nb::enum_<Status>(module, "Status")
        .value("done", Status::done)
        .value("not_text", Status::not_text)
        .value("null", Status::null)
        .value("not_utf8", Status::not_utf8)
        .value("not_record", Status::not_record)
        .value("surrogate", Status::surrogate)
        .value("too_long", Status::too_long)
        .value("too_many", Status::too_many)
        .value("overflow", Status::overflow)
        .value("fractional", Status::fractional)
        .value("not_finite", Status::not_finite)
        .value("nan", Status::nan)
        .value("infinite", Status::infinite)
        .value("out_of_range", Status::out_of_range)
        .value("too_large", Status::too_large);
    failure_type = PyErr_NewException("addhash._native.Failure", PyExc_ValueError, nullptr);
    if (!failure_type.is_valid()) throw nb::python_error();
    module.attr("Failure") = failure_type;
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const std::bad_alloc&) {
            PyErr_SetString(PyExc_MemoryError,
                            "There is not enough memory; ask for less at a time.");
        }
    });
}

}  // namespace addhash::bind
