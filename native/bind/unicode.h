// CPython's strings, and what CPython knows about characters.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "tokens/token_batch.h"

namespace addhash::bind {

// As in scikit-learn's strip_accents: unicode drops the combining marks of the compatibility
// decomposition, ascii all that is not ASCII.
enum class Accents { kept, unicode, ascii };

// What is done to the characters of a text before it is tokenized.
struct FoldingOptions {
    bool lowercase;
    Accents accents = Accents::kept;
};

// Documents as Text views. `given` keeps alive the items of a list, `lowered` what CPython had to
// lower-case itself, `decoded` what was not ASCII in UTF-8, `rewritten` what is not one to one.
struct TextBatch {
    std::vector<Text> texts;
    nanobind::object given;
    std::vector<nanobind::object> lowered;
    std::vector<std::unique_ptr<uint8_t[]>> decoded;
    std::vector<std::vector<uint32_t>> rewritten;
};

// Views of a list of str as it is now, or of a TextColumn, which must stay alive while they are
// used. Reports the first item that is not a str, or not UTF-8. Of a TextColumn, only texts that
// CPython must lower-case itself become Python strings.
Outcome view_texts(nanobind::handle documents, FoldingOptions options, size_t threads,
                   TextBatch& batch);

// The same without folding and without a table of characters, which takes long to make.
Outcome view_characters(nanobind::handle documents, size_t threads, TextBatch& batch);

// Raises a Failure for the first text with a lone surrogate, wherever it stands.
void check_surrogates(std::span<const Text> texts);

// How many characters a list of str has; nothing if another object is among them.
std::optional<size_t> text_length(const nanobind::list& documents);

// Appends the UTF-8 form of a str to the token being built: done, surrogate or too_many.
Status append_utf8(TokenBatch& batch, PyObject* text);

}  // namespace addhash::bind
