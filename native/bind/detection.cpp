// Language detection for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind/arrays.h"
#include "bind/failure.h"
#include "bind/interrupt.h"
#include "bind/module.h"
#include "bind/unicode.h"
#include "detection/detector.h"
#include "detection/tally.h"
#include "parallel/parallel.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

constexpr size_t kChunk = 64;  // texts
// Kinds of texts.
constexpr uint8_t kNoLetters = 0, kNoise = 1, kLanguage = 2;

template <class T> Array1<T> array_of(std::span<const T> values) {
    Buffer<T> buffer(values.size());
    std::copy(values.begin(), values.end(), buffer.data());
    return buffer.to_array();
}

NgramCounts counts_of(const Input<uint8_t>& bytes, size_t classes) {
    NgramCounts counts;
    const auto owner = std::make_shared<const Input<uint8_t>>(bytes);
    check({NgramCounts::parse(span_of(bytes), owner, classes, counts), 0});
    return counts;
}

NgramCounts changed(const NgramCounts& old, const Input<uint64_t>& keys,
                    const Input<uint16_t>& labels, const Input<int64_t>& counts) {
    require(keys.size() == labels.size() && keys.size() == counts.size(), "unequal lengths");
    std::vector<NgramCount> changes;
    changes.reserve(keys.size());
    for (size_t i = 0; i < keys.size(); ++i) {
        changes.push_back({keys.data()[i], labels.data()[i], counts.data()[i]});
        require(changes[i].label < kMostClasses, "too many classes");
    }
    NgramCounts made;
    Outcome outcome;
    {
        const Unlocked unlocked;
        std::sort(changes.begin(), changes.end(), [](const NgramCount& a, const NgramCount& b) {
            return a.key != b.key ? a.key < b.key : a.label < b.label;
        });
        outcome = old.change(changes, made);
    }
    if (outcome.status != Status::done) {
        outcome.position = changes[outcome.position].label;  // says more than the place
        check(outcome);
    }
    return made;
}

nb::tuple unpacked(const NgramCounts& counts) {
    const auto all = counts.unpacked();
    Buffer<uint64_t> keys(all.size());
    Buffer<uint16_t> labels(all.size());
    Buffer<int64_t> numbers(all.size());
    for (size_t i = 0; i < all.size(); ++i) {
        keys.data()[i] = all[i].key;
        labels.data()[i] = all[i].label;
        numbers.data()[i] = all[i].count;
    }
    return nb::make_tuple(keys.to_array(), labels.to_array(), numbers.to_array());
}

// The n-grams of texts, each with the sum of the weights of its texts.
nb::tuple tally_texts(const nb::object& documents, const Input<int64_t>& weights) {
    TextBatch batch;
    check(view_characters(documents, 1, batch));
    require(weights.size() == batch.texts.size(), "a weight is needed for each text");
    std::vector<NgramTally> tally;
    {
        const Unlocked unlocked;
        tally = tally_ngrams(batch.texts, span_of(weights));
    }
    Buffer<uint64_t> keys(tally.size());
    Buffer<int64_t> sums(tally.size());
    for (size_t i = 0; i < tally.size(); ++i) {
        keys.data()[i] = tally[i].key;
        sums.data()[i] = tally[i].weight;
    }
    return nb::make_tuple(keys.to_array(), sums.to_array());
}

Detector detector_of(const NgramCounts& counts, const Input<int64_t>& totals,
                     const Input<uint8_t>& is_rare, const Input<double>& prior,
                     const Input<uint16_t>& groups, bool with_rare) {
    const size_t size = is_rare.size();
    require(size <= kMostClasses && totals.size() == size * script_count() &&
                prior.size() == totals.size() && groups.size() == size,
            "unequal numbers of classes");
    for (const uint16_t group : span_of(groups)) require(group < size, "no such group");
    const Unlocked unlocked;
    return Detector(counts, {span_of(totals), span_of(is_rare), span_of(prior), span_of(groups)},
                    with_rare);
}

DetectionRule rule_of(const Input<double>& numbers) {
    require(numbers.size() == 5, "a rule has five numbers");
    const double* at = numbers.data();
    return {at[0], at[1], at[2], at[3], at[4]};
}

// Calls work(scorer, i) for each text, on several threads.
template <class Work> void for_each_text(const Detector& detector, const Kernels& kernels,
                                         const std::vector<Text>& texts, size_t threads,
                                         Work&& work) {
    size_t characters = 0;
    for (const Text& text : texts) characters += text.length;
    detector.expect(characters);
    const size_t chunks = (texts.size() + kChunk - 1) / kChunk;
    const auto take_chunks = [&](auto next) {
        Detector::Scorer scorer(detector, kernels);
        Detector::Workspace workspace;
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            const size_t end = std::min(texts.size(), (chunk + 1) * kChunk);
            for (size_t i = chunk * kChunk; i < end; ++i) work(scorer, workspace, i);
        }
    };
    run_parallel(threads, chunks, take_chunks);
}

// The likeliest classes of texts, one row for each: classes (-1 for none), their probabilities and
// those of their groups, then the script and the kind of each text.
nb::tuple detect(const Detector& detector, const nb::object& documents, const Input<double>& rule,
                 const std::optional<Input<uint8_t>>& candidates, size_t top, size_t threads) {
    TextBatch batch;
    check(view_characters(documents, threads, batch));
    std::span<const uint8_t> allowed;
    if (candidates) {
        allowed = span_of(*candidates);
        require(allowed.size() == detector.classes(), "a flag is needed for each class");
    }
    const DetectionRule chosen = rule_of(rule);
    const size_t size = batch.texts.size();
    Buffer<int32_t> labels(size, top);
    Buffer<double> shares(size, top), group_shares(size, top);
    Buffer<uint8_t> scripts(size), kinds(size);
    {
        const Kernels& kernels = kernels_in_use();
        const Unlocked unlocked;
        const auto answer = [&](auto& scorer, auto& workspace, size_t i) {
            std::vector<Answer> answers(top);
            const TextFacts facts = scorer.score(batch.texts[i]);
            const bool is_clear = detector.choose(scorer.scores(), facts, chosen, allowed, kernels,
                                                  answers, workspace);
            kinds.data()[i] = !facts.has_letters ? kNoLetters : is_clear ? kLanguage : kNoise;
            scripts.data()[i] = facts.script;
            for (size_t j = 0; j < top; ++j) {
                labels.data()[i * top + j] = answers[j].label;
                shares.data()[i * top + j] = answers[j].probability;
                group_shares.data()[i * top + j] = answers[j].group_probability;
            }
        };
        for_each_text(detector, kernels, batch.texts, threads, answer);
    }
    return nb::make_tuple(labels.to_matrix(), shares.to_matrix(), group_shares.to_matrix(),
                          scripts.to_array(), kinds.to_array());
}

// The evidence for each class in units, one row for each text; its n-grams and its script.
nb::tuple evidence(const Detector& detector, const nb::object& documents, size_t threads) {
    TextBatch batch;
    check(view_characters(documents, threads, batch));
    const size_t size = batch.texts.size(), classes = detector.classes();
    Buffer<int32_t> scores(size, classes);
    Buffer<uint32_t> ngrams(size);
    Buffer<uint8_t> scripts(size);
    {
        const Kernels& kernels = kernels_in_use();
        const Unlocked unlocked;
        for_each_text(detector, kernels, batch.texts, threads, [&](auto& scorer, auto&, size_t i) {
            const TextFacts facts = scorer.score(batch.texts[i]);
            ngrams.data()[i] = facts.ngrams;
            scripts.data()[i] = facts.script;
            scorer.class_scores({scores.data() + i * classes, classes});
        });
    }
    return nb::make_tuple(scores.to_matrix(), ngrams.to_array(), scripts.to_array());
}

// Each n-gram of a text: its key and the positions of its letters; a
// space counts for the letter beside it.
nb::list placed_ngrams(const nb::str& text) {
    nb::list documents, found;
    documents.append(text);
    TextBatch batch;
    check(view_characters(documents, 1, batch));
    WordReader reader;
    SeenWords seen;
    for_each_new_word(reader, seen, batch.texts[0], [&](const Word& word) {
        const auto last = static_cast<ptrdiff_t>(word.length) - 1;
        for_each_ngram(word, [&](NgramKey key, ptrdiff_t first, size_t count) {
            nb::list positions, letters;
            for (ptrdiff_t i = first; i < first + static_cast<ptrdiff_t>(count); ++i) {
                positions.append(word.positions[std::clamp<ptrdiff_t>(i, 0, last)]);
                letters.append(i < 0 || i > last ? uint32_t{' '} : word.letters[i]);
            }
            found.append(nb::make_tuple(key, letters, positions));
        });
    });
    return found;
}

// The keys of n-grams with a space for the edge of a word, and of words after an equals sign.
Array1<uint64_t> ngram_keys(const nb::list& tokens) {
    TextBatch batch;
    check(view_characters(tokens, 1, batch));
    Buffer<uint64_t> keys(batch.texts.size());
    for (size_t i = 0; i < batch.texts.size(); ++i) {
        const Text& text = batch.texts[i];
        const auto at = [&](size_t j) -> uint32_t {
            if (text.unit == 1) return static_cast<const uint8_t*>(text.data)[j];
            if (text.unit == 2) return static_cast<const uint16_t*>(text.data)[j];
            return static_cast<const uint32_t*>(text.data)[j];
        };
        const bool is_word = text.length > 0 && at(0) == '=';
        bool is_edge = text.length == 1, is_unspaced = false;
        uint64_t hash = is_word ? kWordSeed : kNgramSeed;
        Script script = 0;
        for (size_t j = is_word ? 1 : 0; j < text.length; ++j) {
            hash = mix_letter(hash, at(j));
            const LetterFacts facts = Letters::shared()[at(j)];
            if (script == 0) script = facts.script();
            is_edge |= at(j) == ' ';
            is_unspaced |= facts.kind() == LetterKind::unspaced_letter;
        }
        keys.data()[i] =
            key_of(script, hash, is_word ? NgramKind::word : kind_of(is_edge, is_unspaced));
    }
    return keys.to_array();
}

// The evidence of n-grams for a class, in units.
Array1<int64_t> weights_of(const Detector& detector, const Input<uint64_t>& keys, size_t label) {
    require(label < detector.classes(), "no such class");
    Buffer<int64_t> weights(keys.size());
    for (size_t i = 0; i < keys.size(); ++i) {
        require(keys.data()[i] >> 32 < script_count(), "no such script");
        weights.data()[i] = detector.weight(keys.data()[i], static_cast<uint16_t>(label));
    }
    return weights.to_array();
}

nb::list script_names() {
    nb::list names;
    for (size_t i = 0; i < script_count(); ++i) names.append(script_name(static_cast<Script>(i)));
    return names;
}

}  // namespace

void register_detection(nb::module_& module) {
    nb::class_<NgramCounts>(module, "NgramCounts")
        .def(nb::init<>())
        .def_static("from_bytes", counts_of, nb::arg("bytes"), nb::arg("classes"))
        .def("changed", changed, nb::arg("keys"), nb::arg("labels"), nb::arg("counts"))
        .def(
            "relabeled",
            [](const NgramCounts& counts, const Input<uint16_t>& labels) {
                const Unlocked unlocked;
                return counts.relabeled(span_of(labels));
            },
            nb::arg("labels"))
        .def("unpacked", unpacked)
        .def("bytes", [](const NgramCounts& counts) { return array_of(counts.bytes()); });
    nb::class_<Detector>(module, "Detector")
        .def_static("of_counts", detector_of, nb::arg("counts"), nb::arg("totals"),
                    nb::arg("is_rare"), nb::arg("prior"), nb::arg("groups"), nb::arg("with_rare"),
                    nb::keep_alive<0, 1>())
        .def_prop_ro("has_tables", &Detector::has_tables)
        .def(
            "expect",
            [](const Detector& detector, size_t characters) {
                const Unlocked unlocked;
                detector.expect(characters);
            },
            nb::arg("characters"))
        .def("detect", detect, nb::arg("documents"), nb::arg("rule"), nb::arg("candidates").none(),
             nb::arg("top"), nb::arg("threads"))
        .def("evidence", evidence, nb::arg("documents"), nb::arg("threads"))
        .def("weights", weights_of, nb::arg("keys"), nb::arg("label"))
        .def("prior",
             [](const Detector& detector, size_t label, Script script, const Input<double>& rule,
                uint32_t ngrams) { return detector.prior(label, script, rule_of(rule), ngrams); })
        .def_static("rate", [](const Input<double>& rule, uint32_t ngrams) {
            return Detector::rate(rule_of(rule), ngrams);
        });
    module.def("tally_ngrams", tally_texts, nb::arg("documents"), nb::arg("weights"));
    module.def("placed_ngrams", placed_ngrams, nb::arg("text"));
    module.def("ngram_keys", ngram_keys, nb::arg("tokens"));
    module.def("script_names", script_names);
    module.attr("MOST_CLASSES") = kMostClasses;
    module.attr("KIND_SHIFT") = kHashBits;
    module.attr("WORD_KIND") = static_cast<int>(NgramKind::word);
    module.attr("EVIDENCE_UNIT") = kBitsPerUnit;
    nb::list common;
    for (const int64_t count : kCommonCounts) common.append(count);
    module.attr("COMMON_COUNTS") = nb::tuple(common);
}

}  // namespace addhash::bind
