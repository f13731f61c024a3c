// Similar sets of tokens for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bind/arrays.h"
#include "bind/module.h"
#include "bind/options.h"
#include "bind/unicode.h"
#include "duplicates/clusters.h"
#include "duplicates/join.h"
#include "duplicates/set_index.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

template <class T> using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T> std::span<const T> view(const Input<T>& array) {
    return {array.data(), array.shape(0)};
}

Threshold threshold_of(const std::string& measure, uint64_t numerator, uint64_t denominator) {
    if (numerator < 1 || numerator > denominator || denominator > Threshold::kMost) {
        throw nb::value_error("the threshold must be a fraction above 0 and up to 1");
    }
    if (measure == "jaccard") return {Measure::jaccard, numerator, denominator};
    if (measure == "containment") return {Measure::containment, numerator, denominator};
    if (measure == "cosine") return {Measure::cosine, numerator, denominator};
    throw nb::value_error("measure must be 'jaccard', 'containment' or 'cosine'");
}

Cutting cutting_of(const std::string& analyzer, size_t min_n, size_t max_n) {
    const NgramRange range = ngram_range(min_n, max_n);
    if (analyzer == "auto") return {true, Analyzer::word, range};
    return {false, analyzer_named(analyzer), range};
}

// None, or what went wrong and in which document; then nothing was added.
nb::object add_texts(TokenSets& sets, const nb::list& documents, const std::string& analyzer,
                     size_t min_n, size_t max_n, bool lowercase, size_t threads) {
    const Cutting cutting = cutting_of(analyzer, min_n, max_n);
    TextBatch texts;
    const Py_ssize_t no_text = view_texts(documents, lowercase, texts);
    if (no_text >= 0) return nb::make_tuple("not_text", no_text);
    TokenSets::Added added;
    {
        const nb::gil_scoped_release release;
        added = sets.add(kernels_in_use(), cutting, texts.texts, threads);
    }
    switch (added.status) {
        case AnalysisStatus::done: return nb::none();
        case AnalysisStatus::surrogate: return nb::make_tuple("surrogate", added.document);
        default: return nb::make_tuple("too_long", added.document);
    }
}

void add_arrays(TokenSets& sets, const Input<uint32_t>& sizes, const Input<uint64_t>& hashes) {
    bool is_valid = false;
    {
        const nb::gil_scoped_release release;
        is_valid = sets.add(view(sizes), view(hashes));
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
        const nb::gil_scoped_release release;
        shared_in_pairs(sets, view(left), view(right), shared.data(), threads);
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

// (first equal set of each, left, right, shared, candidates)
nb::object join_sets(const TokenSets& sets, const std::string& measure, uint64_t numerator,
                     uint64_t denominator, std::optional<size_t> boundary, size_t threads) {
    const Threshold threshold = threshold_of(measure, numerator, denominator);
    SimilarSets found;
    {
        const nb::gil_scoped_release release;
        found = join(sets, threshold, boundary, threads);
    }
    using Pair = SimilarPair;
    return nb::make_tuple(column(found.first_equal),
                          column<uint32_t>(found.pairs, [](const Pair& p) { return p.left; }),
                          column<uint32_t>(found.pairs, [](const Pair& p) { return p.right; }),
                          column<uint32_t>(found.pairs, [](const Pair& p) { return p.shared; }),
                          found.candidates);
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
        group_connected(view(items), view(others), out);
    } else {
        group_by_representative(view(items), view(others), out);
    }
    return nb::cast(groups.to_array());
}

nb::object matches_of(const std::vector<SetMatch>& matches) {
    return nb::make_tuple(column<uint32_t>(matches, [](const SetMatch& m) { return m.query; }),
                          column<uint32_t>(matches, [](const SetMatch& m) { return m.entry; }),
                          column<uint32_t>(matches, [](const SetMatch& m) { return m.shared; }));
}

// (entry of each set, whether it is new, (new entry, earlier entry, shared))
nb::object add_sets(SetIndex& index, const TokenSets& sets, size_t threads) {
    SetIndex::Added added;
    {
        const nb::gil_scoped_release release;
        added = index.add(sets, threads);
    }
    return nb::make_tuple(column(added.entries), column(added.is_new), matches_of(added.matches));
}

void remove_entries(SetIndex& index, const Input<uint32_t>& entries) {
    const nb::gil_scoped_release release;
    index.remove(view(entries));
}

nb::object query_sets(const SetIndex& index, const TokenSets& sets, size_t threads) {
    std::vector<SetMatch> matches;
    {
        const nb::gil_scoped_release release;
        matches = index.query(sets, threads);
    }
    return matches_of(matches);
}

// The sets of some entries: (sizes, hashes).
nb::object entry_sets(const SetIndex& index, const Input<uint32_t>& entries) {
    size_t count = 0;
    for (uint32_t entry : view(entries)) {
        if (!index.contains(entry)) throw nb::index_error("no such entry");
        count += index[entry].size();
    }
    Buffer<uint32_t> sizes(entries.shape(0));
    Buffer<uint64_t> hashes(count);
    uint64_t* out = hashes.data();
    for (size_t i = 0; i < entries.shape(0); ++i) {
        const TokenSet set = index[entries.data()[i]];
        sizes.data()[i] = static_cast<uint32_t>(set.size());
        out = std::ranges::copy(set, out).out;
    }
    return nb::make_tuple(sizes.to_array(), hashes.to_array());
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
        .def("shared", shared_of, nb::arg("left"), nb::arg("right"), nb::arg("threads"));
    module.def("join_sets", join_sets, nb::arg("sets"), nb::kw_only(), nb::arg("measure"),
               nb::arg("numerator"), nb::arg("denominator"), nb::arg("boundary").none(),
               nb::arg("threads"));
    module.def("group_items", group_items, nb::arg("items"), nb::arg("others"), nb::kw_only(),
               nb::arg("count"), nb::arg("is_connected"));
    nb::class_<SetIndex>(module, "SetIndex")
        .def(
            "__init__",
            [](SetIndex* index, const std::string& measure, uint64_t numerator,
               uint64_t denominator) {
                new (index) SetIndex(threshold_of(measure, numerator, denominator));
            },
            nb::kw_only(), nb::arg("measure"), nb::arg("numerator"), nb::arg("denominator"))
        .def("__len__", &SetIndex::size)
        .def_prop_ro("nbytes", &SetIndex::bytes)
        .def("add", add_sets, nb::arg("sets"), nb::kw_only(), nb::arg("threads"))
        .def("remove", remove_entries, nb::arg("entries"))
        .def("query", query_sets, nb::arg("sets"), nb::kw_only(), nb::arg("threads"))
        .def("sets", entry_sets, nb::arg("entries"));
}

}  // namespace addhash::bind
