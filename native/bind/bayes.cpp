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

// A text's counts are multiplied by weights of less than 2^23, and those of a batch are added.
constexpr size_t kMostOrders = 64 + kMostWordsOfText;
constexpr int64_t kMostTokens = int64_t{1} << 40;

TokenRows count_text_list(const nb::object& documents, const TextOptions& cut,
                          const BucketOptions& options, size_t threads) {
    TextBatch texts;
    check(view_texts(documents, cut.folding, threads, texts));
    TokenRows rows;
    Outcome outcome;
    {
        const Unlocked unlocked;
        outcome =
            count_token_rows(kernels_in_use(), options.rule, cut.how, texts.texts, threads, rows);
        if (options.is_binary) rows = rows.without_repetition();
    }
    check(outcome);
    return rows;
}

// Texts to be scored, which are cut only then.
class TextsToScore {
public:
    // A lone surrogate is a failure, wherever it stands.
    TextsToScore(nb::object documents, const TextOptions& cut, const BucketOptions& options,
                 size_t threads)
        : documents_(std::move(documents)), pending_{{}, cut.how, options.rule} {
        require(!options.is_binary, "texts are scored with the repetition of their tokens");
        check(view_texts(documents_, cut.folding, threads, batch_));
        check_surrogates(batch_.texts);
        pending_.texts = batch_.texts;
    }
    TextsToScore(const TextsToScore&) = delete;

    const PendingTexts& pending() const { return pending_; }

private:
    nb::object documents_;  // keeps the texts alive
    TextBatch batch_;
    PendingTexts pending_;
};

// N-grams of words, of `shortest` words and more, in so many lengths; or tokens of one order.
TokenRows count_token_batch(const TokenBatch& tokens, const BucketOptions& options,
                            uint32_t shortest, uint32_t orders) {
    require(shortest >= 1 && orders >= 1, "expected at least one order");
    const Unlocked unlocked;
    TokenRows rows =
        count_token_rows(kernels_in_use(), options.rule, tokens, ' ', shortest - 1, orders);
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
            if (count > 0) row.push_back({static_cast<uint32_t>(bucket), 0, count});
        }
        rows.push_back(row);
    }
    return rows;
}

uint32_t bound_of(std::span<const uint32_t> labels) {
    uint32_t bound = 0;
    for (const uint32_t label : labels) {
        require(label < kMostCountedClasses, "too many classes");
        bound = std::max(bound, label + 1);
    }
    return bound;
}

ClassCounts with_changes(const ClassCounts& old, std::span<const ClassCount> changes) {
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
    return with_changes(old, changes);
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
    return with_changes(one, changes);
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
    require(buckets <= INT32_MAX && classes <= kMostCountedClasses, "too many buckets or classes");
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
        require(number > last && number < kMostCountedClasses, "numbers must ascend");
        last = number;
    }
    const Unlocked unlocked;
    return learnt.renumbered(span_of(numbers));
}

// What is known about classes besides their counts, and the numbers that were chosen.
ClassTotals totals_of(const Input<int64_t>& texts, const Input<int64_t>& tokens, size_t orders,
                      const Input<double>& weights, const Input<double>& biases,
                      double prior_weight, double smoothing, const Input<double>& crosses,
                      double later) {
    const size_t classes = texts.size();
    require(orders >= 1 && orders <= kMostOrders && classes <= kMostCountedClasses &&
                tokens.size() == classes * orders && biases.size() == classes &&
                weights.size() == 2 * orders * classes,
            "totals are needed for each class and order");
    check_smoothing(smoothing);
    const std::span<const double> of_classes = span_of(biases);
    const auto crossed = static_cast<size_t>(std::count_if(
        of_classes.begin(), of_classes.end(), [](double bias) { return bias == bias; }));
    require(crosses.size() == 0 || crosses.size() == 2 * orders * crossed * crossed,
            "crosses are needed for each view and two classes with a bias");
    int64_t all_texts = 0, all_tokens = 0;
    for (const int64_t count : span_of(texts)) {
        require(count >= 0 && !__builtin_add_overflow(all_texts, count, &all_texts),
                "texts must not be negative, nor their sum 2^63 or more");
    }
    for (const int64_t count : span_of(tokens)) {
        require(count >= 0 && !__builtin_add_overflow(all_tokens, count, &all_tokens),
                "tokens must not be negative, nor their sum 2^63 or more");
    }
    return ClassTotals({texts.data(), texts.data() + classes},
                       {tokens.data(), tokens.data() + tokens.size()}, orders,
                       {{weights.data(), weights.data() + weights.size()},
                        {biases.data(), biases.data() + classes},
                        prior_weight,
                        {crosses.data(), crosses.data() + crosses.size()},
                        later},
                       smoothing);
}

void check_totals(const ClassCounts& learnt, const ClassTotals& totals) {
    require(totals.classes() >= learnt.classes(), "totals are needed for each class");
}

void check_orders(const Query& query, const ClassTotals& totals) {
    if (query.rows == nullptr) {
        const Tokenization& how = query.texts->how;
        const size_t words = how.analyzer == Analyzer::text ? kMostWordsOfText : 0;
        require(how.range.max - how.range.min + 1 + words == totals.orders(),
                "totals are needed for each order");
        return;
    }
    for (size_t i = 0; i < query.rows->size(); ++i) {
        for (const CountedToken& token : (*query.rows)[i]) {
            require(token.order < totals.orders(), "totals are needed for each order");
        }
    }
}

// What is asked of a model that has so many classes: TextsToScore or TokenRows, with or without
// labels to leave out. `kept` keeps those alive.
Query query_of(const nb::object& vectors, const nb::object& labels, size_t classes,
               Input<uint32_t>& kept) {
    Query query;
    if (nb::isinstance<TextsToScore>(vectors)) {
        query.texts = &nb::cast<const TextsToScore&>(vectors).pending();
    } else {
        query.rows = &nb::cast<const TokenRows&>(vectors);
    }
    if (!labels.is_none()) {
        kept = nb::cast<Input<uint32_t>>(labels);
        require(kept.size() == query.size() && bound_of(span_of(kept)) <= classes,
                "a label is needed for each text");
        query.labels = span_of(kept);
    }
    return query;
}

nb::object scores_of(const ClassCounts& learnt, const ClassTotals& totals,
                     const nb::object& vectors, const nb::object& labels, size_t threads) {
    check_totals(learnt, totals);
    Input<uint32_t> kept;
    const Query query = query_of(vectors, labels, totals.classes(), kept);
    check_orders(query, totals);
    Buffer<double> scores(query.size(), totals.classes());
    Outcome outcome;
    {
        const Unlocked unlocked;
        outcome = score_all(kernels_in_use(), learnt, totals, query, threads, scores.data());
    }
    check(outcome);
    return nb::cast(scores.to_matrix());
}

// The views of rows, each as if it had never been learnt with its label, if there are labels: a row
// of `classes` for each view.
nb::object views_of(const ClassCounts& learnt, const ClassTotals& totals, const TokenRows& rows,
                    const nb::object& labels, size_t threads) {
    check_totals(learnt, totals);
    Input<uint32_t> kept;
    const Query query = query_of(nb::cast(&rows), labels, totals.classes(), kept);
    check_orders(query, totals);
    const size_t stride = 2 * totals.orders() * totals.classes();
    Buffer<double> views(query.size(), stride);
    std::vector<double> scores(query.size() * totals.classes());
    Outcome outcome;
    {
        const Unlocked unlocked;
        outcome = score_all(kernels_in_use(), learnt, totals, query, threads, scores.data(),
                            views.data());
    }
    check(outcome);
    return nb::cast(views.to_matrix());
}

nb::object best_of(const ClassCounts& learnt, const ClassTotals& totals, const nb::object& vectors,
                   const nb::object& labels, size_t threads) {
    check_totals(learnt, totals);
    Input<uint32_t> kept;
    const Query query = query_of(vectors, labels, totals.classes(), kept);
    check_orders(query, totals);
    const size_t size = query.size();
    Buffer<int64_t> winners(size), others(size);
    Buffer<double> scores(size), shares(size), other_scores(size), other_shares(size);
    Outcome outcome;
    {
        const Unlocked unlocked;
        outcome = find_best(kernels_in_use(), learnt, totals, query, threads,
                            {winners.data(), scores.data(), shares.data(), others.data(),
                             other_scores.data(), other_shares.data()});
    }
    check(outcome);
    return nb::make_tuple(winners.to_array(), scores.to_array(), shares.to_array(),
                          others.to_array(), other_scores.to_array(), other_shares.to_array());
}

// What tokens, which are all that a text has, add to the score of a class.
nb::object explain(const ClassCounts& learnt, const ClassTotals& totals,
                   const Input<uint32_t>& buckets, const Input<uint32_t>& orders,
                   const Input<int64_t>& times, uint32_t label) {
    check_totals(learnt, totals);
    const size_t size = buckets.size();
    require(orders.size() == size && times.size() == size && label < totals.classes(),
            "expected an order and a count for each token, and the number of a class");
    std::vector<CountedToken> text(size);
    for (size_t i = 0; i < size; ++i) {
        require(times.data()[i] >= 0 && times.data()[i] <= kMostTokens, "a count is out of range");
        require(orders.data()[i] < totals.orders(), "totals are needed for each order");
        text[i] = {buckets.data()[i], orders.data()[i], times.data()[i]};
    }
    RowScorer scorer(kernels_in_use(), learnt, totals);
    Buffer<double> parts(size);
    scorer.explain(text, label, parts.data());
    return nb::cast(parts.to_array());
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
        .def("part",
             [](const TokenRows& rows, const Input<int64_t>& positions) {
                 TokenRows part;
                 for (const int64_t i : span_of(positions)) {
                     require(i >= 0 && i < static_cast<int64_t>(rows.size()),
                             "expected positions of rows");
                     part.push_back(rows[static_cast<size_t>(i)]);
                 }
                 return part;
             })
        .def(
            "lengths",
            [](const TokenRows& rows, uint32_t orders) {
                Buffer<int64_t> lengths(rows.size(), orders);
                std::fill_n(lengths.data(), rows.size() * orders, 0);
                for (size_t i = 0; i < rows.size(); ++i) {
                    for (const CountedToken& token : rows[i]) {
                        require(token.order < orders, "a token has an unknown order");
                        lengths.data()[i * orders + token.order] += token.count;
                    }
                }
                return nb::cast(lengths.to_matrix());
            },
            nb::arg("orders"));
    nb::class_<TextsToScore>(module, "PendingTexts")
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
        .def("scores", scores_of, nb::arg("totals"), nb::arg("vectors"), nb::arg("labels").none(),
             nb::arg("threads"))
        .def("views", views_of, nb::arg("totals"), nb::arg("rows"), nb::arg("labels").none(),
             nb::arg("threads"))
        .def("best", best_of, nb::arg("totals"), nb::arg("vectors"), nb::arg("labels").none(),
             nb::arg("threads"))
        .def("explain", explain, nb::arg("totals"), nb::arg("buckets"), nb::arg("orders"),
             nb::arg("times"), nb::arg("label"));
    nb::class_<ClassTotals>(module, "ClassTotals")
        .def(
            "__init__",
            [](ClassTotals* self, const Input<int64_t>& texts, const Input<int64_t>& tokens,
               size_t orders, const Input<double>& weights, const Input<double>& biases,
               double prior_weight, double smoothing, const Input<double>& crosses, double later) {
                new (self) ClassTotals(totals_of(texts, tokens, orders, weights, biases,
                                                 prior_weight, smoothing, crosses, later));
            },
            nb::arg("texts"), nb::arg("tokens"), nb::arg("orders"), nb::arg("weights"),
            nb::arg("biases"), nb::arg("prior_weight"), nb::arg("smoothing"), nb::arg("crosses"),
            nb::arg("later"))
        .def(
            "start",
            [](const ClassTotals& totals, uint32_t label) {
                require(label < totals.classes(), "expected the number of a class");
                return totals.start(label);
            },
            nb::arg("label"));
    module.attr("DROPPED") = ClassCounts::kDropped;
    module.attr("MOST_COUNTED_CLASSES") = kMostCountedClasses;
    module.def("count_token_rows", count_text_list, nb::arg("documents"), nb::arg("cut"),
               nb::arg("options"), nb::kw_only(), nb::arg("threads"));
    module.def("count_token_batch", count_token_batch, nb::arg("tokens"), nb::arg("options"),
               nb::arg("shortest"), nb::arg("orders"));
    module.def("token_rows_of_csr", rows_of_csr, nb::arg("starts"), nb::arg("buckets"),
               nb::arg("counts"), nb::arg("n_features"));
}

}  // namespace addhash::bind
