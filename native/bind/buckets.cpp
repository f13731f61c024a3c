// The hashing trick for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "bind/arrays.h"
#include "bind/failure.h"
#include "bind/interrupt.h"
#include "bind/module.h"
#include "bind/options.h"
#include "bind/unicode.h"
#include "buckets/batch.h"
#include "buckets/record_entries.h"

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

nb::object count_text_list(const nb::object& documents, const TextOptions& cut,
                           const BucketOptions& options, size_t threads) {
    TextBatch texts;
    check(view_texts(documents, cut.lowercase, threads, texts));
    SparseBatch batch;
    {
        const Unlocked unlocked;
        batch = count_texts(kernels_in_use(), options.rule, cut.analyzer, cut.range, texts.texts,
                            threads);
    }
    return result_of(batch, options, threads);
}

nb::object count_token_batch(const TokenBatch& tokens, const BucketOptions& options,
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

nb::object sum_entries(RecordEntries& entries, bool single, size_t threads) {
    // They are used up, also if this is interrupted.
    RecordEntries taken = std::move(entries);
    entries = RecordEntries();
    return single ? summed<float>(taken, threads) : summed<double>(taken, threads);
}

}  // namespace

void register_buckets(nb::module_& module) {
    module.def("count_texts", count_text_list, nb::arg("documents"), nb::arg("cut"),
               nb::arg("options"), nb::kw_only(), nb::arg("threads"));
    module.def("count_tokens", count_token_batch, nb::arg("tokens"), nb::arg("options"),
               nb::kw_only(), nb::arg("threads"));
    module.def("place_tokens", place_token_batch, nb::arg("tokens"), nb::arg("options"));
    nb::class_<RecordEntries>(module, "RecordEntries")
        .def(nb::init<>())
        .def("append", append_entries, nb::arg("tokens"), nb::arg("options"))
        .def("sum", sum_entries, nb::arg("single"), nb::arg("threads"));
}

}  // namespace addhash::bind
