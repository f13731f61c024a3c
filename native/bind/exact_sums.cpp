// Exact sums for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <new>
#include <vector>

#include "bind/interrupt.h"
#include "bind/module.h"
#include "exact_sums/digits.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

template <class T> using Vectors =
    nb::ndarray<const T, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Digits = nb::ndarray<nb::numpy, int64_t, nb::ndim<3>>;
using Groups = nb::ndarray<const int64_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The digits of the sums of each group, and the limb that the first ones are of.
template <class T> nb::tuple sum_python_digits(const Vectors<T>& vectors, const Groups& groups,
                                               size_t n_groups, bool is_negative, size_t threads) {
    const size_t count = vectors.shape(0), width = vectors.shape(1);
    if (groups.shape(0) != count || count > size_t{1} << 30) {
        throw nb::value_error("there must be one group for each vector, and 2^30 at most");
    }
    for (size_t i = 0; i < count; ++i) {
        if (groups.data()[i] < 0 || static_cast<uint64_t>(groups.data()[i]) >= n_groups) {
            throw nb::value_error("there is no such group");
        }
    }
    LimbRange range;
    std::vector<int64_t> digits;
    {
        const Unlocked unlocked;
        range = limbs_of(vectors.data(), vectors.size());
        const size_t limbs = range.first > range.last ? 0 : range.last - range.first + 1;
        size_t size;
        if (__builtin_mul_overflow(limbs, n_groups, &size) ||
            __builtin_mul_overflow(size, width, &size)) {
            throw std::bad_alloc();
        }
        digits.resize(size);
        if (limbs > 0) {
            add_digits(vectors.data(), count, width, groups.data(), n_groups, range.first,
                       is_negative ? -1 : 1, digits.data(), threads);
        }
    }
    auto* kept = new std::vector<int64_t>(std::move(digits));
    const nb::capsule owner(kept,
                            [](void* p) noexcept { delete static_cast<std::vector<int64_t>*>(p); });
    const size_t limbs = n_groups * width == 0 ? 0 : kept->size() / (n_groups * width);
    return nb::make_tuple(range.first, Digits(kept->data(), {limbs, n_groups, width}, owner));
}

template <class T> void register_type(nb::module_& module) {
    module.def("sum_digits", sum_python_digits<T>, nb::arg("vectors").noconvert(),
               nb::arg("groups").noconvert(), nb::arg("n_groups"), nb::arg("is_negative"),
               nb::arg("threads"));
}

}  // namespace

void register_exact_sums(nb::module_& module) {
    register_type<int16_t>(module);
    register_type<int32_t>(module);
    register_type<int64_t>(module);
    register_type<float>(module);
    register_type<double>(module);
}

}  // namespace addhash::bind
