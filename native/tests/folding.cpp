#include "analysis/folding.h"

#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

constexpr uint32_t kCharacters = 0x110000;
constexpr uint32_t kSigma = 0x3A3;

bool is_space(uint32_t c) { return c == ' '; }
bool is_word(uint32_t c) { return c != ' '; }

// Made up: capital letters become small ones, the rest of Latin-1 is dropped, and two characters
// become several.
Folding made_up() {
    CharacterFacts facts = {is_space, is_word, std::vector<uint32_t>(kCharacters)};
    for (uint32_t c = 0; c < kCharacters; ++c) {
        const bool is_dropped = c >= 0x80 && c < 0x100;
        facts.lower[c] = is_dropped ? Folding::kDropped : c >= 'A' && c <= 'Z' ? c + 32 : c;
    }
    return Folding(std::move(facts), {{0x130, {'i', 0x307}}, {0x1F600, {':', '-', ')'}}}, {kSigma});
}

std::vector<uint32_t> slow_fold(const std::u32string& text) {
    std::vector<uint32_t> folded;
    for (const char32_t c : text) {
        if (c == 0x130) {
            folded.insert(folded.end(), {'i', 0x307});
        } else if (c == 0x1F600) {
            folded.insert(folded.end(), {':', '-', ')'});
        } else if (c < 0x80 || c >= 0x100) {
            folded.push_back(c >= 'A' && c <= 'Z' ? c + 32 : c);
        }
    }
    return folded;
}

const CharacterTable& plain() {
    static const CharacterTable table({is_space, is_word, {}});
    return table;
}

}  // namespace

TEST(texts_fold_as_their_characters_do) {
    const Folding folding = made_up();
    Random random(20);
    const std::u32string choices = U"aB \u00E9\u0130\u4E2D\U0001F600\u03A3";
    std::vector<std::u32string> strings;
    for (size_t i = 0; i < 500; ++i) {
        std::u32string text;
        const size_t most = 1 + random() % choices.size();
        for (size_t left = random() % 70; left > 0; --left) text += choices[random() % most];
        strings.push_back(text);
    }
    for (const size_t threads : {1, 3}) {
        std::vector<Text> texts;
        for (const std::u32string& text : strings) {
            texts.push_back({text.data(), text.size(), 4, &folding.characters()});
        }
        FoldedTexts folded = fold_texts(folding, plain(), texts, threads);
        std::sort(folded.contextual.begin(), folded.contextual.end());
        std::vector<size_t> with_sigma;
        for (size_t i = 0; i < strings.size(); ++i) {
            if (strings[i].find(kSigma) != std::u32string::npos) {
                with_sigma.push_back(i);
                CHECK(texts[i].data == strings[i].data());
                continue;
            }
            const std::vector<uint32_t> expected = slow_fold(strings[i]);
            CHECK(texts[i].length == expected.size());
            for (size_t j = 0; j < expected.size(); ++j) {
                const uint32_t c = static_cast<const uint32_t*>(texts[i].data)[j];
                CHECK((*texts[i].characters)[c] == plain()[expected[j]]);
            }
        }
        CHECK(folded.contextual == with_sigma && !with_sigma.empty());
    }
}

TEST(only_texts_that_need_it_are_rewritten) {
    const Folding folding = made_up();
    const uint8_t latin[] = {'A', 'b', 0xE9};
    const uint16_t wide[] = {'A', 0x4E2D, 0x130};
    const auto kind = [&](const void* data, size_t length, unsigned unit) {
        return folding.kind_of({data, length, unit, &folding.characters()});
    };
    CHECK(kind(latin, 2, 1) == Folding::Kind::one_to_one);
    CHECK(kind(latin, 3, 1) == Folding::Kind::rewritten);
    CHECK(kind(wide, 2, 2) == Folding::Kind::one_to_one);
    CHECK(kind(wide, 3, 2) == Folding::Kind::rewritten);
    const uint16_t sigma[] = {kSigma, 0x130};
    CHECK(kind(sigma, 2, 2) == Folding::Kind::contextual);
    CHECK(kind(sigma, 0, 2) == Folding::Kind::one_to_one);
}
