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
        // The class tells more than the position among the changes.
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

ClassCounts change_by_arrays(const ClassCounts& old, const Input<uint32_t>& buckets,
                             const Input<uint32_t>& labels, const Input<int64_t>& counts) {
    require(buckets.size() == labels.size() && buckets.size() == counts.size(),
            "buckets, labels and counts must be of one length");
    std::vector<ClassCount> changes(buckets.size());
    for (size_t i = 0; i < changes.size(); ++i) {
        changes[i] = {buckets.data()[i], labels.data()[i], counts.data()[i]};
        require(changes[i].bucket < INT32_MAX, "a bucket is too large");
        require(i == 0 || changes[i - 1].bucket < changes[i].bucket ||
                    (changes[i - 1].bucket == changes[i].bucket &&
                     changes[i - 1].label < changes[i].label),
                "buckets and labels must ascend");
    }
    bound_of(span_of(labels));
    return changed(old, changes);
}

nb::object to_arrays(const ClassCounts& learnt) {
    const std::vector<ClassCount> all = learnt.all();
    Buffer<uint32_t> buckets(all.size()), labels(all.size());
    Buffer<int64_t> counts(all.size());
    for (size_t i = 0; i < all.size(); ++i) {
        buckets.data()[i] = all[i].bucket;
        labels.data()[i] = all[i].label;
        counts.data()[i] = all[i].count;
    }
    return nb::make_tuple(buckets.to_array(), labels.to_array(), counts.to_array());
}

ClassTotals totals_of(const ClassCounts& learnt, const Input<int64_t>& tokens,
                      const Input<int64_t>& texts, double smoothing) {
    require(smoothing >= 1e-6 && smoothing <= 1e6, "smoothing must be from 1e-6 to 1e6");
    require(tokens.size() == texts.size() && tokens.size() >= learnt.classes(),
            "totals are needed for each class");
    int64_t all = 0;
    for (size_t c = 0; c < tokens.size(); ++c) {
        require(tokens.data()[c] >= 0 && texts.data()[c] >= 0 &&
                    !__builtin_add_overflow(all, tokens.data()[c], &all),
                "totals must not be negative, nor their sum above 2^63");
    }
    return {span_of(tokens), span_of(texts), all, smoothing};
}

// Labels of texts to leave out, or none.
std::span<const uint32_t> left_out(const nb::object& labels, const TokenRows& rows,
                                   const ClassTotals& totals, Input<uint32_t>& kept) {
    if (labels.is_none()) return {};
    kept = nb::cast<Input<uint32_t>>(labels);
    require(kept.size() == rows.size() && bound_of(span_of(kept)) <= totals.texts.size(),
            "a label is needed for each row");
    return span_of(kept);
}

nb::object scores_of(const ClassCounts& learnt, const TokenRows& rows, const Input<int64_t>& tokens,
                     const Input<int64_t>& texts, double smoothing, const nb::object& labels,
                     size_t threads) {
    const ClassTotals totals = totals_of(learnt, tokens, texts, smoothing);
    Input<uint32_t> kept;
    const auto out = left_out(labels, rows, totals, kept);
    Buffer<int64_t> scores(rows.size(), texts.size());
    {
        const Unlocked unlocked;
        score_all(learnt, totals, rows, out, threads, scores.data());
    }
    return nb::cast(scores.to_matrix());
}

nb::object best_of(const ClassCounts& learnt, const TokenRows& rows, const Input<int64_t>& tokens,
                   const Input<int64_t>& texts, double smoothing, const nb::object& labels,
                   double rate, size_t threads) {
    const ClassTotals totals = totals_of(learnt, tokens, texts, smoothing);
    Input<uint32_t> kept;
    const auto out = left_out(labels, rows, totals, kept);
    const size_t size = rows.size();
    Buffer<int64_t> winners(size), scores(size), others(size), other_scores(size);
    Buffer<double> masses(size);
    {
        const Unlocked unlocked;
        find_best(
            learnt, totals, rows, out, rate, threads,
            {winners.data(), scores.data(), others.data(), other_scores.data(), masses.data()});
    }
    return nb::make_tuple(winners.to_array(), scores.to_array(), others.to_array(),
                          other_scores.to_array(), masses.to_array());
}

// What tokens add to the score of a class, and what the class has without any. Token i is of a
// bucket and extends one of the bucket prefixes[i], or none if that is kNoPrefix.
nb::object explain(const ClassCounts& learnt, const Input<uint32_t>& buckets,
                   const Input<uint32_t>& prefixes, const Input<int64_t>& times,
                   const Input<int64_t>& tokens, const Input<int64_t>& texts, double smoothing,
                   uint32_t label) {
    const ClassTotals totals = totals_of(learnt, tokens, texts, smoothing);
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
    Scorer scorer(learnt, totals);
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
    nb::class_<ClassCounts>(module, "ClassCounts")
        .def(nb::init<>())
        .def("__len__", &ClassCounts::entries)
        .def("change", change_by_rows, nb::arg("rows"), nb::arg("labels"), nb::arg("is_forgetting"))
        .def("add", change_by_arrays, nb::arg("buckets"), nb::arg("labels"), nb::arg("counts"))
        .def("arrays", to_arrays)
        .def("scores", scores_of, nb::arg("rows"), nb::arg("tokens"), nb::arg("texts"),
             nb::arg("smoothing"), nb::arg("labels").none(), nb::arg("threads"))
        .def("best", best_of, nb::arg("rows"), nb::arg("tokens"), nb::arg("texts"),
             nb::arg("smoothing"), nb::arg("labels").none(), nb::arg("rate"), nb::arg("threads"))
        .def("explain", explain, nb::arg("buckets"), nb::arg("prefixes"), nb::arg("times"),
             nb::arg("tokens"), nb::arg("texts"), nb::arg("smoothing"), nb::arg("label"));
    module.attr("NO_PREFIX") = kNoPrefix;
    module.def("count_token_rows", count_text_list, nb::arg("documents"), nb::arg("cut"),
               nb::arg("options"), nb::kw_only(), nb::arg("threads"));
    module.def("count_token_batch", count_token_batch, nb::arg("tokens"), nb::arg("options"));
    module.def("token_rows_of_csr", rows_of_csr, nb::arg("starts"), nb::arg("buckets"),
               nb::arg("counts"), nb::arg("n_features"));
}

}  // namespace addhash::bind
