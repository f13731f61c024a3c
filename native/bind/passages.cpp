// Passages for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>

#include "bind/arrays.h"
#include "bind/failure.h"
#include "bind/interrupt.h"
#include "bind/module.h"
#include "bind/unicode.h"
#include "passages/finder.h"
#include "passages/ngram_index.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

template <class Items, class Get> nb::object column(const Items& items, Get&& get) {
    Buffer<uint32_t> out(items.size());
    for (size_t i = 0; i < items.size(); ++i) out.data()[i] = get(items[i]);
    return nb::cast(out.to_array());
}

// A finder that knows which reading it is in.
class Passages {
public:
    Passages(size_t words, uint32_t texts, size_t filter_bytes)
        : finder_(PassageRule{words, texts, filter_bytes}) {
        if (words < 1 || words > INT32_MAX || texts < 1) {
            throw nb::value_error("a passage has words and texts");
        }
    }

    void look(const nb::object& documents, const Input<uint32_t>& groups, bool lowercase,
              size_t threads) {
        read(documents, groups, lowercase, threads, 0, [&](const auto& texts) {
            return finder_.look(kernels_in_use(), texts, span_of(groups), threads);
        });
    }

    void count(const nb::object& documents, const Input<uint32_t>& groups, bool lowercase,
               size_t threads) {
        read(documents, groups, lowercase, threads, 1, [&](const auto& texts) {
            return finder_.count(kernels_in_use(), texts, span_of(groups), threads);
        });
    }

    void gather(const nb::object& documents, const Input<uint32_t>& groups, bool lowercase,
                size_t threads) {
        TextBatch given;
        check(view_texts(documents, {.lowercase = false}, threads, given));
        read(documents, groups, lowercase, threads, 2, [&](const auto& texts) {
            if (given.texts.size() != texts.size()) return Outcome{Status::not_text, 0};
            const Outcome outcome =
                finder_.gather(kernels_in_use(), texts, given.texts, span_of(groups), threads);
            gathered_ += texts.size();
            return outcome;
        });
    }

    void end_reading() {
        if (readings_ == 3) throw nb::value_error("there is nothing more to read");
        const Unlocked unlocked;
        if (readings_ == 0) finder_.end_look();
        if (readings_ == 1) finder_.end_count();
        if (readings_ == 2) finder_.find();
        ++readings_;
    }

    // The hashes of the windows that may be in passages, after a reading but the last.
    nb::object windows() const {
        if (readings_ != 1 && readings_ != 2) throw nb::value_error("no reading to go on from");
        Buffer<uint64_t> hashes(finder_.windows().size());
        std::ranges::copy(finder_.windows(), hashes.data());
        return nb::cast(hashes.to_array());
    }

    // Goes on as one that has ended one or two readings and then had these windows.
    void resume(int readings, const Input<uint64_t>& hashes) {
        if (readings_ != 0 || (readings != 1 && readings != 2)) {
            throw nb::value_error("only a new finder goes on, after one reading or two");
        }
        const std::vector<uint64_t> windows(hashes.data(), hashes.data() + hashes.shape(0));
        readings == 1 ? finder_.resume_count(windows) : finder_.resume_gather(windows);
        readings_ = readings;
    }

    // (text, start, end, passage)
    nb::object places() {
        check_found();
        std::vector<Place> found;
        {
            const Unlocked unlocked;
            found = finder_.places();
        }
        return nb::make_tuple(column(found, [](const Place& p) { return p.text; }),
                              column(found, [](const Place& p) { return p.start; }),
                              column(found, [](const Place& p) { return p.end; }),
                              column(found, [](const Place& p) { return p.passage; }));
    }

    // (words, texts, first text, first start), after places()
    nb::object passages() const {
        const std::vector<Passage>& found = finder_.passages();
        return nb::make_tuple(column(found, [](const Passage& p) { return p.words; }),
                              column(found, [](const Passage& p) { return p.texts; }),
                              column(found, [](const Passage& p) { return p.first_text; }),
                              column(found, [](const Passage& p) { return p.first_start; }));
    }

    // (text, start, end)
    nb::object cuts(bool repeats, const Input<uint32_t>& most,
                    const Input<uint32_t>& groups) const {
        check_found();
        if (groups.shape(0) != 0 && groups.shape(0) != gathered_) {
            throw nb::value_error("a text has one group");
        }
        if (most.shape(0) != 0) {
            for (uint32_t group : span_of(groups)) {
                if (group >= most.shape(0)) throw nb::value_error("a group has a bound");
            }
        }
        std::vector<Cut> found;
        {
            const Unlocked unlocked;
            found = finder_.cuts(repeats, span_of(most), span_of(groups));
        }
        return nb::make_tuple(column(found, [](const Cut& c) { return c.text; }),
                              column(found, [](const Cut& c) { return c.start; }),
                              column(found, [](const Cut& c) { return c.end; }));
    }

    size_t bytes() const { return finder_.bytes(); }

private:
    template <class Work> void read(const nb::object& documents, const Input<uint32_t>& groups,
                                    bool lowercase, size_t threads, int reading, Work&& work) {
        if (reading != readings_) throw nb::value_error("this is another reading");
        TextBatch texts;
        check(view_texts(documents, {.lowercase = lowercase}, threads, texts));
        if (groups.shape(0) != 0 && groups.shape(0) != texts.texts.size()) {
            throw nb::value_error("a text has one group");
        }
        Outcome outcome;
        {
            const Unlocked unlocked;
            outcome = work(texts.texts);
        }
        check(outcome);
    }

    void check_found() const {
        if (readings_ != 3) throw nb::value_error("nothing was found yet");
    }

    PassageFinder finder_;
    int readings_ = 0;  // that have ended
    size_t gathered_ = 0;
};

void add_ngrams(NgramIndex& index, const nb::object& documents, bool lowercase) {
    TextBatch texts;
    check(view_texts(documents, {.lowercase = lowercase}, 1, texts));
    Outcome outcome;
    {
        const Unlocked unlocked;
        outcome = index.add(kernels_in_use(), texts.texts);
    }
    check(outcome);
}

// (n-grams of all texts, where those of each end)
nb::object ngrams_of(const NgramIndex& index) {
    Buffer<uint64_t> ends(index.ends().size());
    std::ranges::copy(index.ends(), ends.data());
    return nb::make_tuple(column(index.ngrams(), [](uint32_t n) { return n; }),
                          nb::cast(ends.to_array()));
}

// (text, n-gram, start, end)
nb::object scan_ngrams(const NgramIndex& index, const nb::object& documents, bool lowercase,
                       size_t threads) {
    TextBatch texts, given;
    check(view_texts(documents, {.lowercase = lowercase}, threads, texts));
    check(view_texts(documents, {.lowercase = false}, threads, given));
    if (texts.texts.size() != given.texts.size()) throw nb::value_error("the texts changed");
    std::vector<NgramPlace> found;
    Outcome outcome;
    {
        const Unlocked unlocked;
        outcome = index.scan(kernels_in_use(), texts.texts, given.texts, threads, found);
    }
    check(outcome);
    return nb::make_tuple(column(found, [](const NgramPlace& p) { return p.text; }),
                          column(found, [](const NgramPlace& p) { return p.ngram; }),
                          column(found, [](const NgramPlace& p) { return p.start; }),
                          column(found, [](const NgramPlace& p) { return p.end; }));
}

}  // namespace

void register_passages(nb::module_& module) {
    nb::class_<Passages>(module, "PassageFinder")
        .def(nb::init<size_t, uint32_t, size_t>(), nb::kw_only(), nb::arg("words"),
             nb::arg("texts"), nb::arg("filter_bytes"))
        .def_prop_ro("nbytes", &Passages::bytes)
        .def("look", &Passages::look, nb::arg("documents"), nb::kw_only(), nb::arg("groups"),
             nb::arg("lowercase"), nb::arg("threads"))
        .def("count", &Passages::count, nb::arg("documents"), nb::kw_only(), nb::arg("groups"),
             nb::arg("lowercase"), nb::arg("threads"))
        .def("gather", &Passages::gather, nb::arg("documents"), nb::kw_only(), nb::arg("groups"),
             nb::arg("lowercase"), nb::arg("threads"))
        .def("end_reading", &Passages::end_reading)
        .def("windows", &Passages::windows)
        .def("resume", &Passages::resume, nb::arg("readings"), nb::arg("windows"))
        .def("places", &Passages::places)
        .def("passages", &Passages::passages)
        .def("cuts", &Passages::cuts, nb::kw_only(), nb::arg("repeats"), nb::arg("most"),
             nb::arg("groups"));
    nb::class_<NgramIndex>(module, "NgramIndex")
        .def(
            "__init__",
            [](NgramIndex* index, size_t words) {
                if (words < 1 || words > INT32_MAX) throw nb::value_error("an n-gram has words");
                new (index) NgramIndex(words);
            },
            nb::kw_only(), nb::arg("words"))
        .def("__len__", &NgramIndex::distinct)
        .def("add", add_ngrams, nb::arg("documents"), nb::kw_only(), nb::arg("lowercase"))
        .def("ngrams", ngrams_of)
        .def("scan", scan_ngrams, nb::arg("documents"), nb::kw_only(), nb::arg("lowercase"),
             nb::arg("threads"));
}

}  // namespace addhash::bind
