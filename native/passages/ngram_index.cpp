#include "passages/ngram_index.h"

#include <algorithm>
#include <mutex>

#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr size_t kIndexChunk = 32;  // texts that a thread takes at a time

}  // namespace

Outcome NgramIndex::add(const Kernels& kernels, std::span<const Text> texts) {
    WordWindows windows(kernels, words_);
    for (size_t i = 0; i < texts.size(); ++i) {
        const Status status = windows.run(texts[i]);
        if (status != Status::done) return {status, i};
        const size_t count = windows.windows().size();
        if (count > kMost - ngrams_.size()) return {Status::too_many, i};
        const size_t start = sequence_.size();
        for (size_t w = 0; w < windows.words(); ++w) {
            const std::string_view word = windows.word(w);
            sequence_.push_back(
                vocabulary_.find_or_add(reinterpret_cast<const uint8_t*>(word.data()), word.size(),
                                        static_cast<uint32_t>(windows.word_hash(w))));
        }
        for (size_t at = 0; at < count; ++at) {
            uint32_t ngram = find(windows, at);
            if (ngram == kNone) {
                ngram = static_cast<uint32_t>(first_.size());
                first_.push_back(start + at);
                if (first_.size() > table_.size() / 2) grow();
                insert(windows.windows()[at], ngram);
            }
            ngrams_.push_back(ngram);
        }
        ends_.push_back(ngrams_.size());
        check_interrupt_after(texts[i].length);
    }
    return {};
}

void NgramIndex::insert(uint64_t hash, uint32_t ngram) {
    size_t place = hash & (table_.size() - 1);
    while (table_[place].ngram != kNone) place = (place + 1) & (table_.size() - 1);
    table_[place] = {hash, ngram};
}

void NgramIndex::grow() {
    const std::vector<Entry> old = std::move(table_);
    table_.assign(2 * old.size(), {});
    for (const Entry& entry : old) {
        if (entry.ngram != kNone) insert(entry.hash, entry.ngram);
    }
}

uint32_t NgramIndex::find(const WordWindows& windows, size_t at) const {
    const uint64_t hash = windows.windows()[at];
    for (size_t place = hash & (table_.size() - 1); table_[place].ngram != kNone;
         place = (place + 1) & (table_.size() - 1)) {
        const Entry& entry = table_[place];
        if (entry.hash == hash && is(entry.ngram, windows, at)) return entry.ngram;
    }
    return kNone;
}

bool NgramIndex::is(uint32_t ngram, const WordWindows& windows, size_t at) const {
    for (size_t i = 0; i < words_; ++i) {
        if (vocabulary_[sequence_[first_[ngram] + i]] != windows.word(at + i)) return false;
    }
    return true;
}

Outcome NgramIndex::scan(const Kernels& kernels, std::span<const Text> texts,
                         std::span<const Text> given, size_t threads,
                         std::vector<NgramPlace>& places) const {
    if (texts.size() > kMost) return {Status::too_many, 0};
    const size_t chunks = (texts.size() + kIndexChunk - 1) / kIndexChunk;
    std::vector<std::vector<NgramPlace>> found(chunks);
    Outcome outcome;
    std::mutex failing;
    run_parallel(threads, chunks, [&](auto next) {
        WordWindows windows(kernels, words_), unfolded(kernels, words_);
        std::vector<std::pair<uint32_t, size_t>> held;  // n-grams and where they begin
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            const size_t end = std::min(texts.size(), (chunk + 1) * kIndexChunk);
            for (size_t i = chunk * kIndexChunk; i < end; ++i) {
                Status status = windows.run(texts[i]);
                held.clear();
                for (size_t at = 0; at < windows.windows().size(); ++at) {
                    const uint32_t ngram = find(windows, at);
                    if (ngram != kNone) held.emplace_back(ngram, at);
                }
                const bool is_folded = texts[i].length != given[i].length;  // İ, two characters
                if (status == Status::done && is_folded) status = unfolded.run(given[i]);
                if (status != Status::done) {
                    const std::lock_guard lock(failing);
                    outcome.merge({status, i});
                    return;
                }
                const auto& spans = (is_folded ? unfolded : windows).spans();
                std::sort(held.begin(), held.end());
                const auto is_same = [](const auto& a, const auto& b) {
                    return a.first == b.first;
                };
                held.erase(std::unique(held.begin(), held.end(), is_same), held.end());
                std::sort(held.begin(), held.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; });
                for (const auto& [ngram, at] : held) {
                    found[chunk].push_back({static_cast<uint32_t>(i), ngram,
                                            static_cast<uint32_t>(spans[at].start),
                                            static_cast<uint32_t>(spans[at + words_ - 1].end)});
                }
                check_interrupt_after(texts[i].length);
            }
        }
    });
    for (const auto& some : found) places.insert(places.end(), some.begin(), some.end());
    return outcome;
}

}  // namespace addhash
