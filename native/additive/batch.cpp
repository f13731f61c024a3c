#include "additive/batch.h"

#include "additive/fixed_point.h"
#include "additive/workspaces.h"
#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr size_t kChunk = 32;  // documents that a thread takes at a time

// The work of each thread on a batch. make_feed() returns what one thread needs:
// feed(document, pipeline) hands one document's tokens to the pipeline.
template <class MakeFeed> class BatchWork {
public:
    BatchWork(const Kernels& kernels, const Randomizer& randomizer, const AdditiveOptions& options,
              bool bytes_stay, size_t documents, size_t threads, MakeFeed make_feed)
        : kernels_(kernels),
          randomizer_(randomizer),
          options_(options),
          bytes_stay_(bytes_stay),
          documents_(documents),
          sharers_(useful_threads(threads, chunks())),
          make_feed_(make_feed) {}

    size_t chunks() const { return (documents_ + kChunk - 1) / kChunk; }
    // Once all threads have ended: the first document without a vector.
    Outcome outcome() const { return first_; }

    template <class Next> void operator()(const Next& next) {
        auto workspace = take_workspace(randomizer_, sharers_);
        auto feed = make_feed_();
        AdditivePipeline pipeline(kernels_, *workspace, options_, bytes_stay_);
        for (size_t chunk = next(); chunk < chunks(); chunk = next()) {
            const size_t end = std::min(documents_, (chunk + 1) * kChunk);
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
    }

private:
    void report(Outcome outcome) {
        const std::lock_guard lock(reporting_);
        first_.merge(outcome);
    }

    const Kernels& kernels_;
    const Randomizer& randomizer_;
    const AdditiveOptions options_;
    const bool bytes_stay_;  // of tokens, as for a pipeline
    const size_t documents_, sharers_;
    const MakeFeed make_feed_;
    Outcome first_;
    Mutex reporting_;
};

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

// What a thread needs for the tokens of a batch.
auto feeding(const TokenBatch& tokens) {
    return [&tokens] {
        return
            [&tokens, weighing = Weighing()](size_t document, AdditivePipeline& pipeline) mutable {
                return weighing.feed(tokens, document, pipeline);
            };
    };
}

}  // namespace

Outcome vectorize_texts(const Kernels& kernels, const Randomizer& randomizer,
                        const AdditiveOptions& options, const Tokenization& how,
                        std::span<const Text> texts, size_t threads) {
    BatchWork work(kernels, randomizer, options, false, texts.size(), threads, [&] {
        return [&, analysis = Analysis(how)](size_t document, AdditivePipeline& pipeline) mutable {
            return analysis.run(texts[document], pipeline);
        };
    });
    run_parallel(threads, work.chunks(), work);
    return work.outcome();
}

struct TokenRun::State {
    using Work = BatchWork<decltype(feeding(std::declval<const TokenBatch&>()))>;

    Work work;
    ParallelRun<Work> run;

    State(const Kernels& kernels, const Randomizer& randomizer, const AdditiveOptions& options,
          const TokenBatch& tokens, size_t threads)
        : work(kernels, randomizer, options, true, tokens.documents(), threads, feeding(tokens)),
          run(threads, work.chunks(), work) {}
};

TokenRun::TokenRun(const Kernels& kernels, const Randomizer& randomizer,
                   const AdditiveOptions& options, const TokenBatch& tokens, size_t threads)
    : state_(std::make_unique<State>(kernels, randomizer, options, tokens, threads)) {}

TokenRun::~TokenRun() = default;

Outcome TokenRun::join() {
    state_->run.join();
    return state_->work.outcome();
}

Outcome vectorize_tokens(const Kernels& kernels, const Randomizer& randomizer,
                         const AdditiveOptions& options, const TokenBatch& tokens, size_t threads) {
    return TokenRun(kernels, randomizer, options, tokens, threads).join();
}

}  // namespace addhash
