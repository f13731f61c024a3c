// The hashing trick for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>

#include "bind/arrays.h"
#include "bind/failure.h"
#include "bind/interrupt.h"
#include "bind/module.h"
#include "bind/options.h"
#include "bind/unicode.h"
#include "buckets/batch.h"
#include "buckets/record_entries.h"
#include "buckets/scaling.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

// (row starts, buckets, values)
template <class Float>
nb::object to_csr(const SparseBatch& batch, bool is_binary, Norm norm, size_t threads) {
    Buffer<int64_t> row_starts(batch.documents + 1);
    Buffer<int32_t> buckets(batch.entries);
    Buffer<Float> values(batch.entries);
    {
        const Unlocked unlocked;
        write_csr(batch, is_binary, norm, row_starts.data(), buckets.data(), values.data(),
                  threads);
    }
    return nb::make_tuple(row_starts.to_array(), buckets.to_array(), values.to_array());
}

nb::object result_of(const SparseBatch& batch, const BucketOptions& options, size_t threads) {
    check(batch.outcome);
    return options.single ? to_csr<float>(batch, options.is_binary, options.norm, threads)
                          : to_csr<double>(batch, options.is_binary, options.norm, threads);
}

nb::object bucket_text_list(const nb::object& documents, const TextOptions& cut,
                            const BucketOptions& options, size_t threads) {
    TextBatch texts;
    check(view_texts(documents, cut.folding, threads, texts));
    SparseBatch batch;
    {
        const Unlocked unlocked;
        batch = count_texts(kernels_in_use(), options.rule, cut.how, texts.texts, threads);
    }
    return result_of(batch, options, threads);
}

nb::object bucket_token_batch(const TokenBatch& tokens, const BucketOptions& options,
                              size_t threads) {
    SparseBatch batch;
    {
        const Unlocked unlocked;
        batch = count_tokens(kernels_in_use(), options.rule, tokens, threads);
    }
    return result_of(batch, options, threads);
}

// One entry for every token, in order, not yet summed: (row starts, buckets, signed weights).
nb::object place_token_batch(const TokenBatch& tokens, const BucketOptions& options) {
    Buffer<int64_t> row_starts(tokens.documents() + 1);
    Buffer<int32_t> buckets(tokens.tokens());
    Buffer<double> values(tokens.tokens());
    {
        const Unlocked unlocked;
        row_starts.data()[0] = 0;
        for (size_t i = 0; i < tokens.documents(); ++i) {
            row_starts.data()[i + 1] = static_cast<int64_t>(tokens.token_end(i));
        }
        place_tokens(kernels_in_use(), options.rule, tokens, buckets.data(), values.data());
    }
    return nb::make_tuple(row_starts.to_array(), buckets.to_array(), values.to_array());
}

void append_entries(RecordEntries& entries, const TokenBatch& tokens,
                    const BucketOptions& options) {
    const Unlocked unlocked;
    entries.append(kernels_in_use(), options.rule, tokens);
}

template <class Float> nb::object summed(RecordEntries& entries, size_t threads) {
    Buffer<int64_t> row_starts(entries.records() + 1);
    Buffer<int32_t> buckets(entries.entries());
    Buffer<Float> values(entries.entries());
    size_t kept = 0;
    {
        const Unlocked unlocked;
        kept = entries.sum(row_starts.data(), buckets.data(), values.data(), threads);
    }
    return nb::make_tuple(row_starts.to_array(), buckets.to_array(kept), values.to_array(kept));
}

template <class T> using Given = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The columns are known to have factors. False, and nothing is changed, if a row is not in the
// arrays.
template <class Float, class Index>
bool scale(const Given<const Index>& row_starts, const Given<const Index>& columns,
           const Given<Float>& values, const std::optional<Given<const Float>>& factors,
           const std::string& norm_name, size_t threads) {
    const Norm norm = norm_named(norm_name);
    if (row_starts.shape(0) == 0) return false;
    const Index* starts = row_starts.data();
    const size_t rows = row_starts.shape(0) - 1;
    const size_t entries = std::min(columns.shape(0), values.shape(0));
    const Unlocked unlocked;
    bool is_right = starts[0] == 0 && static_cast<size_t>(starts[rows]) <= entries;
    for (size_t i = 0; i < rows; ++i) is_right &= starts[i] <= starts[i + 1];
    if (!is_right) return false;
    scale_rows(starts, rows, columns.data(), values.data(), factors ? factors->data() : nullptr,
               norm, threads);
    return true;
}

template <class Float, class Index> void register_scaling(nb::module_& module) {
    module.def("scale_rows", scale<Float, Index>, nb::arg("row_starts").noconvert(),
               nb::arg("columns").noconvert(), nb::arg("values").noconvert(),
               nb::arg("factors").noconvert().none(), nb::arg("norm"), nb::arg("threads"));
}

nb::object sum_entries(RecordEntries& entries, bool single, size_t threads) {
    // They are used up, also if this is interrupted.
    RecordEntries taken = std::move(entries);
    entries = RecordEntries();
    return single ? summed<float>(taken, threads) : summed<double>(taken, threads);
}

}  // namespace

void register_buckets(nb::module_& module) {
    module.def("count_texts", bucket_text_list, nb::arg("documents"), nb::arg("cut"),
               nb::arg("options"), nb::kw_only(), nb::arg("threads"));
    module.def("count_tokens", bucket_token_batch, nb::arg("tokens"), nb::arg("options"),
               nb::kw_only(), nb::arg("threads"));
    module.def("place_tokens", place_token_batch, nb::arg("tokens"), nb::arg("options"));
    register_scaling<float, int32_t>(module);
    register_scaling<double, int32_t>(module);
    register_scaling<float, int64_t>(module);
    register_scaling<double, int64_t>(module);
    nb::class_<RecordEntries>(module, "RecordEntries")
        .def(nb::init<>())
        .def("append", append_entries, nb::arg("tokens"), nb::arg("options"))
        .def("sum", sum_entries, nb::arg("single"), nb::arg("threads"));
}

}  // namespace addhash::bind
