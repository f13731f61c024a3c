// Additive hashing for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <optional>

#include "additive/batch.h"
#include "bind/arrays.h"
#include "bind/failure.h"
#include "bind/interrupt.h"
#include "bind/module.h"
#include "bind/options.h"
#include "bind/unicode.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

constexpr size_t kStreamedBytes = size_t{4} << 20;

using Output = nb::ndarray<nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// What to make, written to the rows of an array from `first` on.
AdditiveOptions written_to(const Output& out, size_t first, size_t documents,
                           const SumOptions& options) {
    const bool as_bits = options.as_bits;
    const size_t bits = options.randomizer.bits;
    ValueType type;
    if (as_bits && out.dtype() == nb::dtype<uint8_t>()) {
        type = ValueType::bits;
    } else if (out.dtype() == nb::dtype<float>()) {
        type = ValueType::float32;
    } else if (out.dtype() == nb::dtype<double>()) {
        type = ValueType::float64;
    } else if (out.dtype() == nb::dtype<int16_t>()) {
        type = ValueType::int16;
    } else if (out.dtype() == nb::dtype<int32_t>()) {
        type = ValueType::int32;
    } else if (out.dtype() == nb::dtype<int64_t>()) {
        type = ValueType::int64;
    } else {
        throw nb::type_error("out has a dtype that vectors cannot be written to");
    }
    const size_t width = as_bits ? bits / 8 : bits;
    if (as_bits != (type == ValueType::bits) || out.shape(1) != width || first > out.shape(0) ||
        documents > out.shape(0) - first) {
        throw nb::value_error("out must have one row of the right width for each document");
    }
    const size_t row_bytes = width * out.itemsize();
    uint8_t* data = static_cast<uint8_t*>(out.data()) + first * row_bytes;
    const bool is_streamed = out.nbytes() > kStreamedBytes;
    return {options.is_signed, options.is_binary,
            VectorOutput{type, options.norm, data, row_bytes, is_streamed}, options.weighting()};
}

void vectorize_text_list(const nb::object& documents, const TextOptions& cut,
                         const SumOptions& options, const Output& out, size_t threads) {
    TextBatch batch;
    check(view_texts(documents, cut.folding, threads, batch));
    const AdditiveOptions wanted = written_to(out, 0, batch.texts.size(), options);
    Outcome outcome;
    {
        const Unlocked unlocked;
        outcome = vectorize_texts(kernels_in_use(), options.randomizer, wanted, cut.how,
                                  batch.texts, threads);
    }
    check(outcome);
}

void check_weights(const TokenBatch& tokens, const SumOptions& options) {
    const auto is_one = [](double weight) { return weight == 1; };
    if (!options.weighting().is_plain() &&
        !std::all_of(tokens.weights(), tokens.weights() + tokens.tokens(), is_one)) {
        throw nb::value_error("tokens with weights of their own cannot be weighed again");
    }
}

void vectorize_token_batch(const TokenBatch& tokens, const SumOptions& options, const Output& out,
                           size_t first, size_t threads) {
    check_weights(tokens, options);
    const AdditiveOptions wanted = written_to(out, first, tokens.documents(), options);
    Outcome outcome;
    {
        const Unlocked unlocked;
        outcome = vectorize_tokens(kernels_in_use(), options.randomizer, wanted, tokens, threads);
    }
    check(outcome);
}

// Batches one after another: other threads vectorise one while Python reads the next. Nobody may
// change a batch until another is started or all are finished.
class TokenVectorizer {
public:
    TokenVectorizer(nb::object options, Output out, size_t threads)
        : options_(std::move(options)), out_(std::move(out)), threads_(threads) {}

    void start(nb::object given, size_t first) {
        finish();
        const auto& tokens = nb::cast<const TokenBatch&>(given);
        const auto& options = nb::cast<const SumOptions&>(options_);
        check_weights(tokens, options);
        const AdditiveOptions wanted = written_to(out_, first, tokens.documents(), options);
        tokens_ = std::move(given);
        first_ = first;
        run_.emplace(kernels_in_use(), options.randomizer, wanted, tokens, threads_);
        if (threads_ == 1) finish();  // while the batch is in the caches
    }

    // Raises the failure of the last batch, with the row that it is about.
    void finish() {
        if (!run_) return;
        Outcome outcome;
        try {
            const Unlocked unlocked;
            outcome = run_->join();
        } catch (...) {
            run_.reset();
            throw;
        }
        run_.reset();
        outcome.position += first_;
        check(outcome);
    }

private:
    nb::object options_, tokens_;
    Output out_;
    size_t threads_, first_ = 0;
    std::optional<TokenRun> run_;  // destroyed first: it uses the others
};

// The bit row of every token of a batch, as the randomizer's bytes.
Array2<uint8_t> digests(const TokenBatch& tokens, const Randomizer& randomizer) {
    const size_t width = randomizer.bits / 8;
    Buffer<uint8_t> out(tokens.tokens(), width);
    uint8_t* next = out.data();
    {
        const Unlocked unlocked;
        const Kernels& kernels = kernels_in_use();
        RowSource source(randomizer);
        std::vector<const uint8_t*> rows(source.capacity());
        for (size_t first = 0; first < tokens.tokens(); first += rows.size()) {
            check_interrupt();
            const size_t count = std::min(rows.size(), tokens.tokens() - first);
            source.request(kernels, tokens.bytes(), tokens.starts() + first, tokens.ends() + first,
                           count, rows.data());
            source.resolve(kernels);
            for (size_t i = 0; i < count; ++i, next += width) std::memcpy(next, rows[i], width);
        }
    }
    return out.to_matrix();
}

// A row of bytes for a result to be written to, with any content.
Array1<uint8_t> empty_bytes(size_t count) { return Buffer<uint8_t>(count).to_array(); }

}  // namespace

void register_additive(nb::module_& module) {
    module.def("vectorize_texts", vectorize_text_list, nb::arg("documents"), nb::arg("cut"),
               nb::arg("options"), nb::kw_only(), nb::arg("out").noconvert(), nb::arg("threads"));
    module.def("vectorize_tokens", vectorize_token_batch, nb::arg("tokens"), nb::arg("options"),
               nb::kw_only(), nb::arg("out").noconvert(), nb::arg("first"), nb::arg("threads"));
    nb::class_<TokenVectorizer>(module, "TokenVectorizer")
        .def(nb::init<nb::object, Output, size_t>(), nb::arg("options"), nb::arg("out").noconvert(),
             nb::arg("threads"))
        .def("start", &TokenVectorizer::start, nb::arg("tokens"), nb::arg("first"))
        .def("finish", &TokenVectorizer::finish);
    module.def("empty_bytes", empty_bytes, nb::arg("count"));
    module.def("digests", digests, nb::arg("tokens"), nb::arg("randomizer"));
}

}  // namespace addhash::bind
