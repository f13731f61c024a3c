#include "buckets/batch.h"

#include <cmath>
#include <mutex>

#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr size_t kChunk = 64;        // documents that a thread takes at a time
constexpr size_t kHashBlock = 1024;  // tokens hashed at a time

class HashingSink final : public TokenSink {
public:
    HashingSink(const Kernels& kernels, BucketSums& sums) : kernels_(kernels), sums_(sums) {}

    void consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                 size_t count) override {
        uint32_t hashes[kHashBlock];
        for (size_t first = 0; first < count; first += kHashBlock) {
            const size_t taken = std::min(kHashBlock, count - first);
            kernels_.murmur3(bytes, starts + first, ends + first, taken, 0, hashes);
            sums_.add(hashes, taken);
        }
    }

private:
    const Kernels& kernels_;
    BucketSums& sums_;
};

// feed(document, sink) hands one document's tokens to the sink.
template <class MakeFeed> SparseBatch count(const Kernels& kernels, const BucketRule& rule,
                                            size_t documents, size_t threads,
                                            MakeFeed&& make_feed) {
    const size_t chunks = (documents + kChunk - 1) / kChunk;
    SparseBatch batch;
    batch.documents = documents;
    batch.rows.resize(chunks);
    std::mutex failing;
    run_parallel(threads, chunks, [&](auto next) {
        auto feed = make_feed();
        BucketSums sums(rule);
        HashingSink sink(kernels, sums);
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            SparseRows& rows = batch.rows[chunk];
            const size_t end = std::min(documents, (chunk + 1) * kChunk);
            for (size_t document = chunk * kChunk; document < end; ++document) {
                const AnalysisStatus status = feed(document, sink);
                if (status != AnalysisStatus::done) {
                    const std::lock_guard lock(failing);
                    if (batch.status == AnalysisStatus::done || document < batch.document) {
                        batch.status = status;
                        batch.document = document;
                    }
                    return;
                }
                sums.finish(rows);
            }
        }
    });
    for (const SparseRows& rows : batch.rows) batch.entries += rows.buckets.size();
    return batch;
}

template <class Float> double row_size(const Float* values, size_t count, SparseNorm norm) {
    double size = 0;
    if (norm == SparseNorm::l1) {
        for (size_t i = 0; i < count; ++i) size += std::fabs(values[i]);
        return size;
    }
    for (size_t i = 0; i < count; ++i) {
        const Float square = values[i] * values[i];
        size += square;
    }
    return std::sqrt(size);
}

}  // namespace

SparseBatch count_texts(const Kernels& kernels, const BucketRule& rule, Analyzer analyzer,
                        NgramRange range, std::span<const Text> texts, size_t threads) {
    return count(kernels, rule, texts.size(), threads, [&] {
        return [&, analysis = Analysis(analyzer, range)](size_t document, TokenSink& sink) mutable {
            return analysis.run(texts[document], sink);
        };
    });
}

SparseBatch count_tokens(const Kernels& kernels, const BucketRule& rule, const TokenBatch& tokens,
                         size_t threads) {
    return count(kernels, rule, tokens.documents(), threads, [&] {
        return [&](size_t document, TokenSink& sink) {
            const size_t first = tokens.first_token(document);
            sink.consume(tokens.bytes(), tokens.starts() + first, tokens.ends() + first,
                         tokens.end_token(document) - first);
            return AnalysisStatus::done;
        };
    });
}

template <class Float> void write_csr(const SparseBatch& batch, bool is_binary, SparseNorm norm,
                                      int64_t* row_starts, int32_t* buckets, Float* values,
                                      size_t threads) {
    std::vector<size_t> chunk_starts;
    size_t entries = 0;
    row_starts[0] = 0;
    for (const SparseRows& rows : batch.rows) {
        chunk_starts.push_back(entries);
        for (uint32_t length : rows.row_lengths) {
            entries += length;
            *++row_starts = static_cast<int64_t>(entries);
        }
    }
    run_parallel(threads, batch.rows.size(), [&](auto next) {
        for (size_t chunk = next(); chunk < batch.rows.size(); chunk = next()) {
            const SparseRows& rows = batch.rows[chunk];
            int32_t* bucket = buckets + chunk_starts[chunk];
            Float* value = values + chunk_starts[chunk];
            for (size_t i = 0; i < rows.buckets.size(); ++i) {
                bucket[i] = static_cast<int32_t>(rows.buckets[i]);
                value[i] = is_binary ? Float{1} : static_cast<Float>(rows.sums[i]);
            }
            if (norm == SparseNorm::none) continue;
            for (uint32_t length : rows.row_lengths) {
                const double size = row_size(value, length, norm);
                if (size != 0) {
                    for (uint32_t i = 0; i < length; ++i) {
                        value[i] = static_cast<Float>(value[i] / size);
                    }
                }
                value += length;
            }
        }
    });
}

template void write_csr<float>(const SparseBatch&, bool, SparseNorm, int64_t*, int32_t*, float*,
                               size_t);
template void write_csr<double>(const SparseBatch&, bool, SparseNorm, int64_t*, int32_t*, double*,
                                size_t);

}  // namespace addhash
