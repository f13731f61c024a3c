#include "buckets/buckets.h"

#include <cmath>
#include <map>

#include "buckets/batch.h"
#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

constexpr uint32_t kFeatures[] = {1,       2,         3,          5,        1000,
                                  1 << 16, (1 << 20), 1234567891, 1u << 30, 0x7FFFFFFF};

struct Place {
    uint32_t bucket;
    int sign;
};

// In 64 bits, where every hash has an absolute value.
Place slow_place(uint32_t hash, uint32_t n_features, bool alternate_sign) {
    const int64_t h = static_cast<int32_t>(hash);
    return {static_cast<uint32_t>((h < 0 ? -h : h) % n_features), alternate_sign && h < 0 ? -1 : 1};
}

using Sums = std::map<uint32_t, double>;

Sums slow_sums(const std::vector<uint32_t>& hashes, uint32_t n_features, bool alternate_sign) {
    Sums sums;
    for (uint32_t hash : hashes) {
        const Place place = slow_place(hash, n_features, alternate_sign);
        sums[place.bucket] += place.sign;
    }
    return sums;
}

// Row `row` of `rows` holds exactly these sums, in order of buckets.
bool is_row_of(const SparseRows& rows, size_t row, const Sums& expected) {
    size_t i = 0;
    for (size_t before = 0; before < row; ++before) i += rows.row_lengths[before];
    if (rows.row_lengths[row] != expected.size()) return false;
    for (const auto& [bucket, sum] : expected) {
        if (rows.buckets[i] != bucket || rows.sums[i] != sum) return false;
        ++i;
    }
    return true;
}

std::vector<uint32_t> random_hashes(Random& random, size_t count) {
    std::vector<uint32_t> hashes;
    for (size_t i = 0; i < count; ++i) hashes.push_back(static_cast<uint32_t>(random()));
    return hashes;
}

}  // namespace

TEST(a_hash_goes_to_the_bucket_of_its_absolute_value) {
    Random random(22);
    std::vector<uint32_t> hashes = random_hashes(random, 2000);
    // 2^31 is the signed hash that has no absolute value in 32 bits.
    for (uint32_t hash : {0u, 1u, 0x7FFFFFFFu, 0x80000000u, 0x80000001u, 0xFFFFFFFFu}) {
        hashes.push_back(hash);
    }
    for (uint32_t n_features : kFeatures) {
        for (bool alternate_sign : {false, true}) {
            const BucketRule rule(n_features, alternate_sign);
            for (uint32_t hash : hashes) {
                const Place place = slow_place(hash, n_features, alternate_sign);
                CHECK(rule.key(hash) >> 1 == place.bucket);
                CHECK((rule.key(hash) & 1 ? -1 : 1) == place.sign);
            }
        }
    }
}

TEST(bucket_sums_are_the_oracle_at_every_count) {
    Random random(23);
    std::vector<size_t> counts(std::begin(kEdgeCounts), std::end(kEdgeCounts));
    for (size_t count : {23, 24, 25, 511, 512, 513, 5000}) counts.push_back(count);
    for (uint32_t n_features : kFeatures) {
        for (bool alternate_sign : {false, true}) {
            BucketSums sums(active_kernels(), BucketRule(n_features, alternate_sign));
            SparseRows rows;
            for (size_t row = 0; row < counts.size(); ++row) {
                std::vector<uint32_t> hashes = random_hashes(random, counts[row]);
                // Hashes that meet: some cancel, and leave an entry of 0.
                for (size_t i = 0; i < hashes.size(); ++i) {
                    if (i % 3 == 1) hashes[i] = hashes[i - 1];
                    if (i % 3 == 2) hashes[i] = 0u - hashes[i - 2];
                }
                sums.add(hashes.data(), hashes.size() / 2);
                sums.add(hashes.data() + hashes.size() / 2, hashes.size() - hashes.size() / 2);
                sums.finish(rows);
                CHECK(rows.row_lengths.size() == row + 1);
                CHECK(is_row_of(rows, row, slow_sums(hashes, n_features, alternate_sign)));
            }
        }
    }
}

TEST(a_document_of_more_keys_than_are_kept_is_folded) {
    constexpr size_t kKept = size_t{1} << 22;
    constexpr uint32_t kBuckets = 5000;
    Random random(24);
    BucketSums sums(active_kernels(), BucketRule(kBuckets, true));
    SparseRows rows;
    size_t row = 0;
    for (size_t count : {kKept - 1, kKept, kKept + 1, 2 * kKept + 77}) {
        std::vector<uint32_t> hashes = random_hashes(random, count);
        // Buckets that only the keys before, or only those after the fold have.
        hashes.front() = 4999;
        hashes.back() = 4998;
        std::vector<double> expected(kBuckets);
        std::vector<bool> is_used(kBuckets);
        for (uint32_t& hash : hashes) {
            if (&hash != &hashes.front() && &hash != &hashes.back()) hash = (hash >> 8) % 4990;
            if (hash % 2 && hash < 4990) hash = 0u - hash;
            const Place place = slow_place(hash, kBuckets, true);
            expected[place.bucket] += place.sign;
            is_used[place.bucket] = true;
        }
        sums.add(hashes.data(), count);
        sums.finish(rows);
        Sums used;
        for (uint32_t bucket = 0; bucket < kBuckets; ++bucket) {
            if (is_used[bucket]) used[bucket] = expected[bucket];
        }
        CHECK(is_row_of(rows, row++, used));
        // Nothing is left over for a short document after it.
        const uint32_t one = 7;
        sums.add(&one, 1);
        sums.finish(rows);
        CHECK(is_row_of(rows, row++, {{7, 1}}));
    }
}

namespace {

bool is_space(uint32_t c) { return c == ' '; }
bool is_word(uint32_t c) { return c > ' ' && c < 0x80; }

const CharacterTable& table() {
    static const CharacterTable characters({is_space, is_word, {}});
    return characters;
}

// Words of random letters, and the same documents as texts and as ready tokens.
struct Corpus {
    explicit Corpus(size_t count) {
        Random random(25);
        for (size_t d = 0; d < count; ++d) {
            std::string document;
            std::vector<uint32_t> document_hashes;
            for (size_t i = d % 7 == 0 ? 0 : random() % 90; i > 0; --i) {
                std::string word;
                for (size_t j = 2 + random() % 20 * (random() % 2); j > 0; --j) {
                    word.push_back(static_cast<char>('a' + random() % 3));
                }
                document += word + " ";
                document_hashes.push_back(slow_murmur3(word, 0));
                std::memcpy(tokens.extend(word.size()), word.data(), word.size());
                tokens.keep(word.size());
                tokens.end_token(1.0);
            }
            tokens.end_document();
            documents.push_back(document);
            hashes.push_back(document_hashes);
        }
        for (const std::string& document : documents) {
            texts.push_back({document.data(), document.size(), 1, &table()});
        }
    }
    std::vector<std::string> documents;
    std::vector<Text> texts;
    TokenBatch tokens;
    std::vector<std::vector<uint32_t>> hashes;
};

template <class Float> void check_csr(const SparseBatch& batch, const Corpus& corpus,
                                      uint32_t n_features, bool is_binary, Norm norm,
                                      size_t threads) {
    std::vector<int64_t> row_starts(corpus.documents.size() + 1, -1);
    std::vector<int32_t> buckets(batch.entries, -1);
    std::vector<Float> values(batch.entries, -1);
    write_csr(batch, is_binary, norm, row_starts.data(), buckets.data(), values.data(), threads);
    size_t next = 0;
    CHECK(row_starts[0] == 0);
    for (size_t d = 0; d < corpus.documents.size(); ++d) {
        const Sums sums = slow_sums(corpus.hashes[d], n_features, true);
        double size = 0;
        for (const auto& [bucket, sum] : sums) {
            const double value = is_binary ? 1 : sum;
            size += norm == Norm::l1 ? std::fabs(value) : value * value;
        }
        if (norm == Norm::l2) size = std::sqrt(size);
        if (norm == Norm::none || size == 0) size = 1;
        for (const auto& [bucket, sum] : sums) {
            CHECK(buckets[next] == static_cast<int32_t>(bucket));
            CHECK(values[next] == static_cast<Float>((is_binary ? 1 : sum) / size));
            ++next;
        }
        CHECK(row_starts[d + 1] == static_cast<int64_t>(next));
    }
    CHECK(batch.entries == next);
}

}  // namespace

TEST(batches_of_texts_and_of_tokens_are_the_oracle_on_any_threads) {
    const Corpus corpus(300);
    for_each_set([&](const Kernels& kernels) {
        for (uint32_t n_features : {7u, 1u << 20}) {
            const BucketRule rule(n_features, true);
            for (size_t threads : {1, 2, 5}) {
                const SparseBatch of_texts =
                    count_texts(kernels, rule, {Analyzer::word, {1, 1}}, corpus.texts, threads);
                const SparseBatch of_tokens = count_tokens(kernels, rule, corpus.tokens, threads);
                for (const SparseBatch* batch : {&of_texts, &of_tokens}) {
                    CHECK(batch->outcome.status == Status::done);
                    CHECK(batch->documents == corpus.documents.size());
                    for (Norm norm : {Norm::none, Norm::l1, Norm::l2}) {
                        check_csr<float>(*batch, corpus, n_features, false, norm, threads);
                        check_csr<double>(*batch, corpus, n_features, true, norm, threads);
                        check_csr<double>(*batch, corpus, n_features, false, norm, threads);
                    }
                }
            }
        }
    });
}

TEST(a_batch_reports_the_first_document_that_cannot_be_cut) {
    const uint16_t surrogate[] = {'a', 0xDC00};
    const std::string plain = "plain text";
    for (size_t threads : {1, 2, 5}) {
        std::vector<Text> texts(500, Text{plain.data(), plain.size(), 1, &table()});
        for (size_t place : {499, 311, 130, 129}) {
            texts[place] = {surrogate, 2, 2, &table()};
            const SparseBatch batch = count_texts(active_kernels(), BucketRule(100, true),
                                                  {Analyzer::characters, {1, 1}}, texts, threads);
            CHECK(batch.outcome.status == Status::surrogate);
            CHECK(batch.outcome.position == place);
        }
    }
}

TEST(no_documents_make_an_empty_matrix) {
    const SparseBatch batch =
        count_tokens(active_kernels(), BucketRule(100, true), TokenBatch(), 4);
    int64_t row_start = -1;
    write_csr<double>(batch, false, Norm::l2, &row_start, nullptr, nullptr, 4);
    CHECK(row_start == 0 && batch.entries == 0 && batch.documents == 0);
}
