#include "additive/batch.h"

#include <mutex>

#include "additive/fixed_point.h"
#include "additive/workspaces.h"
#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr size_t kChunk = 32;  // documents that a thread takes at a time

// feed(document, pipeline) hands one document's tokens to the pipeline.
template <class MakeFeed> Outcome vectorize(const Kernels& kernels, const Randomizer& randomizer,
                                            const AdditiveOptions& options, size_t documents,
                                            size_t threads, MakeFeed&& make_feed) {
    Outcome first;
    std::mutex reporting;
    const auto report = [&](Outcome outcome) {
        const std::lock_guard lock(reporting);
        first.merge(outcome);
    };
    const size_t chunks = (documents + kChunk - 1) / kChunk;
    const size_t sharers = useful_threads(threads, chunks);
    run_parallel(threads, chunks, [&](auto next) {
        auto workspace = take_workspace(randomizer, sharers);
        auto feed = make_feed();
        AdditivePipeline pipeline(kernels, *workspace, options);
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            const size_t end = std::min(documents, (chunk + 1) * kChunk);
            for (size_t document = chunk * kChunk; document < end; ++document) {
                const Status status = feed(document, pipeline);
                if (status != Status::done) {
                    // Documents before this one may still wait to be written, and fail there.
                    // The workspace holds parts of this one: it is not given back.
                    pipeline.finish();
                    report(pipeline.outcome());
                    report({status, document});
                    return;
                }
                pipeline.end_document(document);
            }
        }
        pipeline.finish();
        report(pipeline.outcome());
        keep_workspace(std::move(workspace));
    });
    return first;
}

// Hands on documents with weights.
class Weighing {
public:
    Status feed(const TokenBatch& tokens, size_t document, AdditivePipeline& pipeline) {
        const size_t first = tokens.token_start(document);
        const size_t count = tokens.token_end(document) - first;
        const double* weights = tokens.weights() + first;
        const uint32_t* starts = tokens.starts() + first;
        const uint32_t* ends = tokens.ends() + first;
        const FixedPoint fixed = to_fixed_point(weights, count, integers_);
        if (!fixed.is_finite) return Status::not_finite;
        if (fixed.is_unit) {
            pipeline.consume(tokens.bytes(), starts, ends, count);
        } else if (fixed.exponent == 0) {
            pipeline.consume_weighted(tokens.bytes(), starts, ends, integers_.data(), count, 0);
        } else {
            set_units_apart(weights, starts, ends, count);
            pipeline.consume_weighted(tokens.bytes(), starts_.data(), ends_.data(), own_.data(),
                                      count, fixed.exponent);
        }
        return Status::done;
    }

private:
    // Most features of records are categories, which weigh 1, and rows of the same weight that come
    // together are added together: those from the front, the others from the back.
    void set_units_apart(const double* weights, const uint32_t* starts, const uint32_t* ends,
                         size_t count) {
        starts_.resize(count);
        ends_.resize(count);
        own_.resize(count);
        size_t units = 0, others = count;
        for (size_t i = 0; i < count; ++i) {
            const size_t place = weights[i] == 1 ? units++ : --others;
            starts_[place] = starts[i];
            ends_[place] = ends[i];
            own_[place] = integers_[i];
        }
    }

    std::vector<int64_t> integers_, own_;
    std::vector<uint32_t> starts_, ends_;
};

}  // namespace

Outcome vectorize_texts(const Kernels& kernels, const Randomizer& randomizer,
                        const AdditiveOptions& options, Analyzer analyzer, NgramRange range,
                        std::span<const Text> texts, size_t threads) {
    return vectorize(kernels, randomizer, options, texts.size(), threads, [&] {
        return [&, analysis = Analysis(analyzer, range)](size_t document,
                                                         AdditivePipeline& pipeline) mutable {
            return analysis.run(texts[document], pipeline);
        };
    });
}

Outcome vectorize_tokens(const Kernels& kernels, const Randomizer& randomizer,
                         const AdditiveOptions& options, const TokenBatch& tokens, size_t threads) {
    return vectorize(kernels, randomizer, options, tokens.documents(), threads, [&] {
        return [&, weighing = Weighing()](size_t document, AdditivePipeline& pipeline) mutable {
            return weighing.feed(tokens, document, pipeline);
        };
    });
}

}  // namespace addhash
