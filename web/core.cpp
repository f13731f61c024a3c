// What a page calls of the core: functions of numbers and pointers. addhash.js has the rest.
//
// Texts are added one by one, then asked about together. What can fail returns a Status as a
// number, and position() has the text that it is about. Memory that runs out traps.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <tuple>

#include "additive/batch.h"
#include "analysis/folding.h"
#include "bayes/batch.h"
#include "buckets/record_entries.h"
#include "build/characters.h"
#include "detection/detector.h"
#include "dispatch/kernels.h"
#include "duplicates/clusters.h"
#include "duplicates/join.h"
#include "elementary/elementary.h"
#include "rows/rows.h"
#include "shake256/shake256.h"

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))

namespace addhash::web {
namespace {

constexpr uint32_t kCharacters = 0x110000;
constexpr uint32_t kCapitalSigma = 0x3A3, kSigma = 0x3C3, kFinalSigma = 0x3C2;
enum Flag : uint32_t { kIsSpace = 1, kIsWord = 2, kIsIgnored = 4, kIsCased = 8, kIsMark = 16 };
constexpr uint8_t kNoLetters = 0, kNoise = 1, kLanguage = 2;
constexpr size_t kMostPairs = 1 << 22;

uint32_t flags_of(uint32_t c) {
    return std::prev(std::upper_bound(std::begin(kRuns), std::end(kRuns), c,
                                      [](uint32_t c, const Run& run) { return c < run.first; }))
        ->flags;
}

bool is_space(uint32_t c) { return (flags_of(c) & kIsSpace) != 0; }
bool is_word(uint32_t c) { return (flags_of(c) & kIsWord) != 0; }

const CharacterTable& plain_table() {
    static const CharacterTable table({is_space, is_word, {}});
    return table;
}

const Folding& lowering() {
    static const Folding folding = [] {
        std::vector<uint32_t> lower(kCharacters);
        for (uint32_t c = 0; c < kCharacters; ++c) lower[c] = c;
        for (const Lower& own : kLower) lower[own.code] = own.form;
        Folding::Several several;
        for (const TwoLower& own : kTwoLower) several[own.code] = {own.forms[0], own.forms[1]};
        return Folding({is_space, is_word, std::move(lower)}, several, {kCapitalSigma});
    }();
    return folding;
}

uint32_t character(const Text& text, size_t i) {
    if (text.unit == 1) return static_cast<const uint8_t*>(text.data)[i];
    if (text.unit == 2) return static_cast<const uint16_t*>(text.data)[i];
    return static_cast<const uint32_t*>(text.data)[i];
}

// As CPython's str.lower(): after a letter and before none, with ignored characters between.
bool is_final_sigma(const Text& text, size_t place) {
    const auto cased_at = [&](size_t first, size_t step) {
        for (size_t i = first; i < text.length; i += step) {  // ends below 0, too: it wraps
            const uint32_t flags = flags_of(character(text, i));
            if (!(flags & kIsIgnored)) return (flags & kIsCased) != 0;
        }
        return false;
    };
    return cased_at(place - 1, SIZE_MAX) && !cased_at(place + 1, 1);
}

// In lower case as str.lower() writes it, and for each character where it came from.
void lower_case(const Text& text, std::vector<uint32_t>& lower, std::vector<uint32_t>& origins) {
    lowering().rewrite(text, lower);
    // A sigma stays one character; those before it may have become two.
    for (uint32_t i = 0; i < text.length; ++i) {
        const uint32_t c = character(text, i);
        if (c == kCapitalSigma) {
            lower[origins.size()] = is_final_sigma(text, i) ? kFinalSigma : kSigma;
        }
        const bool is_two = std::any_of(std::begin(kTwoLower), std::end(kTwoLower),
                                        [&](const TwoLower& two) { return two.code == c; });
        origins.insert(origins.end(), is_two ? 2 : 1, i);
    }
}

// The texts of the next question. Rewritten texts are gone with it.
class Texts {
public:
    void clear() {
        own_.clear();
        texts_.clear();
    }
    void* add(size_t length, unsigned unit) {
        own_.push_back(std::make_unique<uint32_t[]>(length * unit / 4 + 4));
        texts_.push_back({own_.back().get(), length, unit, nullptr});
        return own_.back().get();
    }
    std::span<const Text> plain() const { return texts_; }
    size_t size() const { return texts_.size(); }

    std::span<const Text> folded(bool lowercase) {
        folded_ = texts_;
        for (Text& text : folded_) {
            text.characters = lowercase ? &lowering().characters() : &plain_table();
        }
        if (!lowercase) return folded_;
        rewritten_ = fold_texts(lowering(), plain_table(), folded_, 1);
        for (const size_t i : rewritten_.contextual) lower_sigmas(i);
        return folded_;
    }

private:
    void lower_sigmas(size_t i) {
        std::vector<uint32_t> lower, origins;
        lower_case(texts_[i], lower, origins);
        rewritten_.rewritten.push_back(std::move(lower));
        const std::vector<uint32_t>& kept = rewritten_.rewritten.back();
        folded_[i] = {kept.data(), kept.size(), 4, &plain_table()};
    }

    std::vector<std::unique_ptr<uint32_t[]>> own_;
    std::vector<Text> texts_, folded_;
    FoldedTexts rewritten_;
};

Texts texts;
size_t failed_at = 0;

int told(Outcome outcome) {
    failed_at = outcome.position;
    return static_cast<int>(outcome.status);
}

// The numbers that addhash.js describes a way of cutting by.
struct Cut {
    uint32_t analyzer, shortest, longest, lowercase;

    Tokenization how() const {
        return {static_cast<Analyzer>(analyzer), {shortest, longest}, {}, nullptr};
    }
};

struct Hash {
    uint32_t is_aes, bits, key_bytes;
    uint8_t key[kShakeRate];

    Randomizer randomizer() const {
        Randomizer made{};
        made.bits = bits;
        made.kind = is_aes ? RandomizerKind::aes128 : RandomizerKind::shake256;
        if (is_aes) {
            made.key = aes_key({load64(key), load64(key + 8)});
            std::memcpy(&made.row_keys, key + kAesBlock, sizeof(RowKeys));
        } else if (key_bytes != 0) {
            shake256_absorb_block(made.sponge, key);
        }
        return made;
    }
};

// The texts as tokens.
Outcome add_tokens(TokenBatch& batch) {
    const CharacterTable& characters = plain_table();
    for (size_t i = 0; i < texts.size(); ++i) {
        const Text& text = texts.plain()[i];
        uint8_t* const out = batch.extend(4 * text.length);
        if (out == nullptr) return {Status::too_many, i};
        size_t size = 0;
        for (size_t j = 0; j < text.length; ++j) {
            const CharacterTable::Packed c = characters[character(text, j)];
            if (c & CharacterTable::kSurrogate) return {Status::surrogate, i};
            const uint32_t bytes = CharacterTable::bytes(c);
            std::memcpy(out + size, &bytes, CharacterTable::length(c));
            size += CharacterTable::length(c);
        }
        batch.keep(size);
        batch.end_token(1.0);
    }
    return {};
}

struct Bayes {
    ClassCounts counts;
    std::optional<ClassTotals> totals;
};

struct Languages {
    NgramCounts counts;
    std::optional<Detector> detector;
};

}  // namespace

EXPORT(allocate) void* allocate(size_t size) { return std::malloc(size + 8); }
EXPORT(release) void release(void* memory) { std::free(memory); }
EXPORT(position) size_t position() { return failed_at; }
EXPORT(texts_clear) void texts_clear() { texts.clear(); }
EXPORT(text_add) void* text_add(size_t length, unsigned unit) { return texts.add(length, unit); }

// What CPython's tables say of characters.
EXPORT(character_flags) void character_flags(uint32_t* characters, size_t count) {
    std::transform(characters, characters + count, characters, flags_of);
}

// The first text in lower case; at most twice as long. Returns its length.
EXPORT(lower_first)
size_t lower_first(uint32_t* characters, uint32_t* places) {
    std::vector<uint32_t> lower, origins;
    lower_case(texts.plain()[0], lower, origins);
    std::copy(lower.begin(), lower.end(), characters);
    std::copy(origins.begin(), origins.end(), places);
    return lower.size();
}

EXPORT(vectorize)
int vectorize(const Cut* cut, const Hash* hash, int is_signed, int is_binary, int type, int norm,
              uint8_t* out, size_t row_bytes) {
    const AdditiveOptions options{
        is_signed != 0, is_binary != 0,
        VectorOutput{static_cast<ValueType>(type), static_cast<Norm>(norm), out, row_bytes, false}};
    return told(vectorize_texts(active_kernels(), hash->randomizer(), options, cut->how(),
                                texts.folded(cut->lowercase != 0), 1));
}

EXPORT(digests) int digests(const Hash* hash, uint8_t* out) {
    TokenBatch tokens;
    const Outcome outcome = add_tokens(tokens);
    if (outcome.status != Status::done) return told(outcome);
    const Randomizer randomizer = hash->randomizer();
    RowSource source(randomizer);
    std::vector<const uint8_t*> rows(source.capacity());
    for (size_t first = 0; first < tokens.tokens(); first += rows.size()) {
        const size_t count = std::min(rows.size(), tokens.tokens() - first);
        source.request(active_kernels(), tokens.bytes(), tokens.starts() + first,
                       tokens.ends() + first, count, rows.data());
        source.resolve(active_kernels());
        for (size_t i = 0; i < count; ++i, out += randomizer.bytes()) {
            std::memcpy(out, rows[i], randomizer.bytes());
        }
    }
    return 0;
}

// Languages.

EXPORT(script_count) size_t count_scripts() { return script_count(); }
EXPORT(script_name) const char* name_script(uint32_t i) {
    return script_name(static_cast<Script>(i));
}

// nullptr if the counts are damaged.
EXPORT(languages_read)
Languages* languages_read(const uint8_t* ngrams, size_t size, size_t classes) {
    auto made = std::make_unique<Languages>();
    const auto own = std::make_shared<const std::vector<uint8_t>>(ngrams, ngrams + size);
    const Status status = NgramCounts::parse(*own, own, classes, made->counts);
    return status == Status::done ? made.release() : nullptr;
}

// `prior` is that of each class in any script; it is lower in one that it seldom writes, as in
// addhash/learning/ngram_mixture.py.
EXPORT(languages_prepare)
void languages_prepare(Languages* model, size_t classes, const int64_t* totals,
                       const uint8_t* is_rare, const double* prior, const uint16_t* groups) {
    const size_t scripts = script_count(), size = classes * scripts;
    std::vector<double> priors(size);
    for (size_t c = 0; c < classes; ++c) {
        const int64_t* own = totals + c * scripts;
        const auto all = static_cast<double>(std::accumulate(own, own + scripts, int64_t{0}));
        for (size_t s = 0; s < scripts; ++s) {
            const double share = own[s] > 0 ? static_cast<double>(own[s]) / all : 1.0;
            const double bits = logarithm(share) / logarithm(2.0);
            priors[c * scripts + s] = prior[c] + std::nearbyint(bits * 100) / 100;
        }
    }
    model->detector.emplace(
        model->counts,
        ClassFacts{{totals, size}, {is_rare, classes}, {priors.data(), size}, {groups, classes}},
        false);
}

EXPORT(languages_free) void languages_free(Languages* model) { delete model; }

static const Detector& expecting(const Languages& model) {
    size_t characters = 0;
    for (const Text& text : texts.plain()) characters += text.length;
    model.detector->expect(characters);
    return *model.detector;
}

// A row of `top` answers for each text.
EXPORT(languages_detect)
void languages_detect(const Languages* model, const DetectionRule* rule, const uint8_t* candidates,
                      size_t top, int32_t* labels, double* shares, double* group_shares,
                      uint8_t* scripts, uint8_t* kinds) {
    const Detector& detector = expecting(*model);
    std::span<const uint8_t> allowed;
    if (candidates != nullptr) allowed = {candidates, detector.classes()};
    Detector::Scorer scorer(detector, active_kernels());
    Detector::Workspace workspace;
    std::vector<Answer> answers(top);
    for (size_t i = 0; i < texts.size(); ++i) {
        std::fill(answers.begin(), answers.end(), Answer{});
        const TextFacts facts = scorer.score(texts.plain()[i]);
        const bool is_clear = detector.choose(scorer.scores(), facts, *rule, allowed,
                                              active_kernels(), answers, workspace);
        kinds[i] = !facts.has_letters ? kNoLetters : is_clear ? kLanguage : kNoise;
        scripts[i] = facts.script;
        for (size_t j = 0; j < top; ++j) {
            labels[i * top + j] = answers[j].label;
            shares[i * top + j] = answers[j].probability;
            group_shares[i * top + j] = answers[j].group_probability;
        }
    }
}

// The evidence of each text for each class, in bits; its n-grams and its script.
EXPORT(languages_evidence)
void languages_evidence(const Languages* model, double* evidence, uint32_t* ngrams,
                        uint8_t* scripts) {
    const Detector& detector = expecting(*model);
    Detector::Scorer scorer(detector, active_kernels());
    std::vector<int32_t> units(detector.classes());
    for (size_t i = 0; i < texts.size(); ++i) {
        const TextFacts facts = scorer.score(texts.plain()[i]);
        ngrams[i] = facts.ngrams;
        scripts[i] = facts.script;
        scorer.class_scores(units);
        for (const int32_t score : units) *evidence++ = score * kBitsPerUnit;
    }
}

// What each character of the first text adds to the evidence for a class, in bits: an n-gram's part
// goes to its letters in equal parts.
EXPORT(languages_letters)
void languages_letters(const Languages* model, size_t label, double* letters) {
    const Text& text = texts.plain()[0];
    std::fill_n(letters, text.length, 0.0);
    WordReader reader;
    SeenWords seen;
    for_each_new_word(reader, seen, text, [&](const Word& word) {
        const auto last = static_cast<ptrdiff_t>(word.length) - 1;
        for_each_ngram(word, [&](NgramKey key, ptrdiff_t first, size_t count) {
            const double part = model->detector->weight(key, static_cast<uint16_t>(label)) *
                                kBitsPerUnit / static_cast<double>(count);
            for (ptrdiff_t i = first; i < first + static_cast<ptrdiff_t>(count); ++i) {
                letters[word.positions[std::clamp<ptrdiff_t>(i, 0, last)]] += part;
            }
        });
    });
}

// Naive Bayes.

EXPORT(bayes_new) Bayes* bayes_new(double smoothing) {
    return new Bayes{ClassCounts(smoothing), {}};
}

// nullptr if the counts are damaged; the sum of each class in `tokens`.
EXPORT(bayes_read)
Bayes* bayes_read(const uint8_t* coded, size_t size, uint32_t buckets, uint32_t classes,
                  double smoothing, int64_t* tokens) {
    std::fill_n(tokens, classes, 0);
    std::vector<uint8_t> own(coded, coded + size);
    if (check_counts(own, buckets, {tokens, classes}) != Status::done) return nullptr;
    return new Bayes{ClassCounts(smoothing, std::move(own), classes), {}};
}

EXPORT(bayes_free) void bayes_free(Bayes* model) { delete model; }

EXPORT(bayes_prepare)
void bayes_prepare(Bayes* model, size_t classes, size_t orders, const int64_t* texts_of,
                   const int64_t* tokens, const double* weights, const double* biases,
                   double prior_weight, double smoothing, const double* crosses, size_t n_crosses,
                   double later) {
    model->totals.emplace(std::vector<int64_t>(texts_of, texts_of + classes),
                          std::vector<int64_t>(tokens, tokens + classes * orders), orders,
                          ClassTotals::Chosen{{weights, weights + 2 * orders * classes},
                                              {biases, biases + classes},
                                              prior_weight,
                                              {crosses, crosses + n_crosses},
                                              later},
                          smoothing);
}

// The scores of each class, a row for each text.
EXPORT(bayes_scores)
int bayes_scores(const Bayes* model, const Cut* cut, uint32_t buckets, double* scores) {
    const PendingTexts pending{texts.folded(cut->lowercase != 0), cut->how(), {buckets, false}};
    return told(score_all(active_kernels(), model->counts, *model->totals, {&pending}, 1, scores));
}

EXPORT(bayes_best)
int bayes_best(const Bayes* model, const Cut* cut, uint32_t buckets, int64_t* winners,
               double* scores, double* shares, int64_t* others, double* other_scores,
               double* other_shares) {
    const PendingTexts pending{texts.folded(cut->lowercase != 0), cut->how(), {buckets, false}};
    return told(find_best(active_kernels(), model->counts, *model->totals, {&pending}, 1,
                          {winners, scores, shares, others, other_scores, other_shares}));
}

// What belongs to no token of the score of a class.
EXPORT(bayes_start) double bayes_start(const Bayes* model, uint32_t label) {
    return model->totals->start(label);
}

// What tokens, which are all that a text has, add to the score of a class.
EXPORT(bayes_explain)
int bayes_explain(const Bayes* model, uint32_t buckets, const uint32_t* orders,
                  const int64_t* times, uint32_t label, double* parts) {
    TokenBatch tokens;
    const Outcome outcome = add_tokens(tokens);
    if (outcome.status != Status::done) return told(outcome);
    std::vector<int32_t> placed(tokens.tokens());
    std::vector<double> values(tokens.tokens());
    place_tokens(active_kernels(), {buckets, false}, tokens, placed.data(), values.data());
    std::vector<CountedToken> text;
    for (size_t i = 0; i < placed.size(); ++i) {
        text.push_back({static_cast<uint32_t>(placed[i]), orders[i], times[i]});
    }
    RowScorer(active_kernels(), model->counts, *model->totals).explain(text, label, parts);
    return 0;
}

// The model with the texts learnt or forgotten; nullptr if that cannot be, and then position() is
// the class. `lengths` has a row of tokens by order for each text.
EXPORT(bayes_change)
Bayes* bayes_change(const Bayes* model, const Cut* cut, uint32_t buckets, const uint32_t* labels,
                    int is_forgetting, size_t orders, int64_t* lengths, int* status) {
    TokenRows rows;
    *status = told(count_token_rows(active_kernels(), {buckets, false}, cut->how(),
                                    texts.folded(cut->lowercase != 0), 1, rows));
    if (*status != 0) return nullptr;
    std::fill_n(lengths, rows.size() * orders, 0);
    for (size_t i = 0; i < rows.size(); ++i) {
        for (const CountedToken& token : rows[i]) lengths[i * orders + token.order] += token.count;
    }
    const std::vector<ClassCount> changes =
        count_by_class(rows, {labels, rows.size()}, is_forgetting ? -1 : 1);
    auto made = std::make_unique<Bayes>(model->counts);
    Outcome outcome = model->counts.change(changes, made->counts);
    if (outcome.status != Status::done) outcome.position = changes[outcome.position].label;
    *status = told(outcome);
    return *status == 0 ? made.release() : nullptr;
}

EXPORT(bayes_renumber)
Bayes* bayes_renumber(const Bayes* model, const uint32_t* numbers, size_t count) {
    return new Bayes{model->counts.renumbered({numbers, count}), {}};
}

// The counts for a file; to be released.
EXPORT(bayes_coded) uint8_t* bayes_coded(const Bayes* model, size_t* size) {
    const std::vector<uint8_t> coded = model->counts.coded();
    *size = coded.size();
    auto* const out = static_cast<uint8_t*>(std::malloc(coded.size() + 1));
    if (out != nullptr) std::copy(coded.begin(), coded.end(), out);
    return out;
}

// For each text the one to keep in its place, the first of a cluster, and how similar the two are:
// grouping.py with its defaults.
EXPORT(duplicates)
int duplicates(uint32_t numerator, uint32_t denominator, uint32_t* representatives,
               double* similarity) {
    const size_t size = texts.size();
    TokenSets sets;
    const Outcome outcome = sets.add(active_kernels(), {}, texts.folded(true), 1);
    if (outcome.status != Status::done) return told(outcome);
    const Threshold threshold(Measure::jaccard, numerator, denominator);
    const SimilarSets found = join(active_kernels(), sets, threshold, std::nullopt, kMostPairs, 1);
    if (!found.is_complete) return told({Status::too_many, size});
    struct Pair {
        uint32_t item, other;
        double similarity;
    };
    std::vector<Pair> pairs;
    for (const SimilarPair& pair : found.pairs) {
        const size_t left = sets[pair.left].size(), right = sets[pair.right].size();
        pairs.push_back({pair.right, pair.left, threshold.similarity(pair.shared, left, right)});
    }
    std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
        return std::tuple(a.item, -a.similarity, a.other) <
               std::tuple(b.item, -b.similarity, b.other);
    });
    std::vector<uint32_t> items, others;
    for (const Pair& pair : pairs) {
        items.push_back(pair.item);
        others.push_back(pair.other);
    }
    group_by_representative(items, others, {representatives, size});
    std::fill_n(similarity, size, 1.0);
    for (const Pair& pair : pairs) {
        if (representatives[pair.item] == pair.other) similarity[pair.item] = pair.similarity;
    }
    for (size_t i = 0; i < size; ++i) {
        representatives[i] = representatives[found.first_equal[i]];
        similarity[i] = similarity[found.first_equal[i]];
    }
    return 0;
}

EXPORT(exponentials) void exponentials(double* values, size_t count) {
    active_kernels().exponentials(values, count);
}

}  // namespace addhash::web
