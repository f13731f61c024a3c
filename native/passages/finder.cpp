#include "passages/finder.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "parallel/parallel.h"
#include "simd/bytes.h"

namespace addhash {
namespace {

constexpr size_t kChunk = 32;  // texts that a thread takes at a time

uint32_t group_of(std::span<const uint32_t> groups, size_t i) {
    return groups.empty() ? 0 : groups[i];
}

}  // namespace

// The stretches of consecutive texts. A word is preceded by the number of its group: words of
// different groups differ.
struct PassageFinder::Piece {
    struct Part {
        uint32_t text;  // in the chunk
        size_t words;
        uint32_t next;
    };
    std::vector<Part> parts;
    std::vector<Word> words;
    std::vector<uint32_t> sizes, hashes;
    std::vector<uint8_t> bytes;

    void add_word(std::string_view word, uint32_t hash, uint32_t group, UnitCutter::Span span) {
        uint8_t prefix[sizeof(group)];
        store32(prefix, group);
        bytes.insert(bytes.end(), prefix, prefix + sizeof(prefix));
        bytes.insert(bytes.end(), word.begin(), word.end());
        sizes.push_back(static_cast<uint32_t>(sizeof(prefix) + word.size()));
        hashes.push_back(hash);
        words.push_back({static_cast<uint32_t>(span.start), static_cast<uint32_t>(span.end)});
    }
};

void PassageFinder::Words::push_back(Word word) {
    const uint32_t length = word.end - word.start;
    if (length >= kLong) longer_[size()] = length;
    starts_.push_back(word.start);
    lengths_.push_back(static_cast<uint8_t>(std::min(length, kLong)));
}

PassageFinder::Word PassageFinder::Words::operator[](size_t i) const {
    const uint32_t length = lengths_[i];
    return {starts_[i], starts_[i] + (length < kLong ? length : longer_.at(i))};
}

// Calls work(windows, chunk, i, group) for each text.
template <class Work>
Outcome PassageFinder::each(const Kernels& kernels, std::span<const Text> texts,
                            std::span<const uint32_t> groups, size_t threads, Work&& work) {
    if (texts.size() > kMostTexts - texts_) return {Status::too_many, 0};
    const size_t chunks = (texts.size() + kChunk - 1) / kChunk;
    Outcome outcome;
    std::mutex failing;
    run_parallel(threads, chunks, [&](auto next) {
        WordWindows windows(kernels, rule_.words);
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            const size_t end = std::min(texts.size(), (chunk + 1) * kChunk);
            for (size_t i = chunk * kChunk; i < end; ++i) {
                const Status status = windows.run(texts[i], group_of(groups, i));
                if (status != Status::done) {
                    const std::lock_guard lock(failing);
                    outcome.merge({status, i});
                    return;
                }
                work(windows, chunk, i);
                check_interrupt_after(texts[i].length);
            }
        }
    });
    return outcome;
}

Outcome PassageFinder::look(const Kernels& kernels, std::span<const Text> texts,
                            std::span<const uint32_t> groups, size_t threads) {
    std::vector<std::vector<uint64_t>> again((texts.size() + kChunk - 1) / kChunk);
    const Outcome outcome = each(kernels, texts, groups, threads,
                                 [&](const WordWindows& windows, size_t chunk, size_t) {
                                     seen_.see(windows.windows(), again[chunk]);
                                 });
    for (const std::vector<uint64_t>& hashes : again) windows_.add(hashes);
    texts_ += texts.size();
    return outcome;
}

void PassageFinder::end_look() {
    seen_ = SeenBefore(0);
    windows_.seal();
    texts_ = 0;
}

Outcome PassageFinder::count(const Kernels& kernels, std::span<const Text> texts,
                             std::span<const uint32_t> groups, size_t threads) {
    const bool once_each = rule_.texts > 1;
    const Outcome outcome =
        each(kernels, texts, groups, threads, [&](const WordWindows& windows, size_t, size_t i) {
            windows_.count(windows.windows(), static_cast<uint32_t>(texts_ + i), once_each);
        });
    texts_ += texts.size();
    return outcome;
}

void PassageFinder::end_count() {
    windows_.keep(std::max<uint32_t>(2, rule_.texts));
    texts_ = 0;
}

void PassageFinder::resume_count(const std::vector<uint64_t>& windows) {
    windows_.add(windows);
    end_look();
}

void PassageFinder::resume_gather(const std::vector<uint64_t>& windows) {
    resume_count(windows);
    windows_.keep(0);
}

Outcome PassageFinder::gather(const Kernels& kernels, std::span<const Text> texts,
                              std::span<const Text> given, std::span<const uint32_t> groups,
                              size_t threads) {
    std::vector<Piece> pieces((texts.size() + kChunk - 1) / kChunk);
    const auto take = [&](const WordWindows& windows, size_t chunk, size_t i) {
        const std::span<const uint64_t> hashes = windows.windows();
        Piece& piece = pieces[chunk];
        std::vector<UnitCutter::Span> unfolded;  // İ becomes two characters
        const std::vector<UnitCutter::Span>* spans = &windows.spans();
        size_t taken = 0;  // words of this text that are in the piece, or before those that are
        for (size_t first = 0; first < hashes.size(); ++first) {
            if (!windows_.contains(hashes[first])) continue;
            if (texts[i].length != given[i].length && unfolded.empty()) {
                WordWindows again(kernels, rule_.words);
                static_cast<void>(again.run(given[i]));  // no longer than the folded text
                unfolded = again.spans();
                spans = &unfolded;
            }
            if (first >= taken) {
                const size_t text = i - chunk * kChunk;
                piece.parts.push_back({static_cast<uint32_t>(text), 0, 0});
                taken = first;
            }
            for (; taken < first + rule_.words; ++taken) {
                piece.add_word(windows.word(taken), static_cast<uint32_t>(windows.word_hash(taken)),
                               group_of(groups, i), (*spans)[taken]);
                ++piece.parts.back().words;
            }
            piece.parts.back().next = static_cast<uint32_t>(
                taken < spans->size() ? (*spans)[taken].start : given[i].length);
        }
    };
    Outcome outcome = each(kernels, texts, groups, threads, take);
    for (size_t chunk = 0; chunk < pieces.size() && outcome.status == Status::done; ++chunk) {
        const size_t first = texts_ + chunk * kChunk;
        if (!append(pieces[chunk], static_cast<uint32_t>(first))) outcome = {Status::too_many, 0};
        pieces[chunk] = {};
    }
    texts_ += texts.size();
    return outcome;
}

bool PassageFinder::append(const Piece& piece, uint32_t first_text) {
    const size_t more = piece.words.size() + piece.parts.size();
    if (more > INT32_MAX - words_.size()) return false;
    std::vector<uint8_t> word;
    const uint8_t* bytes = piece.bytes.data();
    size_t taken = 0;
    for (const Piece::Part& part : piece.parts) {
        const uint32_t text = first_text + part.text;
        stretches_.push_back({text, static_cast<uint32_t>(words_.size()), part.next});
        for (size_t end = taken + part.words; taken < end; ++taken) {
            const uint32_t size = piece.sizes[taken];
            word.assign(size + kSlack, 0);
            std::memcpy(word.data(), bytes, size);
            bytes += size;
            const uint32_t number = vocabulary_.find_or_add(word.data(), size, piece.hashes[taken]);
            sequence_.words.push_back(static_cast<int32_t>(number));
            words_.push_back(piece.words[taken]);
        }
        sequence_.words.push_back(-1);
        words_.push_back({0, 0});
    }
    return true;
}

void PassageFinder::find() {
    windows_ = {};
    // Together no more than there are words and stretches.
    auto symbol = static_cast<int32_t>(vocabulary_.size());
    vocabulary_ = {};
    for (int32_t& word : std::span(sequence_.words.data(), sequence_.words.size())) {
        if (word < 0) word = symbol++;
    }
    sequence_.symbols = symbol;
    repeats_ = find_repeats(std::move(sequence_), stretches_, texts_,
                            static_cast<int32_t>(rule_.words), rule_.texts);
    sequence_ = {};
}

std::vector<Place> PassageFinder::places() {
    std::vector<Place> places;
    std::vector<uint32_t> numbers(repeats_.repeats.size(), Repeats::kNone);
    passages_.clear();
    for (size_t s = 0; s < stretches_.size(); ++s) {
        const Stretch& stretch = stretches_[s];
        const size_t end = s + 1 < stretches_.size() ? stretches_[s + 1].begin : words_.size();
        size_t reached = 0;  // by the repeat that began one word earlier
        for (size_t i = stretch.begin; i < end; ++i) {
            const uint32_t number = repeats_.longest[i];
            if (number == Repeats::kNone) {
                reached = 0;
                continue;
            }
            const Repeat& repeat = repeats_.repeats[number];
            const size_t after = i + static_cast<size_t>(repeat.words);
            if (after > reached) {
                if (numbers[number] == Repeats::kNone) {
                    numbers[number] = static_cast<uint32_t>(passages_.size());
                    const auto first = std::upper_bound(
                        stretches_.begin(), stretches_.end(), static_cast<uint32_t>(repeat.first),
                        [](uint32_t word, const Stretch& other) { return word < other.begin; });
                    passages_.push_back({static_cast<uint32_t>(repeat.words), repeat.texts,
                                         (first - 1)->text, words_[repeat.first].start});
                }
                places.push_back(
                    {stretch.text, words_[i].start, words_[after - 1].end, numbers[number]});
            }
            reached = after;
        }
    }
    return places;
}

std::vector<Cut> PassageFinder::cuts(bool repeats, std::span<const uint32_t> most,
                                     std::span<const uint32_t> groups) const {
    std::vector<Cut> cuts;
    for (size_t s = 0; s < stretches_.size(); ++s) {
        const Stretch& stretch = stretches_[s];
        const bool is_last = s + 1 == stretches_.size();
        const size_t end = (is_last ? words_.size() : stretches_[s + 1].begin) - 1;
        const uint32_t bound = most.empty() ? UINT32_MAX : most[group_of(groups, stretch.text)];
        for (size_t i = stretch.begin; i < end; ++i) {
            const bool is_frequent = repeats_.window_texts[i] >= bound;
            if (!is_frequent && !(repeats && repeats_.stood_before[i])) continue;
            const uint32_t start = words_[i].start;
            if (cuts.empty() || cuts.back().text != stretch.text || cuts.back().end < start) {
                cuts.push_back({stretch.text, start, 0});
            }
            const size_t after = i + rule_.words;
            cuts.back().end = after < end ? words_[after].start : stretch.next;
        }
    }
    return cuts;
}

size_t PassageFinder::bytes() const {
    constexpr size_t kFinding = 14;  // for each word, while repeats are found
    return seen_.bytes() + windows_.bytes() + words_.bytes() + words_.size() * kFinding +
           stretches_.capacity() * sizeof(Stretch);
}

}  // namespace addhash
