// The counts in a file of naive Bayes: what is not refused is read, and written again as it was.
#include "bayes/coded_counts.h"

#include "bayes/class_counts.h"
#include "fuzz/require.h"

using namespace addhash;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    constexpr uint32_t kBuckets = 1 << 20;
    constexpr size_t kClasses = 300;
    const std::vector<uint8_t> bytes(data, data + size);  // ends where its allocation does
    std::vector<int64_t> tokens(kClasses);
    if (check_counts(bytes, kBuckets, tokens) != Status::done) return 0;
    for (const int64_t count : tokens) REQUIRE(count >= 0);
    REQUIRE(ClassCounts(1, bytes, kClasses).coded() == bytes);
    return 0;
}
