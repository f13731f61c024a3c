// The sets in a file of an index of duplicates: what is not refused are sets.
#include "duplicates/token_sets.h"

#include <fuzzer/FuzzedDataProvider.h>

#include "fuzz/require.h"

using namespace addhash;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    FuzzedDataProvider input(data, size);
    std::vector<uint32_t> sizes(input.ConsumeIntegralInRange<size_t>(0, 8));
    for (uint32_t& of : sizes) {
        of = input.ConsumeBool() ? input.ConsumeIntegralInRange<uint32_t>(0, 8)
                                 : input.ConsumeIntegral<uint32_t>();
    }
    std::vector<uint64_t> hashes;
    while (input.remaining_bytes() > 0) {
        // A step of a byte up from the one before, or anything.
        const uint64_t last = hashes.empty() ? 0 : hashes.back();
        hashes.push_back(input.ConsumeIntegral<uint8_t>() < 0xF0
                             ? last + input.ConsumeIntegral<uint8_t>()
                             : input.ConsumeIntegral<uint64_t>());
    }
    TokenSets sets;
    if (!sets.add(sizes, hashes)) {
        REQUIRE(sets.size() == 0 && sets.tokens() == 0);
        return 0;
    }
    REQUIRE(sets.size() == sizes.size());
    REQUIRE(sets.tokens() == hashes.size());
    for (size_t i = 0; i < sets.size(); ++i) {
        REQUIRE(sets[i].size() == sizes[i] && sizes[i] > 0);
        for (size_t j = 1; j < sets[i].size(); ++j) REQUIRE(sets[i][j - 1] < sets[i][j]);
        REQUIRE(shared_hashes(sets[i], sets[i], 0) == sizes[i]);
        REQUIRE(shared_hashes(sets[0], sets[i], 0) == shared_hashes(sets[i], sets[0], 0));
    }
    return 0;
}
