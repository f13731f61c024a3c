// Vocabularies and the counts of their tokens for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/unique_ptr.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <memory>

#include "bind/arrays.h"
#include "bind/failure.h"
#include "bind/interrupt.h"
#include "bind/module.h"
#include "bind/options.h"
#include "bind/unicode.h"
#include "vocabulary/term_rows.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

// (row starts, numbers, counts)
template <class Count> nb::object to_csr(const SparseBatch& batch, size_t threads) {
    Buffer<int64_t> row_starts(batch.documents + 1);
    Buffer<int32_t> numbers(batch.entries);
    Buffer<Count> counts(batch.entries);
    {
        const Unlocked unlocked;
        write_csr(batch, false, Norm::none, row_starts.data(), numbers.data(), counts.data(),
                  threads);
    }
    return nb::make_tuple(row_starts.to_array(), numbers.to_array(), counts.to_array());
}

// count(texts) is called without the GIL.
template <class Count>
nb::object counted(const TextBatch& texts, size_t threads, bool as_integers, Count&& count) {
    SparseBatch batch;
    {
        const Unlocked unlocked;
        batch = count(texts.texts);
    }
    check(batch.outcome);
    return as_integers ? to_csr<int64_t>(batch, threads) : to_csr<double>(batch, threads);
}

nb::object learn(Vocabulary& vocabulary, const nb::object& documents, const TextOptions& cut,
                 size_t threads, bool as_integers) {
    TextBatch texts;
    check(view_texts(documents, cut.folding, threads, texts));
    // Before anything is learnt: what was learnt from half of the texts cannot be unlearnt.
    check_surrogates(texts.texts);
    return counted(texts, threads, as_integers, [&](std::span<const Text> views) {
        return learn_terms(kernels_in_use(), cut.how, views, threads, vocabulary);
    });
}

nb::object count(const Vocabulary& vocabulary, const nb::object& documents, const TextOptions& cut,
                 size_t threads, bool as_integers) {
    TextBatch texts;
    check(view_texts(documents, cut.folding, threads, texts));
    return counted(texts, threads, as_integers, [&](std::span<const Text> views) {
        return count_terms(kernels_in_use(), cut.how, views, threads, vocabulary);
    });
}

// Adds the tokens of a batch, each of which gets the next number, if it is new.
void add_tokens(Vocabulary& vocabulary, const TokenBatch& tokens) {
    std::vector<uint32_t> hashes(tokens.tokens());
    kernels_in_use().murmur3(tokens.bytes(), tokens.starts(), tokens.ends(), hashes.size(), 0,
                             hashes.data());
    for (size_t i = 0; i < hashes.size(); ++i) {
        const uint32_t start = tokens.starts()[i];
        vocabulary.find_or_add(tokens.bytes() + start, tokens.ends()[i] - start, hashes[i]);
    }
}

nb::object token_of(const Vocabulary& vocabulary, size_t number) {
    return nb::str(vocabulary[number].data(), vocabulary[number].size());
}

nb::list all_tokens(const Vocabulary& vocabulary) {
    nb::list tokens;
    for (size_t i = 0; i < vocabulary.size(); ++i) tokens.append(token_of(vocabulary, i));
    return tokens;
}

// Learning and sorting leave freed memory that the allocator keeps: as much as the vocabulary
// itself.
void give_back_freed_memory(const Vocabulary& vocabulary) {
#ifdef __GLIBC__
    constexpr size_t kMany = size_t{1} << 15;  // tokens: with fewer it takes too long for its use
    if (vocabulary.size() >= kMany) malloc_trim(0);
#else
    static_cast<void>(vocabulary);
#endif
}

// Numbers the tokens in the order of their characters; returns the new number of each.
Array1<int32_t> sort(Vocabulary& vocabulary) {
    Buffer<int32_t> ranks(vocabulary.size());
    {
        const Unlocked unlocked;
        uint32_t rank = 0;
        for (const uint32_t number : vocabulary.sorted()) {
            ranks.data()[number] = static_cast<int32_t>(rank++);
        }
        vocabulary.renumber(ranks.data());
        give_back_freed_memory(vocabulary);
    }
    return ranks.to_array();
}

void check_numbers(size_t tokens, const int32_t* numbers, size_t count) {
    const auto beyond = [&](int32_t number) {
        return number < 0 || static_cast<size_t>(number) >= tokens;
    };
    if (std::any_of(numbers, numbers + count, beyond)) {
        throw nb::index_error("no token has such a number");
    }
}

void check_numbers(const Vocabulary& vocabulary, const Input<int32_t>& numbers) {
    check_numbers(vocabulary.size(), numbers.data(), numbers.shape(0));
}

// Some tokens and their numbers, in the order given.
nb::dict to_dict(const Vocabulary& vocabulary, const Input<int32_t>& numbers) {
    check_numbers(vocabulary, numbers);
    nb::dict all;
    for (size_t i = 0; i < numbers.shape(0); ++i) {
        const nb::object token = token_of(vocabulary, static_cast<size_t>(numbers.data()[i]));
        const nb::object number = nb::int_(numbers.data()[i]);
        if (PyDict_SetItem(all.ptr(), token.ptr(), number.ptr()) != 0) nb::raise_python_error();
    }
    return all;
}

// Some tokens, numbered in the order given.
std::unique_ptr<Vocabulary> take(const Vocabulary& vocabulary, const Input<int32_t>& numbers) {
    check_numbers(vocabulary, numbers);
    auto taken = std::make_unique<Vocabulary>();
    const Unlocked unlocked;
    for (size_t i = 0; i < numbers.shape(0); ++i) {
        const auto number = static_cast<size_t>(numbers.data()[i]);
        taken->find_or_add(vocabulary.bytes_of(number), vocabulary[number].size(),
                           vocabulary.hash_of(number));
    }
    return taken;
}

// Replaces numbers in place.
void renumber_in_place(const nb::ndarray<int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& old,
                       const Input<int32_t>& numbers, size_t threads) {
    check_numbers(numbers.shape(0), old.data(), old.shape(0));
    const Unlocked unlocked;
    renumber(old.data(), old.shape(0), numbers.data(), threads);
}

}  // namespace

void register_vocabulary(nb::module_& module) {
    nb::class_<Vocabulary>(module, "Vocabulary")
        .def(nb::init<>())
        .def("__len__", &Vocabulary::size)
        .def("add_tokens", add_tokens, nb::arg("tokens"))
        .def("learn", learn, nb::arg("documents"), nb::arg("cut"), nb::arg("threads"),
             nb::arg("as_integers"))
        .def("count", count, nb::arg("documents"), nb::arg("cut"), nb::arg("threads"),
             nb::arg("as_integers"))
        .def("tokens", all_tokens)
        .def("sort", sort)
        .def("to_dict", to_dict, nb::arg("numbers"))
        .def("take", take, nb::arg("numbers"));
    module.def("renumber", renumber_in_place, nb::arg("old").noconvert(), nb::arg("numbers"),
               nb::arg("threads"));
}

}  // namespace addhash::bind
