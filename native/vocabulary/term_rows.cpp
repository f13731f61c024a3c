#include "vocabulary/term_rows.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "buckets/pieces.h"
#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr size_t kHashBlock = 512;  // tokens hashed at a time
// Tokens that are fetched beforehand, and those before them whose place in the table is.
constexpr size_t kAhead = 8, kFarAhead = 32;
constexpr size_t kRenumbered = size_t{1} << 16;  // numbers that a thread takes at a time

// Few enough for threads to end together, though a batch may be few long texts.
size_t texts_at_a_time(size_t texts, size_t threads) {
    constexpr size_t kPiecesPerThread = 8;
    const size_t pieces = kPiecesPerThread * std::max<size_t>(threads, 1);
    return std::clamp(texts / pieces, size_t{1}, kDocumentChunk);
}

unsigned bits_of(const Vocabulary& vocabulary) {
    return static_cast<unsigned>(std::bit_width(vocabulary.size()));
}

// Numbers the tokens of a text: number_of(token, size, hash), kNone for one that is not counted.
// write(count, make) has make(keys) write up to `count` keys and return their number.
template <class NumberOf, class Write> class NumberingSink final : public TokenSink {
public:
    NumberingSink(const Kernels& kernels, const Vocabulary& vocabulary, NumberOf number_of,
                  Write write)
        : kernels_(kernels), vocabulary_(vocabulary), number_of_(number_of), write_(write) {}

    void consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                 size_t count) override {
        uint32_t hashes[kHashBlock + kFarAhead];
        for (size_t first = 0; first < count; first += kHashBlock) {
            const size_t taken = std::min(kHashBlock, count - first);
            check_interrupt_after(taken * sizeof(uint64_t));
            kernels_.murmur3(bytes, starts + first, ends + first, taken, 0, hashes);
            std::fill_n(hashes + taken, kFarAhead, 0);
            for (size_t i = 0; i < kFarAhead; ++i) vocabulary_.prefetch(hashes[i]);
            for (size_t i = 0; i < kAhead; ++i) vocabulary_.prefetch_token(hashes[i]);
            write_(taken, [&](uint32_t* keys) {
                size_t written = 0;
                for (size_t i = 0; i < taken; ++i) {
                    vocabulary_.prefetch(hashes[i + kFarAhead]);
                    vocabulary_.prefetch_token(hashes[i + kAhead]);
                    const uint32_t start = starts[first + i];
                    const uint32_t number =
                        number_of_(bytes + start, ends[first + i] - start, hashes[i]);
                    keys[written] = number << 1;
                    written += number != Vocabulary::kNone;
                }
                return written;
            });
        }
    }

private:
    const Kernels& kernels_;
    const Vocabulary& vocabulary_;
    NumberOf number_of_;
    Write write_;
};

// Counts texts with the numbers that number_of gives.
template <class NumberOf> auto text_counter(const Kernels& kernels, const Tokenization& how,
                                            std::span<const Text> texts,
                                            const Vocabulary& vocabulary, NumberOf number_of) {
    // One window: tokens in scikit-learn's order.
    return [&kernels, &vocabulary, texts, number_of, analysis = Analysis(how, SIZE_MAX),
            sums = KeySums(kernels)](size_t i, SparseRows& rows) mutable {
        sums.set_bits(31);  // the vocabulary may grow
        NumberingSink sink(kernels, vocabulary, number_of,
                           [&](size_t count, auto&& make) { sums.add(count, make); });
        const Status status = analysis.run(texts[i], sink);
        sums.set_bits(bits_of(vocabulary));
        if (status == Status::done) sums.finish(rows);
        return status;
    };
}

// What one thread met that the vocabulary does not have, and the text in which it met each first.
struct Met {
    Vocabulary vocabulary;
    std::vector<size_t> first_texts;
    std::vector<uint32_t> numbers;  // once merged
};

// Adds what threads met to the vocabulary, in the order of the texts. Every text was one thread's,
// so that the order within a text is that thread's.
void merge(const std::vector<std::unique_ptr<Met>>& all, Vocabulary& vocabulary) {
    const auto next_text = [&](const Met& met) {
        const size_t merged = met.numbers.size();
        return merged < met.first_texts.size() ? met.first_texts[merged] : SIZE_MAX;
    };
    while (!all.empty()) {
        Met* first = all[0].get();
        for (const auto& met : all) {
            if (next_text(*met) < next_text(*first)) first = met.get();
        }
        const size_t text = next_text(*first);
        if (text == SIZE_MAX) return;
        const Vocabulary& own = first->vocabulary;
        while (next_text(*first) == text) {
            const size_t i = first->numbers.size();
            if (i + kFarAhead < own.size()) vocabulary.prefetch(own.hash_of(i + kFarAhead));
            first->numbers.push_back(
                vocabulary.find_or_add(own.bytes_of(i), own[i].size(), own.hash_of(i)));
        }
    }
}

// The numbers of each text's tokens, not yet counted. New tokens have numbers that follow those of
// the vocabulary and are a thread's own.
SparseBatch number_texts(const Kernels& kernels, const Tokenization& how,
                         std::span<const Text> texts, size_t threads, const Vocabulary& vocabulary,
                         std::vector<std::unique_ptr<Met>>& met, std::vector<size_t>& makers) {
    const auto known = static_cast<uint32_t>(vocabulary.size());
    return count_documents(
        texts.size(), threads,
        [&](size_t thread) {
            return [&, own = met[thread].get(), analysis = Analysis(how, SIZE_MAX)](
                       size_t text, SparseRows& rows) mutable {
                const size_t before = rows.buckets.size();
                const auto number_of = [&](const uint8_t* token, size_t size, uint32_t hash) {
                    const uint32_t number = vocabulary.find(token, size, hash);
                    if (number != Vocabulary::kNone) return number;
                    const uint32_t fresh = own->vocabulary.find_or_add(token, size, hash);
                    if (fresh == own->first_texts.size()) own->first_texts.push_back(text);
                    return known + fresh;
                };
                NumberingSink sink(kernels, known == 0 ? own->vocabulary : vocabulary, number_of,
                                   [&](size_t count, auto&& make) {
                                       rows.buckets.grow(make(rows.buckets.room(count)));
                                   });
                const Status status = analysis.run(texts[text], sink);
                rows.row_lengths.push_back(static_cast<uint32_t>(rows.buckets.size() - before));
                return status;
            };
        },
        texts_at_a_time(texts.size(), threads), &makers);
}

}  // namespace

SparseBatch learn_terms(const Kernels& kernels, const Tokenization& how,
                        std::span<const Text> texts, size_t threads, Vocabulary& vocabulary) {
    if (useful_threads(threads, texts.size()) == 1) {
        return count_documents(texts.size(), 1, [&](size_t) {
            return text_counter(kernels, how, texts, vocabulary,
                                [&](const uint8_t* token, size_t size, uint32_t hash) {
                                    return vocabulary.find_or_add(token, size, hash);
                                });
        });
    }
    std::vector<std::unique_ptr<Met>> met(threads);
    for (auto& one : met) one = std::make_unique<Met>();
    std::vector<size_t> makers;
    const auto known = static_cast<uint32_t>(vocabulary.size());
    SparseBatch numbered = number_texts(kernels, how, texts, threads, vocabulary, met, makers);
    if (numbered.outcome.status != Status::done) return numbered;
    merge(met, vocabulary);
    // A document here is a piece of rows.
    const auto count_pieces = [&](size_t) {
        return [&, sums = KeySums(kernels)](size_t i, SparseRows& rows) mutable {
            sums.set_bits(bits_of(vocabulary));
            const SparsePiece& piece = numbered.pieces[i];
            const uint32_t* key = piece.rows->buckets.data() + piece.first_entry;
            const std::vector<uint32_t>& numbers = met[makers[i]]->numbers;
            for (size_t row = 0; row < piece.row_count; ++row) {
                const size_t length = piece.rows->row_lengths[piece.first_row + row];
                sums.add(length, [&](uint32_t* keys) {
                    for (size_t k = 0; k < length; ++k) {
                        const uint32_t number = key[k] >> 1;
                        keys[k] = number < known ? key[k] : numbers[number - known] << 1;
                    }
                    return length;
                });
                key += length;
                sums.finish(rows);
            }
            return Status::done;
        };
    };
    SparseBatch counted = count_documents(numbered.pieces.size(), threads, count_pieces, 1);
    counted.documents = texts.size();
    return counted;
}

SparseBatch count_terms(const Kernels& kernels, const Tokenization& how,
                        std::span<const Text> texts, size_t threads, const Vocabulary& vocabulary) {
    return count_documents(
        texts.size(), threads,
        [&](size_t) {
            return text_counter(kernels, how, texts, vocabulary,
                                [&](const uint8_t* token, size_t size, uint32_t hash) {
                                    return vocabulary.find(token, size, hash);
                                });
        },
        texts_at_a_time(texts.size(), threads));
}

void renumber(int32_t* old, size_t count, const int32_t* numbers, size_t threads) {
    const size_t chunks = (count + kRenumbered - 1) / kRenumbered;
    run_parallel(threads, chunks, [&](auto next) {
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            const size_t end = std::min(count, (chunk + 1) * kRenumbered);
            for (size_t i = chunk * kRenumbered; i < end; ++i) old[i] = numbers[old[i]];
        }
    });
}

}  // namespace addhash
