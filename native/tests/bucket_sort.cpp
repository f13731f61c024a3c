#include "bucket_sort/bucket_sort.h"

#include <algorithm>
#include <map>

#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

std::vector<uint32_t> random_keys(Random& random, size_t count, unsigned bucket_bits) {
    std::vector<uint32_t> keys(count);
    for (uint32_t& key : keys) {
        key = static_cast<uint32_t>(random() & ((uint64_t{1} << (bucket_bits + 1)) - 1));
    }
    return keys;
}

bool is_before(uint32_t a, uint32_t b) { return a >> 1 < b >> 1; }

void check_sort(const std::vector<uint32_t>& keys, unsigned bucket_bits) {
    std::vector<uint32_t> expected = keys;
    std::sort(expected.begin(), expected.end());
    for_each_set([&](const Kernels& kernels) {
        std::vector<uint32_t> own = keys, scratch(keys.size() + kKeySlack);
        own.resize(keys.size() + kKeySlack, 12345);
        const uint32_t* sorted =
            kernels.sort_keys(own.data(), scratch.data(), keys.size(), bucket_bits);
        std::vector<uint32_t> result(sorted, sorted + keys.size());
        CHECK(std::is_sorted(result.begin(), result.end(), is_before));
        std::sort(result.begin(), result.end());
        CHECK(result == expected);
    });
}

void check_sums(std::vector<uint32_t> keys) {
    std::sort(keys.begin(), keys.end(), is_before);
    std::map<uint32_t, double> expected;
    for (uint32_t key : keys) expected[key >> 1] += key & 1 ? -1 : 1;
    const size_t count = keys.size();
    // What lies past the end belongs to the last bucket, and does not count.
    keys.resize(count + kKeySlack, count == 0 ? 7 : keys.back());
    for_each_set([&](const Kernels& kernels) {
        std::vector<uint32_t> buckets(count + kKeySlack);
        std::vector<double> sums(count + kKeySlack);
        const size_t entries = kernels.sum_keys(keys.data(), count, buckets.data(), sums.data());
        CHECK(entries == expected.size());
        size_t i = 0;
        for (const auto& [bucket, sum] : expected) {
            CHECK(buckets[i] == bucket && sums[i] == sum);
            ++i;
        }
    });
}

}  // namespace

TEST(keys_are_sorted_by_bucket_at_every_count) {
    Random random(41);
    for (unsigned bucket_bits : {0u, 1u, 7u, 20u, 31u}) {
        for (size_t count = 0; count <= 300; ++count) {
            check_sort(random_keys(random, count, bucket_bits), bucket_bits);
        }
        for (size_t count : {511, 512, 513, 1000, 2047, 2048, 2049, 5000}) {
            check_sort(random_keys(random, count, bucket_bits), bucket_bits);
        }
    }
}

// A network that sorts every order of zeros and ones sorts everything.
TEST(keys_of_two_buckets_are_sorted_wherever_they_stand) {
    for (size_t count : {5, 16, 33, 48, 80, 200}) {
        for (size_t ones = 0; ones <= count; ++ones) {
            Random random(ones);
            std::vector<uint32_t> keys(count);
            std::fill_n(keys.begin(), ones, 2);
            check_sort(keys, 1);
            for (size_t i = count; i > 1; --i) std::swap(keys[i - 1], keys[random() % i]);
            check_sort(keys, 1);
            std::sort(keys.rbegin(), keys.rend());
            check_sort(keys, 1);
        }
    }
}

TEST(sums_of_keys_are_those_of_their_buckets) {
    Random random(42);
    for (unsigned bucket_bits : {0u, 1u, 3u, 5u, 12u, 31u}) {
        for (size_t count = 0; count <= 100; ++count) {
            check_sums(random_keys(random, count, bucket_bits));
        }
        for (size_t count : {255, 256, 257, 3000}) {
            check_sums(random_keys(random, count, bucket_bits));
        }
    }
    // Runs that fill registers and more, of one sign.
    check_sums(std::vector<uint32_t>(1000, 8));
    check_sums(std::vector<uint32_t>(1000, 9));
}
