#include "buckets/batch.h"

#include <type_traits>

#include "buckets/pieces.h"
#include "buckets/scaling.h"
#include "parallel/parallel.h"
#include "parallel/pool.h"

namespace addhash {
namespace {

constexpr size_t kHashBlock = 1024;  // tokens hashed at a time

class HashingSink final : public TokenSink {
public:
    HashingSink(const Kernels& kernels, BucketSums& sums) : kernels_(kernels), sums_(sums) {}

    void consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                 size_t count) override {
        uint32_t hashes[kHashBlock];
        for (size_t first = 0; first < count; first += kHashBlock) {
            const size_t taken = std::min(kHashBlock, count - first);
            check_interrupt_after(taken * sizeof(uint64_t));
            kernels_.murmur3(bytes, starts + first, ends + first, taken, 0, hashes);
            sums_.add(hashes, taken);
        }
    }

private:
    const Kernels& kernels_;
    BucketSums& sums_;
};

// Rows' memory between batches: new memory costs more to map than to fill.
constexpr size_t kMostIdleBytes = size_t{64} << 20;

// Made when the program starts, never destroyed: batches may outlive it.
Pool<SparseRows>& pool = *new Pool<SparseRows>(kMostIdleBytes);

// feed(document, sink) hands one document's tokens to the sink.
template <class MakeFeed> SparseBatch count(const Kernels& kernels, const BucketRule& rule,
                                            size_t documents, size_t threads,
                                            MakeFeed&& make_feed) {
    return count_documents(documents, threads, [&](size_t) {
        return [&, feed = make_feed(), sums = BucketSums(kernels, rule)](size_t document,
                                                                         SparseRows& rows) mutable {
            HashingSink sink(kernels, sums);
            const Status status = feed(document, sink);
            if (status == Status::done) sums.finish(rows);
            return status;
        };
    });
}

}  // namespace

std::unique_ptr<SparseRows> take_rows() {
    auto kept = pool.take([](const SparseRows&) { return true; });
    return kept ? std::move(kept) : std::make_unique<SparseRows>();
}

SparseBatch::~SparseBatch() {
    for (auto& made : rows) {
        made->clear();
        const size_t bytes = made->bytes();
        pool.give_back(std::move(made), bytes);
    }
}

size_t kept_row_bytes() { return pool.kept(); }

void release_rows() { pool.release(); }

SparseBatch count_texts(const Kernels& kernels, const BucketRule& rule, const Tokenization& how,
                        std::span<const Text> texts, size_t threads) {
    return count(kernels, rule, texts.size(), threads, [&] {
        return [&, analysis = Analysis(how)](size_t document, TokenSink& sink) mutable {
            return analysis.run(texts[document], sink);
        };
    });
}

SparseBatch count_tokens(const Kernels& kernels, const BucketRule& rule, const TokenBatch& tokens,
                         size_t threads) {
    return count(kernels, rule, tokens.documents(), threads, [&] {
        return [&](size_t document, TokenSink& sink) {
            const size_t first = tokens.token_start(document);
            sink.consume(tokens.bytes(), tokens.starts() + first, tokens.ends() + first,
                         tokens.token_end(document) - first);
            return Status::done;
        };
    });
}

template <class Value> void write_csr(const SparseBatch& batch, bool is_binary, Norm norm,
                                      int64_t* row_starts, int32_t* buckets, Value* values,
                                      size_t threads) {
    std::vector<size_t> piece_starts;
    size_t entries = 0;
    row_starts[0] = 0;
    for (const SparsePiece& piece : batch.pieces) {
        piece_starts.push_back(entries);
        for (size_t row = 0; row < piece.row_count; ++row) {
            entries += piece.rows->row_lengths[piece.first_row + row];
            *++row_starts = static_cast<int64_t>(entries);
        }
    }
    run_parallel(threads, batch.pieces.size(), [&](auto next) {
        for (size_t i = next(); i < batch.pieces.size(); i = next()) {
            const SparsePiece& piece = batch.pieces[i];
            const uint32_t* bucket = piece.rows->buckets.data() + piece.first_entry;
            const double* sum = piece.rows->sums.data() + piece.first_entry;
            int32_t* bucket_out = buckets + piece_starts[i];
            Value* value = values + piece_starts[i];
            for (size_t j = 0; j < piece.entry_count; ++j) {
                bucket_out[j] = static_cast<int32_t>(bucket[j]);
                value[j] = is_binary ? Value{1} : static_cast<Value>(sum[j]);
            }
            if constexpr (std::is_floating_point_v<Value>) {
                if (norm == Norm::none) continue;
                for (size_t row = 0; row < piece.row_count; ++row) {
                    const uint32_t length = piece.rows->row_lengths[piece.first_row + row];
                    scale_row(value, length, norm);
                    value += length;
                }
            }
        }
    });
}

template void write_csr<float>(const SparseBatch&, bool, Norm, int64_t*, int32_t*, float*, size_t);
template void write_csr<double>(const SparseBatch&, bool, Norm, int64_t*, int32_t*, double*,
                                size_t);
template void write_csr<int64_t>(const SparseBatch&, bool, Norm, int64_t*, int32_t*, int64_t*,
                                 size_t);

}  // namespace addhash
