// Exact search for Python.
#include "search/search.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include "bind/arrays.h"
#include "bind/failure.h"
#include "bind/interrupt.h"
#include "bind/module.h"
#include "search/encode.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

template <class T> using Input1 =
    nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T> using Input2 =
    nb::ndarray<nb::numpy, const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using AnyInput = nb::ndarray<nb::numpy, nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Not negative, and so small that no product of two is infinite. False for NaN.
bool is_plausible(double value) { return value >= 0 && value <= 1e130; }

// Arrays of Python, checked once: whatever they hold, a search stays inside them.
class Rows {
public:
    Rows(Input2<int8_t> codes, Input1<double> scales, Input1<double> norms, Input1<double> slacks,
         Input1<int64_t> places, Input2<int8_t> tails, AnyInput wides)
        : codes_(std::move(codes)),
          scales_(std::move(scales)),
          norms_(std::move(norms)),
          slacks_(std::move(slacks)),
          places_(std::move(places)),
          tails_(std::move(tails)),
          wides_(std::move(wides)),
          searchable_(checked()) {}

    const SearchableRows& searchable() const { return searchable_; }

private:
    EncodedVectors checked() const {
        EncodedVectors rows;
        rows.count = codes_.shape(0);
        rows.width = codes_.shape(1);
        if (scales_.shape(0) != rows.count || norms_.shape(0) != rows.count ||
            slacks_.shape(0) != rows.count || places_.shape(0) != rows.count ||
            tails_.shape(1) != rows.width || wides_.shape(1) != rows.width) {
            throw nb::value_error("the arrays of encoded rows differ in length or width");
        }
        rows.codes = codes_.data();
        rows.scales = scales_.data();
        rows.norms = norms_.data();
        rows.slacks = slacks_.data();
        rows.places = places_.data();
        rows.tails = tails_.data();
        if (wides_.dtype() == nb::dtype<float>()) {
            rows.wides32 = static_cast<const float*>(wides_.data());
        } else if (wides_.dtype() == nb::dtype<double>()) {
            rows.wides64 = static_cast<const double*>(wides_.data());
        } else {
            throw nb::type_error("wide rows must be float32 or float64");
        }
        const auto tails = static_cast<int64_t>(tails_.shape(0));
        const auto wides = static_cast<int64_t>(wides_.shape(0));
        for (size_t i = 0; i < rows.count; ++i) {
            const int64_t place = rows.places[i];
            if (place >= tails || place <= kFirstWide - wides) {
                throw nb::value_error("an encoded row has its exact values outside the arrays");
            }
            // A tailed row's scale is used as an integer.
            if (!is_plausible(rows.scales[i]) || !is_plausible(rows.norms[i]) ||
                !is_plausible(rows.slacks[i]) ||
                (place >= 0 && !(rows.scales[i] <= kLargestScale)) ||
                (place == kNoPlace && rows.scales[i] != 1)) {
                throw nb::value_error("an encoded row has an impossible scale, norm or slack");
            }
        }
        return rows;
    }

    Input2<int8_t> codes_;
    Input1<double> scales_, norms_, slacks_;
    Input1<int64_t> places_;
    Input2<int8_t> tails_;
    AnyInput wides_;
    SearchableRows searchable_;
};

template <class Value>
Outcome encode_as(const AnyInput& vectors, const EncodedOutput& output, size_t threads) {
    const Unlocked unlocked;
    return encode_rows(static_cast<const Value*>(vectors.data()), vectors.shape(0),
                       vectors.shape(1), output, threads);
}

Outcome encode_any(const AnyInput& vectors, const EncodedOutput& output, size_t threads) {
    if (vectors.dtype() == nb::dtype<int16_t>())
        return encode_as<int16_t>(vectors, output, threads);
    if (vectors.dtype() == nb::dtype<int32_t>())
        return encode_as<int32_t>(vectors, output, threads);
    if (vectors.dtype() == nb::dtype<int64_t>())
        return encode_as<int64_t>(vectors, output, threads);
    if (vectors.dtype() == nb::dtype<float>()) return encode_as<float>(vectors, output, threads);
    if (vectors.dtype() == nb::dtype<double>()) return encode_as<double>(vectors, output, threads);
    throw nb::type_error("vectors have a dtype that cannot be encoded");
}

// (codes, scales, norms, slacks, kinds)
nb::object encode(const AnyInput& vectors, size_t threads) {
    const size_t count = vectors.shape(0);
    Buffer<int8_t> codes(count, vectors.shape(1));
    Buffer<double> scales(count), norms(count), slacks(count);
    Buffer<uint8_t> kinds(count);
    check(encode_any(vectors,
                     {codes.data(), scales.data(), norms.data(), slacks.data(),
                      reinterpret_cast<RowKind*>(kinds.data())},
                     threads));
    return nb::make_tuple(codes.to_matrix(), scales.to_array(), norms.to_array(), slacks.to_array(),
                          kinds.to_array());
}

// (rows, scores) of shape (number of queries, k).
nb::object search_rows(const Rows& rows, const Rows& queries,
                       const std::optional<Input1<int64_t>>& ranks,
                       const std::optional<Input1<int64_t>>& groups,
                       const std::optional<Input1<int64_t>>& excluded, size_t k, size_t threads) {
    const EncodedVectors& all = rows.searchable().rows();
    const size_t count = queries.searchable().rows().count;
    if (all.width != queries.searchable().rows().width) {
        throw nb::value_error("rows and queries differ in width");
    }
    if (k < 1 || k > all.count) throw nb::value_error("k must be from 1 to the number of rows");
    if ((ranks && ranks->shape(0) != all.count) || (groups && groups->shape(0) != all.count)) {
        throw nb::value_error("there must be one rank, and one group, for each row");
    }
    if (groups.has_value() != excluded.has_value() || (excluded && excluded->shape(0) != count)) {
        throw nb::value_error("with groups there must be an excluded one for each query");
    }
    SearchRules rules;
    if (ranks) rules.ranks = ranks->data();
    if (groups) rules.groups = groups->data();
    if (excluded) rules.excluded = excluded->data();
    Buffer<int64_t> best(count, k);
    Buffer<double> scores(count, k);
    {
        const Unlocked unlocked;
        search(kernels_in_use(), rows.searchable(), queries.searchable(), rules, k, threads,
               best.data(), scores.data());
    }
    return nb::make_tuple(best.to_matrix(), scores.to_matrix());
}

}  // namespace

void register_search(nb::module_& module) {
    nb::class_<Rows>(module, "Rows")
        .def(nb::init<Input2<int8_t>, Input1<double>, Input1<double>, Input1<double>,
                      Input1<int64_t>, Input2<int8_t>, AnyInput>(),
             nb::arg("codes").noconvert(), nb::arg("scales").noconvert(),
             nb::arg("norms").noconvert(), nb::arg("slacks").noconvert(),
             nb::arg("places").noconvert(), nb::arg("tails").noconvert(),
             nb::arg("wides").noconvert());
    module.def("encode", encode, nb::arg("vectors").noconvert(), nb::arg("threads"));
    module.def("search", search_rows, nb::arg("rows"), nb::arg("queries"),
               nb::arg("ranks").noconvert().none(), nb::arg("groups").noconvert().none(),
               nb::arg("excluded").noconvert().none(), nb::arg("k"), nb::arg("threads"));
}

}  // namespace addhash::bind
