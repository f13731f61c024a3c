#include "additive/pipeline.h"

#include <algorithm>
#include <span>

#include "parallel/interrupt.h"

namespace addhash {
namespace {

constexpr size_t kSeedBlock = 512;  // tokens hashed at a time

}  // namespace

AdditiveWorkspace::AdditiveWorkspace(const Randomizer& randomizer, size_t sharers)
    : randomizer_(randomizer), source_(randomizer, sharers), sum_(randomizer.bits) {}

AdditivePipeline::AdditivePipeline(const Kernels& kernels, AdditiveWorkspace& workspace,
                                   const AdditiveOptions& options, bool bytes_stay)
    : kernels_(kernels),
      work_(workspace),
      options_(options),
      rows_(workspace.source_.capacity()),
      // Tokens that are tallied first come from elsewhere.
      bytes_stay_(bytes_stay && options.weighting.is_plain()) {
    work_.seen_.clear();
    work_.tally_.clear();
}

void AdditivePipeline::consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                               size_t count) {
    if (!options_.weighting.is_plain()) {
        work_.tally_.add(kernels_, bytes, starts, ends, count);
        return;
    }
    if (!options_.is_binary) {
        add_units(bytes, starts, ends, count);
        return;
    }
    fresh_.resize(count);
    count = work_.seen_.insert(kernels_, bytes, starts, ends, count, fresh_.data());
    fresh_starts_.resize(count);
    fresh_ends_.resize(count);
    for (size_t i = 0; i < count; ++i) {
        fresh_starts_[i] = starts[fresh_[i]];
        fresh_ends_[i] = ends[fresh_[i]];
    }
    add_units(bytes, fresh_starts_.data(), fresh_ends_.data(), count);
}

// Tokens of weight 1.
void AdditivePipeline::add_units(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                                 size_t count) {
    if (is_direct()) {
        add_now(bytes, starts, ends, count);
    } else {
        gather(bytes, starts, ends, nullptr, count, 0);
    }
}

void AdditivePipeline::add_now(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                               size_t count) {
    seeds_.resize(kSeedBlock);
    for (size_t first = 0; first < count; first += kSeedBlock) {
        const size_t taken = std::min(kSeedBlock, count - first);
        check_interrupt_after(taken * work_.randomizer_.bytes());
        const Randomizer& randomizer = work_.randomizer_;
        kernels_.aes_cmac(randomizer.key, bytes, starts + first, ends + first, taken,
                          seeds_.data());
        work_.sum_.add_seeds(kernels_, randomizer.row_keys, seeds_.data(), taken);
    }
}

void AdditivePipeline::consume_weighted(const uint8_t* bytes, const uint32_t* starts,
                                        const uint32_t* ends, const int64_t* weights, size_t count,
                                        int exponent) {
    gather(bytes, starts, ends, weights, count, exponent);
}

void AdditivePipeline::gather(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                              const int64_t* weights, size_t count, int exponent) {
    const size_t capacity = work_.source_.capacity();
    const bool is_weighted = weights != nullptr;
    if (is_weighted != is_weighted_) close_segment(kContinues);
    is_weighted_ = is_weighted;
    exponent_ = exponent;
    while (count > 0) {
        if (used_ == capacity) {
            check_interrupt();
            close_segment(kContinues);
            flush();
        }
        const size_t taken = std::min(count, capacity - used_);
        look_up(bytes, starts, ends, taken);
        if (weights != nullptr) {
            weights_.resize(capacity);
            std::copy_n(weights, taken, weights_.data() + used_);
            weights += taken;
        }
        used_ += taken;
        starts += taken;
        ends += taken;
        count -= taken;
    }
}

// Finds the rows of the next tokens, now or together with others.
void AdditivePipeline::look_up(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                               size_t count) {
    constexpr size_t kEnough = 512;
    if (!bytes_stay_ || count >= kEnough) {
        look_up_pending();
        work_.source_.request(kernels_, bytes, starts, ends, count, rows_.data() + used_);
        return;
    }
    pending_bytes_ = bytes;
    pending_starts_.insert(pending_starts_.end(), starts, starts + count);
    pending_ends_.insert(pending_ends_.end(), ends, ends + count);
}

void AdditivePipeline::look_up_pending() {
    const size_t count = pending_starts_.size();
    if (count == 0) return;
    work_.source_.request(kernels_, pending_bytes_, pending_starts_.data(), pending_ends_.data(),
                          count, rows_.data() + used_ - count);
    pending_starts_.clear();
    pending_ends_.clear();
}

// Passes on each distinct token of the document once, with the weight of all its occurrences.
void AdditivePipeline::weigh_document() {
    constexpr size_t kTokens = 1024;
    constexpr size_t kBytes = size_t{1} << 30;  // murmur3 takes offsets below 2^31
    const TokenTally& tally = work_.tally_;
    fresh_starts_.resize(kTokens);
    fresh_ends_.resize(kTokens);
    for (size_t first = 0; first < tally.size();) {
        const size_t origin = tally.start(first);
        const size_t end = std::min(tally.size(), first + kTokens);
        size_t count = 0;
        // One token fits, however long: it came in a window of less than 2^31 bytes.
        do {
            fresh_starts_[count] = static_cast<uint32_t>(tally.start(first + count) - origin);
            fresh_ends_[count] = static_cast<uint32_t>(tally.start(first + count + 1) - origin);
            ++count;
        } while (first + count < end && tally.start(first + count + 1) - origin <= kBytes);
        const uint8_t* bytes = tally.bytes() + origin;
        weigh_tokens(bytes, first, count);
        size_t kept = 0;
        for (size_t i = 0; i < count; ++i) {
            fresh_starts_[kept] = fresh_starts_[i];
            fresh_ends_[kept] = fresh_ends_[i];
            token_weights_[kept] = token_weights_[i];
            kept += token_weights_[i] != 0;
        }
        gather(bytes, fresh_starts_.data(), fresh_ends_.data(), token_weights_.data(), kept, 0);
        first += count;
    }
    work_.tally_.clear();
}

// The weights of the tallied tokens from `first` on, whose places in `bytes` are known.
void AdditivePipeline::weigh_tokens(const uint8_t* bytes, size_t first, size_t count) {
    const TokenTally& tally = work_.tally_;
    const auto& [weights, is_sublinear] = options_.weighting;
    token_weights_.assign(count, TokenWeighting::kUnit);
    if (weights != nullptr) {
        hashes_.resize(count);
        kernels_.murmur3(bytes, fresh_starts_.data(), fresh_ends_.data(), count, 0, hashes_.data());
        for (uint32_t& hash : hashes_) {
            hash = weights->bucket(hash);
            __builtin_prefetch(&weights->of[hash]);
        }
        for (size_t i = 0; i < count; ++i) token_weights_[i] = weights->of[hashes_[i]];
    }
    if (options_.is_binary) return;
    for (size_t i = 0; i < count; ++i) {
        const auto weight = static_cast<uint8_t>(token_weights_[i]);
        const uint64_t times = tally.count(first + i);
        token_weights_[i] =
            is_sublinear ? sublinear_weight_(weight, times) : weight * static_cast<int64_t>(times);
    }
}

void AdditivePipeline::close_segment(size_t row) {
    segments_.push_back({used_, row, exponent_, is_weighted_});
}

void AdditivePipeline::end_document(size_t row) {
    if (!options_.weighting.is_plain()) weigh_document();
    if (is_direct()) {
        write(row);
    } else {
        close_segment(row);
    }
    is_weighted_ = false;
    exponent_ = 0;
    if (options_.is_binary) work_.seen_.clear();
}

void AdditivePipeline::finish() {
    flush();
    // Once: after each document it would wait for all that was written of it.
    if (options_.output.is_streamed) kernels_.finish_stream();
}

void AdditivePipeline::write(size_t row) {
    const Components components = work_.sum_.finish(kernels_, options_.is_signed);
    outcome_.merge({write_vector(kernels_, components, options_.output, row), row});
}

void AdditivePipeline::flush() {
    look_up_pending();
    work_.source_.resolve(kernels_);
    size_t first = 0;
    for (const Segment& segment : segments_) {
        const size_t count = segment.end - first;
        if (segment.is_weighted) {
            work_.sum_.add_weighted(kernels_, rows_.data() + first, weights_.data() + first, count,
                                    segment.exponent);
        } else {
            work_.sum_.add(kernels_, rows_.data() + first, count);
        }
        first = segment.end;
        if (segment.row != kContinues) write(segment.row);
    }
    segments_.clear();
    used_ = 0;
}

}  // namespace addhash
