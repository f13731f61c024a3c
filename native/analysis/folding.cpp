#include "analysis/folding.h"

#include <algorithm>

#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr size_t kChunk = 64;      // texts that a thread takes at a time
constexpr size_t kFew = 4;         // characters that are looked for one by one
constexpr uint32_t kAscii = 0x80;  // folding leaves these one to one

// All of one width, so that compilers vectorise this.
template <class Unit>
bool contains_any(const Unit* data, size_t length, std::span<const uint32_t> wanted) {
    Unit found = 0;
    for (uint32_t c : wanted) {
        const auto own = static_cast<Unit>(c);
        if (own != c) continue;
        for (size_t i = 0; i < length; ++i) found = static_cast<Unit>(found | (data[i] == own));
    }
    return found != 0;
}

template <class Unit> bool is_ascii(const Unit* data, size_t length) {
    Unit all = 0;
    for (size_t i = 0; i < length; ++i) all = static_cast<Unit>(all | data[i]);
    return all < kAscii;
}

// What is dropped is never looked up, but must be a character.
CharacterFacts without_dropped(CharacterFacts facts) {
    for (uint32_t c = 0; c < facts.lower.size(); ++c) {
        if (facts.lower[c] == Folding::kDropped) facts.lower[c] = c;
    }
    return facts;
}

template <class Use> auto with_units(const Text& text, Use&& use) {
    switch (text.unit) {
        case 1: return use(static_cast<const uint8_t*>(text.data));
        case 2: return use(static_cast<const uint16_t*>(text.data));
        default: return use(static_cast<const uint32_t*>(text.data));
    }
}

}  // namespace

Folding::Folding(CharacterFacts facts, const Several& several, std::vector<uint32_t> contextual)
    : characters_(without_dropped(facts)),
      forms_(std::move(facts.lower)),
      contextual_(std::move(contextual)) {
    lists_.push_back({0, 0});  // of what is dropped
    for (const auto& [c, form] : several) {
        forms_[c] = kList | static_cast<uint32_t>(lists_.size());
        lists_.push_back(
            {static_cast<uint32_t>(listed_.size()), static_cast<uint32_t>(form.size())});
        listed_.insert(listed_.end(), form.begin(), form.end());
    }
    irregular_ = contextual_;
    for (uint32_t c = 0; c < forms_.size() && irregular_.size() <= kFew; ++c) {
        if (forms_[c] & kList) irregular_.push_back(c);
    }
    if (irregular_.size() > kFew) irregular_.clear();
}

Folding::Kind Folding::kind_of(const Text& text) const {
    return with_units(text, [&](const auto* data) { return kind_of(data, text.length); });
}

template <class Unit> Folding::Kind Folding::kind_of(const Unit* data, size_t length) const {
    if (!irregular_.empty()) {
        if (!contains_any(data, length, irregular_)) return Kind::one_to_one;
    } else {
        if (is_ascii(data, length)) return Kind::one_to_one;
        uint32_t all = 0;
        for (size_t i = 0; i < length; ++i) all |= forms_[data[i]];
        if (!(all & kList) && !contains_any(data, length, contextual_)) return Kind::one_to_one;
    }
    return contains_any(data, length, contextual_) ? Kind::contextual : Kind::rewritten;
}

void Folding::rewrite(const Text& text, std::vector<uint32_t>& out) const {
    with_units(text, [&](const auto* data) { rewrite(data, text.length, out); });
}

template <class Unit>
void Folding::rewrite(const Unit* data, size_t length, std::vector<uint32_t>& out) const {
    out.reserve(out.size() + length);
    for (size_t i = 0; i < length; ++i) {
        const uint32_t form = forms_[data[i]];
        if (form & kList) {
            const List list = lists_[form & ~kList];
            const auto first = listed_.begin() + list.first;
            out.insert(out.end(), first, first + list.count);
        } else {
            out.push_back(form);
        }
    }
}

FoldedTexts fold_texts(const Folding& folding, const CharacterTable& plain, std::span<Text> texts,
                       size_t threads) {
    FoldedTexts folded;
    Mutex shared;
    const size_t chunks = (texts.size() + kChunk - 1) / kChunk;
    run_parallel(threads, chunks, [&](auto next) {
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            const size_t end = std::min(texts.size(), (chunk + 1) * kChunk);
            for (size_t i = chunk * kChunk; i < end; ++i) {
                Text& text = texts[i];
                const Folding::Kind kind = folding.kind_of(text);
                if (kind == Folding::Kind::one_to_one) continue;
                std::vector<uint32_t> forms;
                if (kind == Folding::Kind::rewritten) {
                    check_interrupt_after(text.length * sizeof(uint32_t));
                    folding.rewrite(text, forms);
                }
                const std::lock_guard lock(shared);
                if (kind == Folding::Kind::contextual) {
                    folded.contextual.push_back(i);
                } else {
                    text = {forms.data(), forms.size(), sizeof(uint32_t), &plain};
                    folded.rewritten.push_back(std::move(forms));  // its data stays where it is
                }
            }
        }
    });
    return folded;
}

}  // namespace addhash
