// Edits of kept documents for Python.
#include "additive/edits.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

#include "bind/module.h"
#include "bind/records.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

using Sums = nb::ndarray<nb::numpy, int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The GIL is held, or, without one, the lock of the sums: an edit takes microseconds, and no other
// edit meets half of it.
void edit_python_sums(const Sums& sums, const Randomizer& randomizer, const nb::tuple& tokens,
                      const nb::tuple& weights) {
    if (sums.shape(0) != randomizer.bits) {
        throw nb::value_error("sums must have one element for each bit of the randomizer");
    }
    if (tokens.size() != weights.size()) {
        throw nb::value_error("every token needs one weight");
    }
    // Kept between edits, which take about as long as making them would.
    static thread_local std::vector<int64_t> integers;
    static thread_local TokenBatch batch;
    integers.resize(weights.size());
    for (size_t i = 0; i < integers.size(); ++i) {
        integers[i] = PyLong_AsLongLong(weights[i].ptr());
        if (integers[i] == -1 && PyErr_Occurred()) throw nb::python_error();
    }
    batch.clear();
    append_strings(batch, tokens);
    edit_sums(kernels_in_use(), randomizer, batch, integers, sums.data());
    constexpr size_t kMostKept = size_t{1} << 20;
    if (batch.byte_count() > kMostKept) batch = TokenBatch();
}

}  // namespace

void register_edits(nb::module_& module) {
    module.def("edit_sums", edit_python_sums, nb::arg("sums").noconvert().lock(),
               nb::arg("randomizer"), nb::arg("tokens"), nb::arg("weights"));
}

}  // namespace addhash::bind
