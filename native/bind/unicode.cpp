#include "bind/unicode.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include "analysis/folding.h"
#include "arrow/texts.h"
#include "bind/failure.h"
#include "bind/interrupt.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

constexpr uint32_t kCharacters = 0x110000;
constexpr uint32_t kPage = 256;
constexpr uint32_t kCapitalSigma = 0x3A3;  // becomes one of two letters, by its place in the word

bool is_space(uint32_t c) { return Py_UNICODE_ISSPACE(c); }

// What `\w` matches in CPython's re.
bool is_word(uint32_t c) { return c == '_' || Py_UNICODE_ISALNUM(c); }

// Before CPython 3.12 a str may not have its characters in place yet.
void make_ready([[maybe_unused]] PyObject* text) {
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(text) < 0) throw nb::python_error();
#endif
}

// str.lower() itself: what a subclass makes of it may not be a str at all, and would be asked for
// only where a character is irregular.
nb::object lower(nb::handle text) {
    const nb::object method =
        nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyUnicode_Type), "lower"));
    if (!method.is_valid()) throw nb::python_error();
    nb::object lowered = nb::steal(PyObject_CallOneArg(method.ptr(), text.ptr()));
    if (!lowered.is_valid()) throw nb::python_error();
    if (!PyUnicode_Check(lowered.ptr())) throw nb::type_error("str.lower() must return a str");
    make_ready(lowered.ptr());
    return lowered;
}

nb::object string_of(const uint32_t* characters, size_t count) {
    nb::object made = nb::steal(PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, characters,
                                                          static_cast<Py_ssize_t>(count)));
    if (!made.is_valid()) throw nb::python_error();
    return made;
}

using Form = std::vector<uint32_t>;

Form characters_of(nb::handle text) {
    Form form;
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(text.ptr()); ++i) {
        form.push_back(PyUnicode_READ_CHAR(text.ptr(), i));
    }
    return form;
}

// The forms of all characters: one for most.
struct Forms {
    std::vector<uint32_t> one = std::vector<uint32_t>(kCharacters);
    Folding::Several several;

    void append(uint32_t c, Form& form) const {
        const auto found = several.find(c);
        if (found != several.end()) {
            form.insert(form.end(), found->second.begin(), found->second.end());
        } else if (one[c] != Folding::kDropped) {
            form.push_back(one[c]);
        }
    }
    void set(uint32_t c, const Form& form) {
        one[c] = form.empty() ? Folding::kDropped : form.size() == 1 ? form[0] : c;
        if (form.size() > 1) several[c] = form;
    }
};

// Asks `fold` for a page of characters at a time; one whose length it changed holds characters with
// other forms than one, which are then asked for one by one.
template <class Fold> Forms ask_forms(Fold&& fold) {
    Forms forms;
    uint32_t page[kPage];
    for (uint32_t first = 0; first < kCharacters; first += kPage) {
        for (uint32_t i = 0; i < kPage; ++i) page[i] = first + i;
        const Form folded = fold(page, kPage);
        if (folded.size() == kPage) {
            std::copy(folded.begin(), folded.end(), forms.one.begin() + first);
        } else {
            for (uint32_t i = 0; i < kPage; ++i) forms.set(first + i, fold(page + i, 1));
        }
    }
    return forms;
}

Forms lowercase_forms() {
    return ask_forms([](const uint32_t* characters, size_t count) {
        return characters_of(lower(string_of(characters, count)));
    });
}

// scikit-learn's strip_accents_unicode and strip_accents_ascii. What they drop (combining marks,
// and all that is not ASCII) depends on no neighbour, and a decomposition only reorders marks.
Forms forms_without_accents(Accents accents) {
    const nb::object unicodedata = nb::module_::import_("unicodedata");
    const nb::object normalize = unicodedata.attr("normalize");
    const nb::object combining = unicodedata.attr("combining");
    const auto is_dropped = [&](uint32_t c) {
        if (accents == Accents::ascii) return c >= 0x80;
        // A mark is printable, and neither letter nor digit: asking for all would take long.
        return Py_UNICODE_ISPRINTABLE(c) && !Py_UNICODE_ISALNUM(c) &&
               nb::cast<int>(combining(string_of(&c, 1))) != 0;
    };
    return ask_forms([&](const uint32_t* characters, size_t count) {
        const nb::object decomposed = normalize("NFKD", string_of(characters, count));
        make_ready(decomposed.ptr());
        Form form = characters_of(decomposed);
        std::erase_if(form, is_dropped);
        // Marks that changed places are gone, but one that came and one that went would hide.
        const bool is_same = std::equal(form.begin(), form.end(), characters, characters + count);
        return count == 1 || is_same ? form : Form();
    });
}

// First lower case, then without accents, as in scikit-learn.
Forms forms_of(FoldingOptions options) {
    if (options.accents == Accents::kept) return lowercase_forms();
    Forms stripped = forms_without_accents(options.accents);
    if (!options.lowercase) return stripped;
    const Forms lowered = lowercase_forms();
    Forms both;
    Form small, form;
    for (uint32_t c = 0; c < kCharacters; ++c) {
        small.clear();
        form.clear();
        lowered.append(c, small);
        for (const uint32_t part : small) stripped.append(part, form);
        both.set(c, form);
    }
    return both;
}

// Built on first use, and kept for good. Not a local static: building may run Python code, which
// may let another thread run, and that one must not wait for this one while it holds the GIL. So
// several threads may build one; the first to finish stays.
template <class Table, class Build>
const Table& built_once(std::atomic<const Table*>& table, Build&& build) {
    const Table* found = table.load(std::memory_order_acquire);
    if (found == nullptr) {
        std::unique_ptr<const Table> own = build();
        if (table.compare_exchange_strong(found, own.get(), std::memory_order_acq_rel)) {
            found = own.release();
        }
    }
    return *found;
}

// The characters as they are.
const CharacterTable& plain_table() {
    static std::atomic<const CharacterTable*> table{nullptr};
    return built_once(table, [] {
        return std::make_unique<const CharacterTable>(CharacterFacts{is_space, is_word, {}});
    });
}

// nullptr if texts stay as they are.
const Folding* folding_of(FoldingOptions options) {
    static std::atomic<const Folding*> made[2][3];
    if (!options.lowercase && options.accents == Accents::kept) return nullptr;
    return &built_once(made[options.lowercase][static_cast<size_t>(options.accents)], [&] {
        Forms forms = forms_of(options);
        std::vector<uint32_t> contextual;
        if (options.lowercase) contextual.push_back(kCapitalSigma);
        return std::make_unique<const Folding>(
            CharacterFacts{is_space, is_word, std::move(forms.one)}, forms.several,
            std::move(contextual));
    });
}

Text view(PyObject* text, const CharacterTable* characters) {
    return {PyUnicode_DATA(text), static_cast<size_t>(PyUnicode_GET_LENGTH(text)),
            static_cast<unsigned>(PyUnicode_KIND(text)), characters};
}

Outcome view_column(const TextColumn& column, const CharacterTable* characters, size_t threads,
                    TextBatch& batch) {
    DecodedTexts decoded;
    const Unlocked unlocked;
    const Outcome outcome = decode_texts(column, threads, decoded);
    for (Text& text : decoded.texts) text.characters = characters;
    batch.texts = std::move(decoded.texts);
    batch.decoded = std::move(decoded.buffers);
    return outcome;
}

Outcome view_list(nb::handle documents, const CharacterTable* characters, TextBatch& batch) {
    // Other threads may change the list while its texts are read. A slice is made in one step.
    batch.given = nb::steal(PyList_GetSlice(documents.ptr(), 0, PY_SSIZE_T_MAX));
    if (!batch.given.is_valid()) throw nb::python_error();
    const Py_ssize_t count = PyList_GET_SIZE(batch.given.ptr());
    batch.texts.reserve(static_cast<size_t>(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* document = PyList_GET_ITEM(batch.given.ptr(), i);
        if (!PyUnicode_Check(document)) return {Status::not_text, static_cast<size_t>(i)};
        make_ready(document);
        batch.texts.push_back(view(document, characters));
    }
    return {};
}

// Rewrites the texts whose characters do not fold one to one; CPython folds those in which it
// depends on neighbours.
void fold(const Folding& folding, FoldingOptions options, size_t threads, TextBatch& batch) {
    const bool is_latin = std::all_of(batch.texts.begin(), batch.texts.end(),
                                      [](const Text& text) { return text.unit == 1; });
    // Lower case lengthens no Latin-1 character; a test asks all of them.
    if (is_latin && options.accents == Accents::kept) return;
    FoldedTexts folded;
    {
        const Unlocked unlocked;
        folded = fold_texts(folding, plain_table(), batch.texts, threads);
    }
    batch.rewritten = std::move(folded.rewritten);
    const Folding* rest = folding_of({false, options.accents});
    for (const size_t i : folded.contextual) {
        Text& text = batch.texts[i];
        nb::object own = nb::steal(PyUnicode_FromKindAndData(static_cast<int>(text.unit), text.data,
                                                             static_cast<Py_ssize_t>(text.length)));
        if (!own.is_valid()) throw nb::python_error();
        nb::object lowered = lower(own);
        text = view(lowered.ptr(), &plain_table());
        if (rest != nullptr) {
            std::vector<uint32_t> forms;
            rest->rewrite(text, forms);
            text = {forms.data(), forms.size(), sizeof(uint32_t), &plain_table()};
            batch.rewritten.push_back(std::move(forms));
        } else {
            batch.lowered.push_back(std::move(lowered));
        }
    }
}

Outcome view_given(nb::handle documents, const CharacterTable* characters, size_t threads,
                   TextBatch& batch) {
    if (nb::isinstance<TextColumn>(documents)) {
        return view_column(nb::cast<const TextColumn&>(documents), characters, threads, batch);
    }
    if (PyList_Check(documents.ptr())) return view_list(documents, characters, batch);
    throw nb::type_error("expected a list or a TextColumn");
}

}  // namespace

Outcome view_characters(nb::handle documents, size_t threads, TextBatch& batch) {
    return view_given(documents, nullptr, threads, batch);
}

Outcome view_texts(nb::handle documents, FoldingOptions options, size_t threads, TextBatch& batch) {
    const Folding* folding = folding_of(options);
    const CharacterTable& characters = folding ? folding->characters() : plain_table();
    const Outcome outcome = view_given(documents, &characters, threads, batch);
    if (folding != nullptr && outcome.status == Status::done) {
        fold(*folding, options, threads, batch);
    }
    return outcome;
}

void check_surrogates(std::span<const Text> texts) {
    const auto is_in = [](const auto* data, size_t length) {
        constexpr size_t kBlock = 32;  // a number that the compiler knows, so that it uses vectors
        const auto is_one = [](uint32_t c) { return (c & ~0x7ffu) == 0xd800; };
        size_t found = 0, i = 0;
        for (; i + kBlock <= length; i += kBlock) {
            for (size_t k = 0; k < kBlock; ++k) found += is_one(data[i + k]);
        }
        return found != 0 || std::any_of(data + i, data + length, is_one);
    };
    for (size_t i = 0; i < texts.size(); ++i) {
        const Text& text = texts[i];
        if (text.unit == 1) continue;
        if (text.unit == 2 ? is_in(static_cast<const uint16_t*>(text.data), text.length)
                           : is_in(static_cast<const uint32_t*>(text.data), text.length)) {
            check({Status::surrogate, i});
        }
    }
}

std::optional<size_t> text_length(const nb::list& documents) {
    size_t length = 0;
    const nb::ft_object_guard guard(documents);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(documents.ptr()); ++i) {
        PyObject* document = PyList_GET_ITEM(documents.ptr(), i);
        if (!PyUnicode_Check(document)) return std::nullopt;
        make_ready(document);
        length += static_cast<size_t>(PyUnicode_GET_LENGTH(document));
    }
    return length;
}

Status append_utf8(TokenBatch& batch, PyObject* text) {
    constexpr size_t kMaxUtf8 = 4;
    make_ready(text);
    const auto length = static_cast<size_t>(PyUnicode_GET_LENGTH(text));
    if (length > TokenBatch::kMaxBytes) return Status::too_many;
    const auto kind = PyUnicode_KIND(text);
    const void* data = PyUnicode_DATA(text);
    if (PyUnicode_IS_ASCII(text)) {
        uint8_t* out = batch.extend(length);
        if (out == nullptr) return Status::too_many;
        std::memcpy(out, data, length);
        batch.keep(length);
        return Status::done;
    }
    const CharacterTable& characters = plain_table();
    for (size_t i = 0; i < length; ++i) {
        const CharacterTable::Packed c =
            characters[PyUnicode_READ(kind, data, static_cast<Py_ssize_t>(i))];
        if (c & CharacterTable::kSurrogate) return Status::surrogate;
        uint8_t* out = batch.extend(kMaxUtf8);
        if (out == nullptr) return Status::too_many;
        store32(out, CharacterTable::bytes(c));
        batch.keep(CharacterTable::length(c));
    }
    return Status::done;
}

}  // namespace addhash::bind
