// Additive hashing for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "additive/batch.h"
#include "bind/arrays.h"
#include "bind/blocks.h"
#include "bind/failure.h"
#include "bind/interrupt.h"
#include "bind/module.h"
#include "bind/options.h"
#include "bind/unicode.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

constexpr size_t kMaxBits = size_t{1} << 20;
constexpr size_t kStreamedBytes = size_t{4} << 20;

using Output = nb::ndarray<nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Randomizer make_randomizer(const std::string& kind, size_t bits, const nb::bytes& key) {
    if (bits < 8 || bits > kMaxBits || bits % 8 != 0) {
        throw nb::value_error("n_features must be a multiple of 8 from 8 to 1048576");
    }
    const auto* bytes = reinterpret_cast<const uint8_t*>(key.data());
    Randomizer randomizer{};
    randomizer.bits = bits;
    if (kind == "shake256") {
        randomizer.kind = RandomizerKind::shake256;
        if (key.size() == kShakeRate) {
            shake256_absorb_block(randomizer.sponge, bytes);
        } else if (key.size() != 0) {
            throw nb::value_error("a shake256 key block has 0 or 136 bytes");
        }
    } else if (kind == "siphash128") {
        randomizer.kind = RandomizerKind::siphash128;
        if (key.size() != 16) throw nb::value_error("a siphash128 key has 16 bytes");
        randomizer.key = {load64(bytes), load64(bytes + 8)};
    } else {
        throw nb::value_error("randomizer must be 'shake256' or 'siphash128'");
    }
    return randomizer;
}

// The output that an array can hold; `as_bits` tells packed signs from numbers.
VectorOutput output_to(const Output& out, size_t documents, size_t bits, bool as_bits, Norm norm) {
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
    if (as_bits != (type == ValueType::bits) || out.shape(0) != documents ||
        out.shape(1) != width) {
        throw nb::value_error("out must have one row of the right width for each document");
    }
    const size_t row_bytes = width * out.itemsize();
    return {type, norm, static_cast<uint8_t*>(out.data()), row_bytes,
            documents * row_bytes > kStreamedBytes};
}

nb::object vectorize_text_list(const nb::list& documents, const std::string& analyzer, size_t min_n,
                               size_t max_n, bool lowercase, const Randomizer& randomizer,
                               bool is_signed, bool is_binary, const std::string& norm,
                               bool as_bits, const Output& out, size_t threads) {
    const Analyzer kind = analyzer_named(analyzer);
    const NgramRange range = ngram_range(min_n, max_n);
    TextBatch batch;
    const Outcome viewed = view_texts(documents, lowercase, batch);
    if (viewed.status != Status::done) return failure(viewed);
    const AdditiveOptions options = {
        is_signed, is_binary,
        output_to(out, batch.texts.size(), randomizer.bits, as_bits, norm_named(norm))};
    Outcome result;
    {
        const Unlocked unlocked;
        result = vectorize_texts(kernels_in_use(), randomizer, options, kind, range, batch.texts,
                                 threads);
    }
    return failure(result);
}

nb::object vectorize_token_batch(const TokenBatch& tokens, const Randomizer& randomizer,
                                 bool is_signed, bool is_binary, const std::string& norm,
                                 bool as_bits, const Output& out, size_t threads) {
    const AdditiveOptions options = {
        is_signed, is_binary,
        output_to(out, tokens.documents(), randomizer.bits, as_bits, norm_named(norm))};
    Outcome result;
    {
        const Unlocked unlocked;
        result = vectorize_tokens(kernels_in_use(), randomizer, options, tokens, threads);
    }
    return failure(result);
}

// The bit row of every token of a batch, as the randomizer's bytes.
Array2<uint8_t> digests(const TokenBatch& tokens, const Randomizer& randomizer) {
    const size_t width = randomizer.bits / 8;
    Buffer<uint8_t> out(tokens.tokens() * width);
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
    return out.to_matrix(tokens.tokens(), width);
}

// A row of bytes for a result to be written to, with any content.
Array1<uint8_t> empty_bytes(size_t count) {
    void* block = BlockPool::shared().take(count);
    nb::capsule owner(block, [](void* p) noexcept { BlockPool::shared().give_back(p); });
    return Array1<uint8_t>(static_cast<uint8_t*>(block), {count}, owner);
}

}  // namespace

void register_additive(nb::module_& module) {
    nb::class_<Randomizer>(module, "Randomizer")
        .def(
            "__init__",
            [](Randomizer* self, const std::string& kind, size_t bits, const nb::bytes& key) {
                new (self) Randomizer(make_randomizer(kind, bits, key));
            },
            nb::arg("kind"), nb::arg("bits"), nb::arg("key"))
        .def_ro("bits", &Randomizer::bits);
    module.def("vectorize_texts", vectorize_text_list, nb::arg("documents"), nb::kw_only(),
               nb::arg("analyzer"), nb::arg("min_n"), nb::arg("max_n"), nb::arg("lowercase"),
               nb::arg("randomizer"), nb::arg("is_signed"), nb::arg("is_binary"), nb::arg("norm"),
               nb::arg("as_bits"), nb::arg("out").noconvert(), nb::arg("threads"));
    module.def("vectorize_tokens", vectorize_token_batch, nb::arg("tokens"), nb::kw_only(),
               nb::arg("randomizer"), nb::arg("is_signed"), nb::arg("is_binary"), nb::arg("norm"),
               nb::arg("as_bits"), nb::arg("out").noconvert(), nb::arg("threads"));
    module.def("empty_bytes", empty_bytes, nb::arg("count"));
    module.def("digests", digests, nb::arg("tokens"), nb::arg("randomizer"));
}

}  // namespace addhash::bind
