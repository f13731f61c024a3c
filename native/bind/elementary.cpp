// Elementary functions for Python, in place.
#include "elementary/elementary.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>

#include "bind/interrupt.h"
#include "bind/module.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

using Values = nb::ndarray<double, nb::numpy, nb::c_contig, nb::device::cpu>;

// apply(values, count) to all values, some milliseconds of them at a time. For a few of them, it
// does not pay to release the GIL.
template <class Apply> void apply_to(const Values& values, const Apply& apply) {
    constexpr size_t kFew = 1024, kBlock = size_t{1} << 18;
    if (values.size() <= kFew) {
        apply(values.data(), values.size());
        return;
    }
    const Unlocked unlocked;
    for (size_t first = 0; first < values.size(); first += kBlock) {
        check_interrupt();
        apply(values.data() + first, std::min(kBlock, values.size() - first));
    }
}

void exponentials(const Values& values) { apply_to(values, kernels_in_use().exponentials); }

void logarithms(const Values& values) {
    apply_to(values, [](double* block, size_t count) {
        std::transform(block, block + count, block, logarithm);
    });
}

}  // namespace

void register_elementary(nb::module_& module) {
    module.def("exponentials", exponentials, nb::arg("values").noconvert());
    module.def("logarithms", logarithms, nb::arg("values").noconvert());
}

}  // namespace addhash::bind
