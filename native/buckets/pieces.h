// Counting the documents of a batch on several threads, each into rows of its own.
#pragma once

#include <algorithm>

#include "buckets/batch.h"
#include "parallel/parallel.h"

namespace addhash {

// Empty rows, in memory of an earlier batch if there is any.
std::unique_ptr<SparseRows> take_rows();

constexpr size_t kDocumentChunk = 64;  // documents that a thread takes at a time

// make_counter(thread) is called once on each thread; its result (document, rows) counts one
// document and appends its row, or rows. `makers` gets the thread that made each piece.
template <class MakeCounter> SparseBatch count_documents(size_t documents, size_t threads,
                                                         MakeCounter&& make_counter,
                                                         size_t chunk_size = kDocumentChunk,
                                                         std::vector<size_t>* makers = nullptr) {
    const size_t chunks = (documents + chunk_size - 1) / chunk_size;
    SparseBatch batch;
    batch.documents = documents;
    batch.pieces.resize(chunks);
    if (makers != nullptr) makers->resize(chunks);
    Mutex shared;
    run_parallel(threads, chunks, [&](auto next) {
        size_t thread = 0;
        SparseRows* rows = nullptr;
        {
            const std::lock_guard lock(shared);
            thread = batch.rows.size();
            batch.rows.push_back(take_rows());
            rows = batch.rows.back().get();
        }
        auto counter = make_counter(thread);
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            SparsePiece piece = {rows, rows->row_lengths.size(), 0, rows->buckets.size(), 0};
            const size_t end = std::min(documents, (chunk + 1) * chunk_size);
            for (size_t document = chunk * chunk_size; document < end; ++document) {
                if (const Status status = counter(document, *rows); status != Status::done) {
                    const std::lock_guard lock(shared);
                    batch.outcome.merge({status, document});
                    return;
                }
            }
            piece.row_count = rows->row_lengths.size() - piece.first_row;
            piece.entry_count = rows->buckets.size() - piece.first_entry;
            batch.pieces[chunk] = piece;
            if (makers != nullptr) (*makers)[chunk] = thread;
        }
    });
    for (const SparsePiece& piece : batch.pieces) batch.entries += piece.entry_count;
    return batch;
}

}  // namespace addhash
