// The counts in a file of a mixture: what is not refused is read, and packed again means the same.
#include "detection/ngram_counts.h"

#include <algorithm>

#include "fuzz/require.h"

using namespace addhash;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    constexpr size_t kClasses = 300;
    // Ends where its allocation does.
    const auto bytes = std::make_shared<const std::vector<uint8_t>>(data, data + size);
    NgramCounts counts;
    if (NgramCounts::parse(*bytes, bytes, kClasses, counts) != Status::done) return 0;
    const std::vector<NgramCount> all = counts.unpacked();
    for (size_t i = 0; i < all.size(); ++i) {
        REQUIRE(all[i].count > 0 && all[i].label < kClasses);
        REQUIRE(i == 0 || all[i - 1].key < all[i].key ||
                (all[i - 1].key == all[i].key && all[i - 1].label < all[i].label));
        NgramCounts::Room room;
        REQUIRE(!counts.find(all[i].key, room).entries.empty());
    }
    const auto same = [](const NgramCount& a, const NgramCount& b) {
        return a.key == b.key && a.label == b.label && a.count == b.count;
    };
    const std::vector<NgramCount> again = NgramCounts(all).unpacked();
    REQUIRE(std::equal(all.begin(), all.end(), again.begin(), again.end(), same));
    return 0;
}
