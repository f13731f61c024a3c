#include "additive/batch.h"

#include <mutex>

#include "additive/fixed_point.h"
#include "additive/workspaces.h"
#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr size_t kChunk = 32;  // documents that a thread takes at a time

BatchStatus to_batch_status(AnalysisStatus status) {
    switch (status) {
        case AnalysisStatus::done: return BatchStatus::done;
        case AnalysisStatus::surrogate: return BatchStatus::surrogate;
        default: return BatchStatus::too_long;
    }
}

BatchStatus to_batch_status(OutputStatus status) {
    switch (status) {
        case OutputStatus::done: return BatchStatus::done;
        case OutputStatus::overflow: return BatchStatus::overflow;
        default: return BatchStatus::fractional;
    }
}

// Keeps the failure of the earliest document, so that it does not depend on the threads.
class FirstFailure {
public:
    void report(BatchStatus status, size_t document) {
        if (status == BatchStatus::done) return;
        const std::lock_guard lock(mutex_);
        if (result_.status == BatchStatus::done || document < result_.document) {
            result_ = {status, document};
        }
    }
    BatchResult result() const { return result_; }

private:
    std::mutex mutex_;
    BatchResult result_ = {BatchStatus::done, 0};
};

// feed(document, pipeline) hands one document's tokens to the pipeline.
template <class MakeFeed> BatchResult vectorize(const Kernels& kernels,
                                                const Randomizer& randomizer,
                                                const AdditiveOptions& options, size_t documents,
                                                size_t threads, MakeFeed&& make_feed) {
    FirstFailure failure;
    const auto finish = [&](AdditivePipeline& pipeline) {
        pipeline.finish();
        failure.report(to_batch_status(pipeline.status()), pipeline.failed_row());
    };
    const size_t chunks = (documents + kChunk - 1) / kChunk;
    run_parallel(threads, chunks, [&](auto next) {
        auto workspace = WorkspacePool::shared().take(randomizer);
        auto feed = make_feed();
        AdditivePipeline pipeline(kernels, *workspace, options);
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            const size_t end = std::min(documents, (chunk + 1) * kChunk);
            for (size_t document = chunk * kChunk; document < end; ++document) {
                const BatchStatus status = feed(document, pipeline);
                if (status != BatchStatus::done) {
                    // Documents before this one may still wait to be written, and fail there.
                    // The workspace holds parts of this one: it is not given back.
                    finish(pipeline);
                    failure.report(status, document);
                    return;
                }
                pipeline.end_document(document);
            }
        }
        finish(pipeline);
        WorkspacePool::shared().give_back(std::move(workspace));
    });
    return failure.result();
}

}  // namespace

BatchResult vectorize_texts(const Kernels& kernels, const Randomizer& randomizer,
                            const AdditiveOptions& options, Analyzer analyzer, NgramRange range,
                            std::span<const Text> texts, size_t threads) {
    return vectorize(kernels, randomizer, options, texts.size(), threads, [&] {
        return [&, analysis = Analysis(analyzer, range)](size_t document,
                                                         AdditivePipeline& pipeline) mutable {
            return to_batch_status(analysis.run(texts[document], pipeline));
        };
    });
}

BatchResult vectorize_tokens(const Kernels& kernels, const Randomizer& randomizer,
                             const AdditiveOptions& options, const TokenBatch& tokens,
                             size_t threads) {
    return vectorize(kernels, randomizer, options, tokens.documents(), threads, [&] {
        return [&, integers = std::vector<int64_t>()](size_t document,
                                                      AdditivePipeline& pipeline) mutable {
            const size_t first = tokens.token_start(document);
            const size_t count = tokens.token_end(document) - first;
            const uint32_t* starts = tokens.starts() + first;
            const uint32_t* ends = tokens.ends() + first;
            const FixedPoint scale = to_fixed_point(tokens.weights() + first, count, integers);
            if (!scale.is_finite) return BatchStatus::not_finite;
            if (scale.is_unit) {
                pipeline.consume(tokens.bytes(), starts, ends, count);
            } else {
                pipeline.consume_weighted(tokens.bytes(), starts, ends, integers.data(), count,
                                          scale.exponent);
            }
            return BatchStatus::done;
        };
    });
}

}  // namespace addhash
