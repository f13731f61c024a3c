// Texts of any characters: the tokens do not depend on how many bytes a character takes in memory,
// lie inside their buffer, and begin with the n-gram that they extend.
#include "analysis/analysis.h"

#include <fuzzer/FuzzedDataProvider.h>

#include <map>
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

class Collector final : public TokenSink {
public:
    void consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                 size_t count) override {
        REQUIRE(count > 0);
        for (size_t i = 0; i < count; ++i) {
            REQUIRE(starts[i] <= ends[i]);
            for (uint32_t at = starts[i]; at < ends[i]; ++at) mix(bytes[at]);
            mix(0x100);
            ++tokens_;
        }
        // The slack past the last token is readable: the sanitizer watches.
        for (size_t i = 0; i < kSlack; ++i) slack_ = slack_ + bytes[ends[count - 1] + i];
    }
    void consume_ngrams(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                        const uint32_t* prefix_ends, size_t count) override {
        for (size_t i = 0; i < count; ++i) {
            REQUIRE(starts[i] <= prefix_ends[i] && prefix_ends[i] <= ends[i]);
        }
        consume(bytes, starts, ends, count);
    }
    // The number of tokens, and a hash of all of them in order.
    std::pair<size_t, uint64_t> summary() const { return {tokens_, hash_}; }

private:
    void mix(uint64_t value) { hash_ = (hash_ ^ value) * 0x100000001B3; }

    size_t tokens_ = 0;
    uint64_t hash_ = 0xCBF29CE484222325;
    volatile unsigned slack_ = 0;
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
    // Now and then longer than the window that texts are cut in: 16,384 characters or words.
    const bool is_long = input.ConsumeIntegral<uint8_t>() == 0;
    const size_t least = !is_long ? 0 : analyzer == Analyzer::word ? 50'000 : 17'000;
    std::vector<uint32_t> text;
    while (input.remaining_bytes() > 0) {
        text.push_back(limit == 0x100 || input.ConsumeBool()
                           ? input.ConsumeIntegral<uint8_t>()
                           : input.ConsumeIntegralInRange<uint32_t>(0, limit - 1));
    }
    const std::vector<uint32_t> once = text;
    while (!once.empty() && text.size() < least) text.insert(text.end(), once.begin(), once.end());

    // Kept, as callers keep it: its buffers go from one text to the next.
    static std::map<std::tuple<Analyzer, size_t, size_t>, Analysis> kept;
    Analysis& analysis =
        kept.try_emplace({analyzer, shortest, longest}, analyzer, NgramRange{shortest, longest})
            .first->second;
    Status status, other;
    const auto tokens = tokens_of<uint32_t>(analysis, text, lowercase, status);
    REQUIRE(status == Status::done || (status == Status::surrogate && limit > 0x100));
    if (limit <= 0x10000) {
        const auto same = tokens_of<uint16_t>(analysis, text, lowercase, other);
        REQUIRE(other == status && (status != Status::done || same == tokens));
    }
    if (limit <= 0x100) {
        REQUIRE((tokens_of<uint8_t>(analysis, text, lowercase, other) == tokens));
        REQUIRE(other == status);
    }
    return 0;
}
