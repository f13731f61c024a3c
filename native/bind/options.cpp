#include "bind/options.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>

#include "bind/arrays.h"
#include "bind/module.h"
#include "simd/bytes.h"
#include "tokens/token_batch.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

constexpr size_t kMaxBits = size_t{1} << 20;

Analyzer analyzer_named(const std::string& name) {
    if (name == "word") return Analyzer::word;
    if (name == "char") return Analyzer::characters;
    if (name == "char_wb") return Analyzer::characters_in_words;
    if (name == "text") return Analyzer::text;
    throw nb::value_error("analyzer must be 'word', 'char', 'char_wb' or 'text'");
}

Accents accents_named(const std::string& name) {
    if (name == "kept") return Accents::kept;
    if (name == "unicode") return Accents::unicode;
    if (name == "ascii") return Accents::ascii;
    throw nb::value_error("accents must be 'kept', 'unicode' or 'ascii'");
}

NgramRange ngram_range(size_t min, size_t max) {
    constexpr size_t kLongest = size_t{1} << 30;
    if (min < 1 || max < min) throw nb::value_error("ngram_range must be 1 <= min <= max");
    return {min < kLongest ? min : kLongest, max < kLongest ? max : kLongest};
}

BucketRule rule_of(size_t n_features, bool alternate_sign) {
    if (n_features < 1 || n_features > INT32_MAX) {
        throw nb::value_error("n_features must be from 1 to 2147483647");
    }
    return {static_cast<uint32_t>(n_features), alternate_sign};
}

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
    } else if (kind == "aes128") {
        randomizer.kind = RandomizerKind::aes128;
        if (key.size() != kAesBlock + sizeof(RowKeys)) {
            throw nb::value_error("an aes128 key block must have 80 bytes");
        }
        randomizer.key = aes_key({load64(bytes), load64(bytes + 8)});
        std::memcpy(&randomizer.row_keys, bytes + kAesBlock, sizeof(RowKeys));
    } else {
        throw nb::value_error("randomizer must be 'shake256' or 'aes128'");
    }
    return randomizer;
}

TokenWeights token_weights_of(const Input<uint8_t>& table) {
    const BucketRule rule = rule_of(table.shape(0), false);
    const uint8_t* first = table.data();
    const uint8_t* last = first + table.shape(0);
    if (std::any_of(first, last, [](uint8_t weight) { return weight > TokenWeights::kMost; })) {
        throw nb::value_error("a weight must be from 0 to 127");
    }
    return {rule, {first, last}};
}

// The weight of each token of a batch.
Array1<uint8_t> weights_of_tokens(const TokenWeights& weights, const TokenBatch& tokens) {
    std::vector<uint32_t> hashes(tokens.tokens());
    kernels_in_use().murmur3(tokens.bytes(), tokens.starts(), tokens.ends(), hashes.size(), 0,
                             hashes.data());
    Buffer<uint8_t> out(hashes.size());
    std::transform(hashes.begin(), hashes.end(), out.data(),
                   [&](uint32_t hash) { return weights.of[weights.bucket(hash)]; });
    return out.to_array();
}

}  // namespace

Norm norm_named(const std::string& name) {
    if (name == "none") return Norm::none;
    if (name == "l1") return Norm::l1;
    if (name == "l2") return Norm::l2;
    throw nb::value_error("norm must be 'none', 'l1' or 'l2'");
}

TextOptions::TextOptions(const std::string& analyzer, size_t min_n, size_t max_n, bool lowercase,
                         const std::string& accents, bool is_any, size_t least,
                         const std::vector<std::string>& stop_words)
    : how{analyzer_named(analyzer), ngram_range(min_n, max_n), {is_any, least}, nullptr},
      folding{lowercase, accents_named(accents)} {
    if (least < 1) throw nb::value_error("a word has at least one character");
    if (!stop_words.empty()) how.stop_words = std::make_shared<const WordSet>(stop_words);
}

SumOptions::SumOptions(const Randomizer& randomizer, bool is_signed, bool is_binary,
                       const std::string& norm, bool as_bits,
                       std::shared_ptr<const TokenWeights> weights, bool is_sublinear)
    : randomizer(randomizer),
      is_signed(is_signed),
      is_binary(is_binary),
      norm(norm_named(norm)),
      as_bits(as_bits),
      weights(std::move(weights)),
      is_sublinear(is_sublinear) {}

BucketOptions::BucketOptions(size_t n_features, bool alternate_sign, bool is_binary,
                             const std::string& norm, bool single)
    : rule(rule_of(n_features, alternate_sign)),
      is_binary(is_binary),
      norm(norm_named(norm)),
      single(single) {}

void register_options(nb::module_& module) {
    nb::class_<Randomizer>(module, "Randomizer")
        .def(
            "__init__",
            [](Randomizer* self, const std::string& kind, size_t bits, const nb::bytes& key) {
                new (self) Randomizer(make_randomizer(kind, bits, key));
            },
            nb::arg("kind"), nb::arg("bits"), nb::arg("key"))
        .def_ro("bits", &Randomizer::bits);
    nb::class_<TextOptions>(module, "TextOptions")
        .def(nb::init<const std::string&, size_t, size_t, bool, const std::string&, bool, size_t,
                      const std::vector<std::string>&>(),
             nb::arg("analyzer"), nb::arg("min_n"), nb::arg("max_n"), nb::arg("lowercase"),
             nb::kw_only(), nb::arg("accents") = "kept", nb::arg("is_any") = false,
             nb::arg("least") = 2, nb::arg("stop_words") = std::vector<std::string>());
    nb::class_<TokenWeights>(module, "TokenWeights")
        .def(
            "__init__",
            [](TokenWeights* self, const Input<uint8_t>& table) {
                new (self) TokenWeights(token_weights_of(table));
            },
            nb::arg("table"))
        .def("of_tokens", weights_of_tokens, nb::arg("tokens").lock());
    module.attr("UNIT_WEIGHT") = static_cast<int>(TokenWeighting::kUnit);
    module.def(
        "sublinear_weight",
        [](uint8_t weight, uint64_t count) { return SublinearWeight()(weight, count); },
        nb::arg("weight"), nb::arg("count"));
    nb::class_<SumOptions>(module, "SumOptions")
        .def(nb::init<const Randomizer&, bool, bool, const std::string&, bool,
                      std::shared_ptr<const TokenWeights>, bool>(),
             nb::arg("randomizer"), nb::kw_only(), nb::arg("is_signed") = true,
             nb::arg("is_binary") = false, nb::arg("norm") = "none", nb::arg("as_bits") = false,
             nb::arg("weights") = nb::none(), nb::arg("is_sublinear") = false);
    nb::class_<BucketOptions>(module, "BucketOptions")
        .def(nb::init<size_t, bool, bool, const std::string&, bool>(), nb::arg("n_features"),
             nb::kw_only(), nb::arg("alternate_sign") = true, nb::arg("is_binary") = false,
             nb::arg("norm") = "none", nb::arg("single") = false);
}

}  // namespace addhash::bind
