// Texts of any characters: the tokens do not depend on how many bytes a character takes in memory
// nor on the window, lie inside their buffer, and begin with the n-gram that they extend.
#include "analysis/analysis.h"

#include <fuzzer/FuzzedDataProvider.h>
#include <sanitizer/asan_interface.h>

#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "fuzz/require.h"
#include "simd/bytes.h"

using namespace addhash;

namespace {

bool is_space(uint32_t c) { return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0x3000; }
bool is_word(uint32_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= 0xC0 && c < 0x2000) || (c >= 0x4E00 && c <= 0x9FFF) || c >= 0x20000;
}

const CharacterTable& table(bool lowercase) {
    static const CharacterTable own({is_space, is_word, {}});
    static const CharacterTable lowered = [] {
        std::vector<uint32_t> forms(0x110000);
        for (uint32_t c = 0; c < forms.size(); ++c) forms[c] = c >= 'A' && c <= 'Z' ? c + 32 : c;
        return CharacterTable({is_space, is_word, forms});
    }();
    return lowercase ? lowered : own;
}

// Asks the sanitizer, once for all bytes: to read them one by one would take most of the time, and
// the library's hash, which reads them faster, is not watched.
bool is_readable(const uint8_t* bytes, size_t count) {
    return __asan_region_is_poisoned(const_cast<uint8_t*>(bytes), count) == nullptr;
}

class Collector final : public TokenSink {
public:
    void consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                 size_t count) override {
        REQUIRE(count > 0);
        for (size_t i = 0; i < count; ++i) {
            REQUIRE(starts[i] <= ends[i]);
            const size_t length = ends[i] - starts[i];
            REQUIRE(is_readable(bytes + starts[i], length));
            const auto* first = reinterpret_cast<const char*>(bytes) + starts[i];
            hashes_ += std::hash<std::string_view>()({first, length});
            ++tokens_;
        }
        REQUIRE(is_readable(bytes + ends[count - 1], kSlack));
    }
    // The number of tokens, and the sum of their hashes.
    std::pair<size_t, uint64_t> summary() const { return {tokens_, hashes_}; }

private:
    size_t tokens_ = 0;
    uint64_t hashes_ = 0;
};

template <class Unit> std::pair<size_t, uint64_t> tokens_of(Analysis& analysis,
                                                            const std::vector<uint32_t>& text,
                                                            bool lowercase, Status& status) {
    const std::vector<Unit> units(text.begin(), text.end());
    Collector collector;
    status = analysis.run({units.data(), units.size(), sizeof(Unit), &table(lowercase)}, collector);
    return collector.summary();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    FuzzedDataProvider input(data, size);
    const auto analyzer = input.PickValueInArray(
        {Analyzer::word, Analyzer::characters, Analyzer::characters_in_words});
    const size_t shortest = input.ConsumeIntegralInRange<size_t>(1, 6);
    const size_t longest = input.ConsumeIntegralInRange<size_t>(shortest, shortest + 4);
    const bool lowercase = input.ConsumeBool();
    const uint32_t limit = input.PickValueInArray({0x100u, 0x10000u, 0x110000u});
    const size_t window = input.PickValueInArray({1, 3, 16, 100});
    std::vector<uint32_t> text;
    while (input.remaining_bytes() > 0) {
        text.push_back(limit == 0x100 || input.ConsumeBool()
                           ? input.ConsumeIntegral<uint8_t>()
                           : input.ConsumeIntegralInRange<uint32_t>(0, limit - 1));
    }
    // Kept, as callers keep it: its buffers go from one text to the next.
    static std::map<std::tuple<Analyzer, size_t, size_t, size_t>, Analysis> kept;
    const auto analysis = [&](size_t units) -> Analysis& {
        return kept
            .try_emplace({analyzer, shortest, longest, units},
                         Tokenization{analyzer, {shortest, longest}}, units)
            .first->second;
    };
    Status status, other;
    const auto tokens = tokens_of<uint32_t>(analysis(kWindowUnits), text, lowercase, status);
    REQUIRE(status == Status::done || (status == Status::surrogate && limit > 0x100));
    const auto require_same = [&](const auto& found) {
        REQUIRE(other == status && (status != Status::done || found == tokens));
    };
    require_same(tokens_of<uint32_t>(analysis(window), text, lowercase, other));
    if (limit <= 0x10000) {
        require_same(tokens_of<uint16_t>(analysis(window), text, lowercase, other));
    }
    if (limit <= 0x100) {
        require_same(tokens_of<uint8_t>(analysis(window), text, lowercase, other));
    }
    return 0;
}
