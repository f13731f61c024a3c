// Python's records and lists of tokens as a TokenBatch.
#pragma once

#include <nanobind/nanobind.h>

#include "tokens/token_batch.h"

namespace addhash::bind {

// One document of tokens of weight 1: an iterable of str or bytes. For a list or a tuple, `most`
// items from `first` on.
void append_strings(TokenBatch& batch, nanobind::handle document, size_t first = 0,
                    size_t most = SIZE_MAX);

// Records, the way scikit-learn's FeatureHasher reads them:
enum class RecordKind {
    dict,    // whatever has items()
    pair,    // an iterable of (name, value)
    string,  // an iterable of names
};

// Appends records[first], records[first + 1] and so on, until all are read or the batch is large
// enough to process; at least one. On an exception, the batch contains the records before the one
// that raised it. With `refuses_text`, a record that is itself a str or bytes is
// Status::not_record.
void append_records(TokenBatch& batch, const nanobind::list& records, size_t first, RecordKind kind,
                    bool refuses_text);

}  // namespace addhash::bind
