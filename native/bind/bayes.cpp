// Naive Bayes on exact counts, for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "bayes/batch.h"
#include "bind/arrays.h"
#include "bind/failure.h"
#include "bind/interrupt.h"
#include "bind/module.h"
#include "bind/options.h"
#include "bind/unicode.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

template <class T> using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A text's counts are multiplied by weights of less than 2^23, and those of a batch are added.
constexpr int64_t kMostTokens = int64_t{1} << 40;

template <class T> std::span<const T> span_of(const Input<T>& array) {
    return {array.data(), array.size()};
}

// As nanobind's exceptions have it: what is wrong with arrays that only our own Python makes.
void require(bool is_so, const char* what) {
    if (!is_so) throw nb::value_error(what);
}

TokenRows count_text_list(const nb::object& documents, const TextOptions& cut,
                          const BucketOptions& options, size_t threads) {
    TextBatch texts;
    check(view_texts(documents, cut.lowercase, threads, texts));
    TokenRows rows;
    Outcome outcome;
    {
        const Unlocked unlocked;
        outcome = count_token_rows(kernels_in_use(), options.rule, cut.analyzer, cut.range,
                                   texts.texts, threads, rows);
        if (options.is_binary) rows = rows.without_repetition();
    }
    check(outcome);
    return rows;
}

bool has_surrogate(const Text& text) {
    const auto is_in = [&](const auto* data) {
        bool found = false;
        for (size_t i = 0; i < text.length; ++i) found |= (data[i] & ~0x7ffu) == 0xd800;
        return found;
    };
    if (text.unit == 1) return false;
    return text.unit == 2 ? is_in(static_cast<const uint16_t*>(text.data))
                          : is_in(static_cast<const uint32_t*>(text.data));
}

// Texts to be scored, which are cut only then.
class TextsToScore {
public:
    // A lone surrogate is a failure, wherever it stands.
    TextsToScore(nb::object documents, const TextOptions& cut, const BucketOptions& options,
                 size_t threads)
        : documents_(std::move(documents)), uncut_{{}, cut.analyzer, cut.range, options.rule} {
        require(!options.is_binary, "texts are scored with the repetition of their tokens");
        check(view_texts(documents_, cut.lowercase, threads, batch_));
        for (size_t i = 0; i < batch_.texts.size(); ++i) {
            if (has_surrogate(batch_.texts[i])) check({Status::surrogate, i});
        }
        uncut_.texts = batch_.texts;
    }
    TextsToScore(const TextsToScore&) = delete;

    const UncutTexts& uncut() const { return uncut_; }

private:
    nb::object documents_;  // keeps the texts alive
    TextBatch batch_;
    UncutTexts uncut_;
};

TokenRows count_token_batch(const TokenBatch& tokens, const BucketOptions& options) {
    const Unlocked unlocked;
    TokenRows rows = count_token_rows(kernels_in_use(), options.rule, tokens);
    return options.is_binary ? rows.without_repetition() : rows;
}

// Rows of a sparse matrix of counts, whose columns ascend in each row.
TokenRows rows_of_csr(const Input<int64_t>& starts, const Input<int64_t>& buckets,
                      const Input<int64_t>& counts, size_t n_features) {
    require(starts.size() >= 1 && starts.data()[0] == 0, "row starts must begin with 0");
    require(buckets.size() == counts.size(), "a count is needed for each bucket");
    TokenRows rows;
    std::vector<CountedToken> row;
    for (size_t i = 0; i + 1 < starts.size(); ++i) {
        const int64_t first = starts.data()[i], end = starts.data()[i + 1];
        require(first <= end && end <= static_cast<int64_t>(buckets.size()),
                "row starts must ascend");
        row.clear();
        int64_t length = 0, last = -1;
        for (int64_t j = first; j < end; ++j) {
            const int64_t bucket = buckets.data()[j], count = counts.data()[j];
            require(
                bucket > last && bucket < static_cast<int64_t>(n_features) && bucket < INT32_MAX,
                "columns must ascend and be below n_features");
            require(count >= 0 && count <= kMostTokens - length,
                    "counts must be from 0 to 2^40 in each row");
            last = bucket;
            length += count;
            if (count > 0) row.push_back({static_cast<uint32_t>(bucket), kNoPrefix, count});
        }
        rows.push_back(row);
    }
    return rows;
}

uint32_t bound_of(std::span<const uint32_t> labels) {
    uint32_t bound = 0;
    for (const uint32_t label : labels) {
        require(label < UINT32_MAX, "too many classes");
        bound = std::max(bound, label + 1);
    }
    return bound;
}

ClassCounts changed(const ClassCounts& old, std::span<const ClassCount> changes) {
    ClassCounts made = old;
    Outcome outcome;
    {
        const Unlocked unlocked;
        outcome = old.change(changes, made);
    }
    if (outcome.status != Status::done) {
        // The class is more informative than the position among the changes.
        outcome.position = changes[outcome.position].label;
        check(outcome);
    }
    return made;
}

ClassCounts change_by_rows(const ClassCounts& old, const TokenRows& rows,
                           const Input<uint32_t>& labels, bool is_forgetting) {
    require(labels.size() == rows.size(), "a label is needed for each row");
    bound_of(span_of(labels));
    std::vector<ClassCount> changes;
    {
        const Unlocked unlocked;
        changes = count_by_class(rows, span_of(labels), is_forgetting ? -1 : 1);
    }
    return changed(old, changes);
}

ClassCounts merged(const ClassCounts& one, const ClassCounts& other) {
    std::vector<ClassCount> changes;
    {
        const Unlocked unlocked;
        const std::vector<uint8_t> coded = other.coded();
        changes.reserve(other.entries());
        for (CountReader reader(coded); reader.next_bucket();) {
            for (uint32_t i = reader.size(); i > 0; --i) changes.push_back(reader.next());
        }
    }
    return changed(one, changes);
}

nb::object to_bytes(const ClassCounts& learnt) {
    const std::vector<uint8_t> coded = learnt.coded();
    Buffer<uint8_t> bytes(coded.size());
    std::copy(coded.begin(), coded.end(), bytes.data());
    return nb::cast(bytes.to_array());
}

void check_smoothing(double smoothing) {
    require(smoothing >= 1e-6 && smoothing <= 1e6, "smoothing must be from 1e-6 to 1e6");
}

// The counts of a file, and the sums of each class.
nb::object from_bytes(const Input<uint8_t>& bytes, size_t buckets, size_t classes,
                      double smoothing) {
    check_smoothing(smoothing);
    require(buckets < INT32_MAX && classes < UINT32_MAX, "too many buckets or classes");
    Buffer<int64_t> tokens(classes);
    std::fill_n(tokens.data(), classes, 0);
    std::vector<uint8_t> coded(bytes.data(), bytes.data() + bytes.size());
    const Status status =
        check_counts(coded, static_cast<uint32_t>(buckets), {tokens.data(), classes});
    check({status, 0});
    return nb::make_tuple(ClassCounts(smoothing, std::move(coded), static_cast<uint32_t>(classes)),
                          tokens.to_array());
}

ClassCounts renumbered(const ClassCounts& learnt, const Input<uint32_t>& numbers) {
    require(numbers.size() >= learnt.classes(), "a number is needed for each class");
    int64_t last = -1;
    for (const uint32_t number : span_of(numbers)) {
        if (number == ClassCounts::kDropped) continue;
        require(number > last, "numbers must ascend");
        last = number;
    }
    const Unlocked unlocked;
    return learnt.renumbered(span_of(numbers));
}

ClassTotals totals_of(const ClassCounts& learnt, const Input<int64_t>& tokens,
                      const Input<int64_t>& texts, bool has_priors) {
    require(tokens.size() == texts.size() && tokens.size() >= learnt.classes(),
            "totals are needed for each class");
    int64_t all = 0;
    for (size_t c = 0; c < tokens.size(); ++c) {
        require(tokens.data()[c] >= 0 && texts.data()[c] >= 0 &&
                    !__builtin_add_overflow(all, tokens.data()[c], &all),
                "totals must not be negative, nor their sum above 2^63");
    }
    return {span_of(tokens), span_of(texts), all, has_priors};
}

// What is asked of a model that has so many classes: TextsToScore or TokenRows, with or without
// labels to leave out. `kept` keeps those alive.
Asked asked_of(const nb::object& vectors, const nb::object& labels, size_t classes,
               Input<uint32_t>& kept) {
    Asked asked;
    if (nb::isinstance<TextsToScore>(vectors)) {
        asked.texts = &nb::cast<const TextsToScore&>(vectors).uncut();
    } else {
        asked.rows = &nb::cast<const TokenRows&>(vectors);
    }
    if (!labels.is_none()) {
        kept = nb::cast<Input<uint32_t>>(labels);
        require(kept.size() == asked.size() && bound_of(span_of(kept)) <= classes,
                "a label is needed for each text");
        asked.labels = span_of(kept);
    }
    return asked;
}

nb::object scores_of(const ClassCounts& learnt, const nb::object& vectors,
                     const Input<int64_t>& tokens, const Input<int64_t>& texts, bool has_priors,
                     const nb::object& labels, size_t threads) {
    const ClassTotals totals = totals_of(learnt, tokens, texts, has_priors);
    Input<uint32_t> kept;
    const Asked asked = asked_of(vectors, labels, texts.size(), kept);
    Buffer<int64_t> scores(asked.size(), texts.size());
    Outcome outcome;
    {
        const Unlocked unlocked;
        outcome = score_all(kernels_in_use(), learnt, totals, asked, threads, scores.data());
    }
    check(outcome);
    return nb::cast(scores.to_matrix());
}

nb::object best_of(const ClassCounts& learnt, const nb::object& vectors,
                   const Input<int64_t>& tokens, const Input<int64_t>& texts, bool has_priors,
                   const nb::object& labels, double rate, size_t threads) {
    const ClassTotals totals = totals_of(learnt, tokens, texts, has_priors);
    Input<uint32_t> kept;
    const Asked asked = asked_of(vectors, labels, texts.size(), kept);
    const size_t size = asked.size();
    Buffer<int64_t> winners(size), scores(size), others(size), other_scores(size);
    Buffer<double> masses(size);
    Outcome outcome;
    {
        const Unlocked unlocked;
        outcome = find_best(
            kernels_in_use(), learnt, totals, asked, rate, threads,
            {winners.data(), scores.data(), others.data(), other_scores.data(), masses.data()});
    }
    check(outcome);
    return nb::make_tuple(winners.to_array(), scores.to_array(), others.to_array(),
                          other_scores.to_array(), masses.to_array());
}

// What tokens add to the score of a class, and what the class has without any. Token i is of a
// bucket and extends one of the bucket prefixes[i], or none if that is kNoPrefix.
nb::object explain(const ClassCounts& learnt, const Input<uint32_t>& buckets,
                   const Input<uint32_t>& prefixes, const Input<int64_t>& times,
                   const Input<int64_t>& tokens, const Input<int64_t>& texts, bool has_priors,
                   uint32_t label) {
    const ClassTotals totals = totals_of(learnt, tokens, texts, has_priors);
    const size_t size = buckets.size();
    require(prefixes.size() == size && times.size() == size && label < texts.size(),
            "expected a prefix and a count for each token, and the number of a class");
    std::vector<CountedToken> text(2 * size);
    for (size_t i = 0; i < size; ++i) {
        require(times.data()[i] >= 0 && times.data()[i] <= kMostTokens, "a count is out of range");
        const uint32_t prefix = prefixes.data()[i];
        const auto place = static_cast<uint32_t>(size + i);
        text[i] = {buckets.data()[i], prefix == kNoPrefix ? kNoPrefix : place, times.data()[i]};
        text[size + i] = {prefix, kNoPrefix, 0};
    }
    RowScorer scorer(kernels_in_use(), learnt, totals);
    std::vector<int64_t> all(2 * size);
    scorer.explain(text, label, all.data());
    Buffer<int64_t> parts(size);
    std::copy_n(all.begin(), size, parts.data());
    return nb::make_tuple(parts.to_array(), scorer.start(label));
}

}  // namespace

void register_bayes(nb::module_& module) {
    nb::class_<TokenRows>(module, "TokenRows")
        .def("__len__", &TokenRows::size)
        .def_static("joined",
                    [](const nb::list& parts) {
                        TokenRows rows;
                        for (const nb::handle part : parts) {
                            rows.append(nb::cast<const TokenRows&>(part));
                        }
                        return rows;
                    })
        .def_prop_ro("lengths", [](const TokenRows& rows) {
            Buffer<int64_t> lengths(rows.size());
            for (size_t i = 0; i < rows.size(); ++i) lengths.data()[i] = rows.length(i);
            return nb::cast(lengths.to_array());
        });
    nb::class_<TextsToScore>(module, "TextsToScore")
        .def(nb::init<nb::object, const TextOptions&, const BucketOptions&, size_t>(),
             nb::arg("documents"), nb::arg("cut"), nb::arg("options"), nb::arg("threads"));
    nb::class_<ClassCounts>(module, "ClassCounts")
        .def(
            "__init__",
            [](ClassCounts* self, double smoothing) {
                check_smoothing(smoothing);
                new (self) ClassCounts(smoothing);
            },
            nb::arg("smoothing"))
        .def_static("from_bytes", from_bytes, nb::arg("coded"), nb::arg("buckets"),
                    nb::arg("classes"), nb::arg("smoothing"))
        .def("to_bytes", to_bytes)
        .def("__len__", &ClassCounts::entries)
        .def_prop_ro("smoothing",
                     [](const ClassCounts& counts) { return counts.rule().smoothing(); })
        .def(
            "with_smoothing",
            [](const ClassCounts& counts, double smoothing) {
                check_smoothing(smoothing);
                const Unlocked unlocked;
                return counts.with_smoothing(smoothing);
            },
            nb::arg("smoothing"))
        .def("change", change_by_rows, nb::arg("rows"), nb::arg("labels"), nb::arg("is_forgetting"))
        .def("merged", merged, nb::arg("other"))
        .def("renumbered", renumbered, nb::arg("numbers"))
        .def("scores", scores_of, nb::arg("vectors"), nb::arg("tokens"), nb::arg("texts"),
             nb::arg("has_priors"), nb::arg("labels").none(), nb::arg("threads"))
        .def("best", best_of, nb::arg("vectors"), nb::arg("tokens"), nb::arg("texts"),
             nb::arg("has_priors"), nb::arg("labels").none(), nb::arg("rate"), nb::arg("threads"))
        .def("explain", explain, nb::arg("buckets"), nb::arg("prefixes"), nb::arg("times"),
             nb::arg("tokens"), nb::arg("texts"), nb::arg("has_priors"), nb::arg("label"));
    module.attr("DROPPED") = ClassCounts::kDropped;
    module.attr("NO_PREFIX") = kNoPrefix;
    module.def("count_token_rows", count_text_list, nb::arg("documents"), nb::arg("cut"),
               nb::arg("options"), nb::kw_only(), nb::arg("threads"));
    module.def("count_token_batch", count_token_batch, nb::arg("tokens"), nb::arg("options"));
    module.def("token_rows_of_csr", rows_of_csr, nb::arg("starts"), nb::arg("buckets"),
               nb::arg("counts"), nb::arg("n_features"));
}

}  // namespace addhash::bind
