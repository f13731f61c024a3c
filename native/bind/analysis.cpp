// Tokens and plain hashes for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include "bind/arrays.h"
#include "bind/failure.h"
#include "bind/interrupt.h"
#include "bind/module.h"
#include "bind/options.h"
#include "bind/unicode.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

class CollectingSink final : public TokenSink {
public:
    void consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                 size_t count) override {
        for (size_t i = 0; i < count; ++i) {
            tokens_.append(nb::bytes(bytes + starts[i], ends[i] - starts[i]));
        }
    }
    const nb::list& tokens() const { return tokens_; }

private:
    nb::list tokens_;
};

class CountingSink final : public TokenSink {
public:
    void consume(const uint8_t*, const uint32_t*, const uint32_t*, size_t count) override {
        count_ += count;
    }
    size_t count() const { return count_; }

private:
    size_t count_ = 0;
};

void run_analysis(const nb::str& text, const TextOptions& cut, TokenSink& sink) {
    nb::list documents;
    documents.append(text);
    TextBatch batch;
    check(view_texts(documents, cut.folding, 1, batch));
    Analysis analysis(cut.how);
    const Interrupt interrupt(asks_for_signals());
    check({analysis.run(batch.texts[0], sink), 0});
}

// The tokens of a text as UTF-8, in the order in which they are hashed.
nb::list tokens_of(const nb::str& text, const TextOptions& cut) {
    CollectingSink sink;
    run_analysis(text, cut, sink);
    return sink.tokens();
}

// How many tokens tokens_of would give.
size_t token_count(const nb::str& text, const TextOptions& cut) {
    CountingSink sink;
    run_analysis(text, cut, sink);
    return sink.count();
}

Array1<uint32_t> murmurhash3(const TokenBatch& tokens, uint32_t seed) {
    Buffer<uint32_t> hashes(tokens.tokens());
    kernels_in_use().murmur3(tokens.bytes(), tokens.starts(), tokens.ends(), tokens.tokens(), seed,
                             hashes.data());
    return hashes.to_array();
}

}  // namespace

void register_analysis(nb::module_& module) {
    module.def("text_length", text_length, nb::arg("documents"));
    module.def("tokens_of", tokens_of, nb::arg("text"), nb::arg("cut"));
    module.def("token_count", token_count, nb::arg("text"), nb::arg("cut"));
    module.def("murmurhash3", murmurhash3, nb::arg("tokens").lock(), nb::arg("seed"));
}

}  // namespace addhash::bind
