// Similar sets of tokens for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bind/arrays.h"
#include "bind/failure.h"
#include "bind/interrupt.h"
#include "bind/module.h"
#include "bind/options.h"
#include "bind/unicode.h"
#include "duplicates/clusters.h"
#include "duplicates/collection.h"
#include "duplicates/join.h"
#include "duplicates/record_join.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

Threshold threshold_of(const std::string& measure, uint64_t numerator, uint64_t denominator) {
    if (numerator < 1 || numerator > denominator || denominator > Threshold::kMost) {
        throw nb::value_error("the threshold must be a fraction above 0 and up to 1");
    }
    if (measure == "jaccard") return {Measure::jaccard, numerator, denominator};
    if (measure == "containment") return {Measure::containment, numerator, denominator};
    if (measure == "cosine") return {Measure::cosine, numerator, denominator};
    throw nb::value_error("measure must be 'jaccard', 'containment' or 'cosine'");
}

// Adds the sets of all documents, or raises a Failure and adds none.
void add_texts(TokenSets& sets, const nb::object& documents, const std::string& analyzer,
               size_t min_n, size_t max_n, bool lowercase, size_t threads) {
    const bool in_units = analyzer == "auto";
    const TextOptions cut(in_units ? "word" : analyzer, min_n, max_n, lowercase);
    TextBatch texts;
    check(view_texts(documents, cut.folding, threads, texts));
    Outcome added;
    {
        const Unlocked unlocked;
        added = sets.add(kernels_in_use(), {in_units, cut.how}, texts.texts, threads);
    }
    check(added);
}

class NoSink final : public TokenSink {
public:
    void consume(const uint8_t*, const uint32_t*, const uint32_t*, size_t) override {}
};

// Where the units of a text begin and end.
nb::list unit_spans(const nb::str& text) {
    nb::list documents;
    documents.append(text);
    TextBatch texts;
    check(view_texts(documents, {.lowercase = false}, 1, texts));
    UnitCutter cutter({1, 1});
    NoSink sink;
    check({cutter.run(texts.texts[0], sink), 0});
    nb::list spans;
    for (const UnitCutter::Span& span : cutter.spans()) {
        spans.append(nb::make_tuple(span.start, span.end));
    }
    return spans;
}

void add_arrays(TokenSets& sets, const Input<uint32_t>& sizes, const Input<uint64_t>& hashes) {
    bool is_valid = false;
    {
        const Unlocked unlocked;
        is_valid = sets.add(span_of(sizes), span_of(hashes));
    }
    if (!is_valid) throw nb::value_error("sets must be ascending and use up the hashes");
}

void check_range(const TokenSets& sets, size_t first, size_t last) {
    if (first > last || last > sets.size()) throw nb::index_error("no such sets");
}

nb::object sizes_of(const TokenSets& sets, size_t first, size_t last) {
    check_range(sets, first, last);
    Buffer<uint32_t> sizes(last - first);
    for (size_t i = first; i < last; ++i) {
        sizes.data()[i - first] = static_cast<uint32_t>(sets[i].size());
    }
    return nb::cast(sizes.to_array());
}

nb::object hashes_of(const TokenSets& sets, size_t first, size_t last) {
    check_range(sets, first, last);
    size_t count = 0;
    for (size_t i = first; i < last; ++i) count += sets[i].size();
    Buffer<uint64_t> hashes(count);
    uint64_t* out = hashes.data();
    for (size_t i = first; i < last; ++i) out = std::ranges::copy(sets[i], out).out;
    return nb::cast(hashes.to_array());
}

// Two numbers for each set that no two different sets are known to share.
nb::object digests_of(const TokenSets& sets, size_t first, size_t last) {
    check_range(sets, first, last);
    Buffer<uint64_t> digests(last - first, 2);
    for (size_t i = first; i < last; ++i) {
        const Seed seed = wide_digest(kernels_in_use(), sets[i]);
        digests.data()[2 * (i - first)] = seed.low;
        digests.data()[2 * (i - first) + 1] = seed.high;
    }
    return nb::cast(digests.to_matrix());
}

// How many hashes each pair of sets shares.
nb::object shared_of(const TokenSets& sets, const Input<uint32_t>& left,
                     const Input<uint32_t>& right, size_t threads) {
    if (left.shape(0) != right.shape(0)) throw nb::value_error("a pair has two sides");
    const size_t count = left.shape(0);
    for (size_t i = 0; i < count; ++i) {
        if (left.data()[i] >= sets.size() || right.data()[i] >= sets.size()) {
            throw nb::index_error("no such sets");
        }
    }
    Buffer<uint32_t> shared(count);
    {
        const Unlocked unlocked;
        shared_in_pairs(sets, span_of(left), span_of(right), shared.data(), threads);
    }
    return nb::cast(shared.to_array());
}

template <class T, class Items, class Get> nb::object column(const Items& items, Get&& get) {
    Buffer<T> out(items.size());
    for (size_t i = 0; i < items.size(); ++i) out.data()[i] = get(items[i]);
    return nb::cast(out.to_array());
}

template <class T> nb::object column(const std::vector<T>& items) {
    return column<T>(items, [](T item) { return item; });
}

// (first equal set of each, left, right, shared, whether these are all pairs)
nb::object join_sets(const TokenSets& sets, const std::string& measure, uint64_t numerator,
                     uint64_t denominator, std::optional<size_t> boundary, size_t most_pairs,
                     size_t threads) {
    const Threshold threshold = threshold_of(measure, numerator, denominator);
    SimilarSets found;
    {
        const Unlocked unlocked;
        found = join(kernels_in_use(), sets, threshold, boundary, most_pairs, threads);
    }
    using Pair = SimilarPair;
    return nb::make_tuple(column(found.first_equal),
                          column<uint32_t>(found.pairs, [](const Pair& p) { return p.left; }),
                          column<uint32_t>(found.pairs, [](const Pair& p) { return p.right; }),
                          column<uint32_t>(found.pairs, [](const Pair& p) { return p.shared; }),
                          found.is_complete);
}

// The fields of records, as lists of sets (or None) and of numbers.
struct RecordColumns {
    Records records;
    std::vector<Input<double>> numbers;  // kept while the records are in use

    RecordColumns(const nb::list& sets, const nb::list& columns, const Input<double>& tolerances,
                  const Input<double>& weights, const Input<uint32_t>& presence) {
        const size_t count = nb::len(sets);
        if (count > Records::kMostFields || nb::len(columns) != count ||
            tolerances.shape(0) != count || weights.shape(0) != count) {
            throw nb::value_error("a field has sets or numbers, a tolerance and a weight");
        }
        records.presence = span_of(presence);
        for (size_t f = 0; f < count; ++f) {
            RecordField field = {weights.data()[f], nullptr, {}, tolerances.data()[f]};
            if (!(field.weight > 0)) throw nb::value_error("weights must be above 0");
            size_t values = 0;
            if (sets[f].is_none()) {
                numbers.push_back(nb::cast<Input<double>>(columns[f]));
                field.numbers = span_of(numbers.back());
                values = field.numbers.size();
            } else {
                field.sets = nb::cast<const TokenSets*>(sets[f]);
                values = field.sets->size();
            }
            if (values != records.size()) throw nb::value_error("a record has one of each");
            records.fields.push_back(field);
        }
    }
};

// (left, right, similarity, whether these are all pairs)
nb::object join_record_columns(const nb::list& sets, const nb::list& numbers,
                               const Input<double>& tolerances, const Input<double>& weights,
                               const Input<uint32_t>& presence, double threshold,
                               double least_weight, std::optional<size_t> boundary,
                               size_t most_pairs, size_t threads) {
    const RecordColumns columns(sets, numbers, tolerances, weights, presence);
    const RecordRule rule = {threshold, least_weight, boundary, most_pairs};
    SimilarRecords found;
    {
        const Unlocked unlocked;
        found = join_records(kernels_in_use(), columns.records, rule, threads);
    }
    return nb::make_tuple(column(found.left), column(found.right), column(found.similarity),
                          found.is_complete);
}

// The similarities of pairs of records.
nb::object record_similarities(const nb::list& sets, const nb::list& numbers,
                               const Input<double>& tolerances, const Input<double>& weights,
                               const Input<uint32_t>& presence, double least_weight,
                               const Input<uint32_t>& left, const Input<uint32_t>& right) {
    const RecordColumns columns(sets, numbers, tolerances, weights, presence);
    if (left.shape(0) != right.shape(0)) throw nb::value_error("a pair has two sides");
    Buffer<double> similarities(left.shape(0));
    for (size_t i = 0; i < left.shape(0); ++i) {
        const uint32_t a = left.data()[i], b = right.data()[i];
        if (a >= columns.records.size() || b >= columns.records.size()) {
            throw nb::index_error("no such records");
        }
        similarities.data()[i] = columns.records.similarity(a, b, least_weight);
    }
    return nb::cast(similarities.to_array());
}

nb::object group_items(const Input<uint32_t>& items, const Input<uint32_t>& others, size_t count,
                       bool is_connected) {
    if (items.shape(0) != others.shape(0)) throw nb::value_error("a pair has two sides");
    for (size_t i = 0; i < items.shape(0); ++i) {
        const uint32_t item = items.data()[i];
        if (item >= count || others.data()[i] >= item || (i > 0 && items.data()[i - 1] > item)) {
            throw nb::value_error("pairs must be ordered, the lower number second");
        }
    }
    Buffer<uint32_t> groups(count);
    const std::span<uint32_t> out(groups.data(), count);
    if (is_connected) {
        group_connected(span_of(items), span_of(others), out);
    } else {
        group_by_representative(span_of(items), span_of(others), out);
    }
    return nb::cast(groups.to_array());
}

using Ids = Input<int64_t>;

// Whether each id is there.
nb::object has_ids(const Collection& collection, const Ids& ids) {
    Buffer<bool> found(ids.shape(0));
    for (size_t i = 0; i < ids.shape(0); ++i) {
        found.data()[i] = collection.contains(ids.data()[i]);
    }
    return nb::cast(found.to_array());
}

// Removes some texts, then adds others, in one go.
void change(Collection& collection, const Ids& removed, const Ids& added, const TokenSets& sets,
            size_t threads) {
    if (added.shape(0) != sets.size()) throw nb::value_error("a set has one id");
    std::unordered_set<int64_t> old, fresh;
    for (int64_t id : span_of(removed)) {
        if (!collection.contains(id)) throw nb::value_error("no such id");
        old.insert(id);
    }
    for (int64_t id : span_of(added)) {
        const bool is_taken = collection.contains(id) && !old.contains(id);
        if (is_taken || !fresh.insert(id).second) throw nb::value_error("an id is taken");
    }
    // Not interrupted: a change is complete or absent.
    const ReleasedGil released;
    collection.remove(span_of(removed));
    collection.add(span_of(added), sets, threads);
}

// (query, id, shared, size)
nb::object query_collection(const Collection& collection, const TokenSets& sets, size_t threads) {
    std::vector<IdMatch> found;
    {
        const Unlocked unlocked;
        found = collection.query(sets, threads);
    }
    return nb::make_tuple(column<uint32_t>(found, [](const IdMatch& m) { return m.query; }),
                          column<int64_t>(found, [](const IdMatch& m) { return m.id; }),
                          column<uint32_t>(found, [](const IdMatch& m) { return m.shared; }),
                          column<uint32_t>(found, [](const IdMatch& m) { return m.size; }));
}

// (left, right, shared, size of left, size of right)
nb::object pairs_of(const Collection& collection) {
    const std::vector<IdPair> pairs = collection.pairs();
    return nb::make_tuple(column<int64_t>(pairs, [](const IdPair& p) { return p.left; }),
                          column<int64_t>(pairs, [](const IdPair& p) { return p.right; }),
                          column<uint32_t>(pairs, [](const IdPair& p) { return p.shared; }),
                          column<uint32_t>(pairs, [](const IdPair& p) { return p.left_size; }),
                          column<uint32_t>(pairs, [](const IdPair& p) { return p.right_size; }));
}

// (id, cluster, representative, shared with it, size, size of the representative)
nb::object placed_of(const Collection& collection) {
    const std::vector<Placed> texts = collection.placed();
    return nb::make_tuple(
        column<int64_t>(texts, [](const Placed& p) { return p.id; }),
        column<int64_t>(texts, [](const Placed& p) { return p.cluster; }),
        column<int64_t>(texts, [](const Placed& p) { return p.representative; }),
        column<uint32_t>(texts, [](const Placed& p) { return p.shared; }),
        column<uint32_t>(texts, [](const Placed& p) { return p.size; }),
        column<uint32_t>(texts, [](const Placed& p) { return p.representative_size; }));
}

// (ids, sets, sizes, hashes, leaders, clusters, next id)
nb::object state_of(const Collection& collection) {
    const CollectionState state = collection.state();
    return nb::make_tuple(column(state.ids), column(state.sets), column(state.sizes),
                          column(state.hashes), column(state.leaders), column(state.clusters),
                          state.next_id);
}

template <class T> std::vector<T> copy(const Input<T>& array) {
    return std::vector<T>(array.data(), array.data() + array.shape(0));
}

// False, and a collection of no use, if the state is not one that state_of() gave.
bool restore(Collection& collection, const Ids& ids, const Input<uint32_t>& sets,
             const Input<uint32_t>& sizes, const Input<uint64_t>& hashes,
             const Input<uint32_t>& leaders, const Ids& clusters, int64_t next_id, size_t threads) {
    const CollectionState state = {copy(ids),     copy(sets),     copy(sizes), copy(hashes),
                                   copy(leaders), copy(clusters), next_id};
    const Unlocked unlocked;
    return collection.restore(state, threads);
}

}  // namespace

void register_duplicates(nb::module_& module) {
    nb::class_<TokenSets>(module, "TokenSets")
        .def(nb::init<>())
        .def("__len__", &TokenSets::size)
        .def_prop_ro("tokens", &TokenSets::tokens)
        .def_prop_ro("nbytes", &TokenSets::bytes)
        .def("add_texts", add_texts, nb::arg("documents"), nb::kw_only(), nb::arg("analyzer"),
             nb::arg("min_n"), nb::arg("max_n"), nb::arg("lowercase"), nb::arg("threads"))
        .def("add_arrays", add_arrays, nb::arg("sizes"), nb::arg("hashes"))
        .def("sizes", sizes_of, nb::arg("first"), nb::arg("last"))
        .def("hashes", hashes_of, nb::arg("first"), nb::arg("last"))
        .def("digests", digests_of, nb::arg("first"), nb::arg("last"))
        .def("shared", shared_of, nb::arg("left"), nb::arg("right"), nb::arg("threads"));
    module.def("unit_spans", unit_spans, nb::arg("text"));
    module.def("join_sets", join_sets, nb::arg("sets"), nb::kw_only(), nb::arg("measure"),
               nb::arg("numerator"), nb::arg("denominator"), nb::arg("boundary").none(),
               nb::arg("most_pairs"), nb::arg("threads"));
    module.def("join_records", join_record_columns, nb::kw_only(), nb::arg("sets"),
               nb::arg("numbers"), nb::arg("tolerances"), nb::arg("weights"), nb::arg("presence"),
               nb::arg("threshold"), nb::arg("least_weight"), nb::arg("boundary").none(),
               nb::arg("most_pairs"), nb::arg("threads"));
    module.def("record_similarities", record_similarities, nb::kw_only(), nb::arg("sets"),
               nb::arg("numbers"), nb::arg("tolerances"), nb::arg("weights"), nb::arg("presence"),
               nb::arg("least_weight"), nb::arg("left"), nb::arg("right"));
    module.def("group_items", group_items, nb::arg("items"), nb::arg("others"), nb::kw_only(),
               nb::arg("count"), nb::arg("is_connected"));
    nb::class_<Collection>(module, "Collection")
        .def(
            "__init__",
            [](Collection* collection, const std::string& measure, uint64_t numerator,
               uint64_t denominator) {
                new (collection) Collection(threshold_of(measure, numerator, denominator));
            },
            nb::kw_only(), nb::arg("measure"), nb::arg("numerator"), nb::arg("denominator"))
        .def("__len__", &Collection::size)
        .def_prop_ro("nbytes", &Collection::bytes)
        .def_prop_ro("next_id", &Collection::next_id)
        .def("has", has_ids, nb::arg("ids"))
        .def("change", change, nb::kw_only(), nb::arg("remove"), nb::arg("add"), nb::arg("sets"),
             nb::arg("threads"))
        .def("query", query_collection, nb::arg("sets"), nb::kw_only(), nb::arg("threads"))
        .def("pairs", pairs_of)
        .def("placed", placed_of)
        .def("state", state_of)
        .def("restore", restore, nb::arg("ids"), nb::arg("sets"), nb::arg("sizes"),
             nb::arg("hashes"), nb::arg("leaders"), nb::arg("clusters"), nb::arg("next_id"),
             nb::kw_only(), nb::arg("threads"));
}

}  // namespace addhash::bind
