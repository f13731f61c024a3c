#include "bind/failure.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

const char* name_of(Status status) {
    switch (status) {
        case Status::done: return "done";
        case Status::not_text: return "not_text";
        case Status::surrogate: return "surrogate";
        case Status::too_long: return "too_long";
        case Status::too_many: return "too_many";
        case Status::overflow: return "overflow";
        case Status::fractional: return "fractional";
        case Status::not_finite: return "not_finite";
        case Status::nan: return "nan";
        case Status::infinite: return "infinite";
        case Status::out_of_range: return "out_of_range";
        case Status::too_large: return "too_large";
    }
    __builtin_unreachable();
}

}  // namespace

nb::object failure(Outcome outcome) {
    if (outcome.status == Status::done) return nb::none();
    return nb::make_tuple(name_of(outcome.status), outcome.position);
}

}  // namespace addhash::bind
