// The hashing trick for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "bind/arrays.h"
#include "bind/failure.h"
#include "bind/interrupt.h"
#include "bind/module.h"
#include "bind/options.h"
#include "bind/unicode.h"
#include "buckets/batch.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

BucketRule rule_of(size_t n_features, bool alternate_sign) {
    if (n_features < 1 || n_features > INT32_MAX) {
        throw nb::value_error("n_features must be from 1 to 2147483647");
    }
    return {static_cast<uint32_t>(n_features), alternate_sign};
}

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

// The CSR arrays, or what went wrong and in which document.
nb::object result_of(const SparseBatch& batch, bool is_binary, Norm norm, bool single,
                     size_t threads) {
    if (batch.outcome.status != Status::done) return failure(batch.outcome);
    return single ? to_csr<float>(batch, is_binary, norm, threads)
                  : to_csr<double>(batch, is_binary, norm, threads);
}

nb::object count_text_list(const nb::list& documents, const std::string& analyzer, size_t min_n,
                           size_t max_n, bool lowercase, size_t n_features, bool alternate_sign,
                           bool is_binary, const std::string& norm, bool single, size_t threads) {
    const Analyzer kind = analyzer_named(analyzer);
    const NgramRange range = ngram_range(min_n, max_n);
    const BucketRule rule = rule_of(n_features, alternate_sign);
    const Norm sparse_norm = norm_named(norm);
    TextBatch texts;
    const Outcome viewed = view_texts(documents, lowercase, texts);
    if (viewed.status != Status::done) return failure(viewed);
    SparseBatch batch;
    {
        const Unlocked unlocked;
        batch = count_texts(kernels_in_use(), rule, kind, range, texts.texts, threads);
    }
    return result_of(batch, is_binary, sparse_norm, single, threads);
}

nb::object count_token_batch(const TokenBatch& tokens, size_t n_features, bool alternate_sign,
                             bool is_binary, const std::string& norm, bool single, size_t threads) {
    const BucketRule rule = rule_of(n_features, alternate_sign);
    const Norm sparse_norm = norm_named(norm);
    SparseBatch batch;
    {
        const Unlocked unlocked;
        batch = count_tokens(kernels_in_use(), rule, tokens, threads);
    }
    return result_of(batch, is_binary, sparse_norm, single, threads);
}

// One entry for every token, in order, not yet summed: (row starts, buckets, signed weights).
nb::object place_tokens(const TokenBatch& tokens, size_t n_features, bool alternate_sign) {
    const BucketRule rule = rule_of(n_features, alternate_sign);
    Buffer<int64_t> row_starts(tokens.documents() + 1);
    Buffer<int32_t> buckets(tokens.tokens());
    Buffer<double> values(tokens.tokens());
    {
        const Unlocked unlocked;
        row_starts.data()[0] = 0;
        for (size_t i = 0; i < tokens.documents(); ++i) {
            row_starts.data()[i + 1] = static_cast<int64_t>(tokens.token_end(i));
        }
        std::vector<uint32_t> hashes(tokens.tokens());
        kernels_in_use().murmur3(tokens.bytes(), tokens.starts(), tokens.ends(), tokens.tokens(), 0,
                                 hashes.data());
        for (size_t i = 0; i < hashes.size(); ++i) {
            const uint32_t key = rule.key(hashes[i]);
            buckets.data()[i] = static_cast<int32_t>(key >> 1);
            values.data()[i] = key & 1 ? -tokens.weights()[i] : tokens.weights()[i];
        }
    }
    return nb::make_tuple(row_starts.to_array(), buckets.to_array(), values.to_array());
}

}  // namespace

void register_buckets(nb::module_& module) {
    module.def("count_texts", count_text_list, nb::arg("documents"), nb::kw_only(),
               nb::arg("analyzer"), nb::arg("min_n"), nb::arg("max_n"), nb::arg("lowercase"),
               nb::arg("n_features"), nb::arg("alternate_sign"), nb::arg("is_binary"),
               nb::arg("norm"), nb::arg("single"), nb::arg("threads"));
    module.def("count_tokens", count_token_batch, nb::arg("tokens"), nb::kw_only(),
               nb::arg("n_features"), nb::arg("alternate_sign"), nb::arg("is_binary"),
               nb::arg("norm"), nb::arg("single"), nb::arg("threads"));
    module.def("place_tokens", place_tokens, nb::arg("tokens"), nb::kw_only(),
               nb::arg("n_features"), nb::arg("alternate_sign"));
}

}  // namespace addhash::bind
