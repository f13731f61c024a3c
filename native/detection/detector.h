// Which class a text belongs to, by the evidence of its n-grams.
//
// A class has an n-gram g with probability (1 - k) p(g | class) + k p(g), where p(g) is its mean
// over the classes and k = kShared. What all classes have in common says nothing, so the evidence
// for a class is log2(1 + (1 - k) p(g | class) / (k p(g))) bits, and 0 if it does not have the
// n-gram: scoring a text adds short lists. Evidence is counted in half bits, so sums are exact
// integers.
//
// p(g | class) is the share of g among the n-grams of its script: a language with two scripts is as
// likely in each as one with a single script.
//
// The evidence of an n-gram is found in two ways that agree: from the counts, which takes no
// preparation, or in tables made of them, which are several times as fast and take as long to make
// as thousands of texts. So the tables are made when so many texts have been asked for.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "detection/ngram_counts.h"
#include "detection/script_evidence.h"
#include "dispatch/kernels.h"

namespace addhash {

constexpr int64_t kScriptShare =
    10;  // a class writes a script that has one in so many of its n-grams

// A class that learnt fewer n-grams is small: what it learnt, it answers.
constexpr int64_t kLittle = 1000;

// What is known of the classes of a detector.
struct ClassFacts {
    std::span<const int64_t> totals;   // of n-grams, script_count() for each class
    std::span<const uint8_t> is_rare;  // not offered unless asked for
    std::span<const double> prior;     // in bits, at most 0, script_count() for each class
    std::span<const uint16_t> groups;  // the number of the group of each class
};

// How evidence becomes a probability: the scores' softmax after prior and temperature.
struct DetectionRule {
    double prior_weight;    // for a text without n-grams; it fades with their number:
    double prior_ngrams;    // at so many, half of it is left
    double rate;            // nats per bit of evidence in short texts
    double rate_ngrams;     // at so many n-grams, evidence counts half
    double least_evidence;  // bits per n-gram of a short text; below, it is in no language
};

struct Answer {
    int32_t label = -1;  // -1 if there is none
    double probability = 0;
    double group_probability = 0;
};

// What a text says besides its scores.
struct TextFacts {
    uint32_t ngrams = 0;
    Script script = 0;  // of most letters
    bool is_code = false;
    bool has_letters = false;  // in words or not
    // Writers of the script that learnt little, and in it each n-gram of the text.
    std::vector<Writer> learnt;
};

class Detector {
public:
    // With the rare classes only if asked. The counts must outlive it.
    Detector(const NgramCounts& counts, const ClassFacts& facts, bool with_rare);

    size_t classes() const { return prior_.size() / script_count(); }
    // The classes that write a script, in ascending order.
    std::span<const uint16_t> writers(Script script) const { return classes_[script].labels(); }

    // To be called before texts of so many characters are scored: makes the tables if that pays.
    void expect(size_t characters) const;
    bool has_tables() const { return tables_->are_made.load(std::memory_order_acquire); }

    // Adds up the evidence of a text in units.
    class Scorer {
    public:
        Scorer(const Detector& detector, const Kernels& kernels);
        TextFacts score(const Text& text);
        // For each writer of the script of the last text.
        std::span<const int32_t> scores() const { return scores_; }
        // For each class, in any script.
        void class_scores(std::span<int32_t> scores) const;

    private:
        // The sums of one script: the recent ones are narrow, so that rows are added fast.
        struct Sums {
            uint32_t letters = 0;
            uint32_t recent = 0;  // the weight of n-grams in `narrow`, and of pending ones
            std::vector<uint16_t> narrow;
            std::vector<int32_t> wide;   // of the earlier ones, if there are any
            std::vector<uint8_t> lacks;  // which of `small_` lack an n-gram
        };

        void add(const Word& word);
        void add_pending();
        void add_counted(const ScriptClasses& classes, uint16_t* sums);
        void note_lacks(size_t script);
        void clear();
        static int32_t sum(const Sums& sums, size_t writer);

        const Detector& detector_;
        const Kernels& kernels_;
        const ScriptEvidence* tables_;  // by script; null if there are none
        WordReader reader_;
        SeenWords seen_;
        std::vector<Sums> sums_;       // by script
        std::vector<Script> scripts_;  // that have letters
        uint32_t ngrams_ = 0;
        std::vector<NgramKey> keys_;  // that were not yet looked up, all of one script
        size_t pending_ = 0;
        ScriptEvidence::Batch batch_;
        ScriptClasses::Evidence evidence_;
        std::vector<int32_t> scores_;
    };

    // What `choose` needs room for; the same one for every text.
    struct Workspace {
        std::vector<double> logs, shares;
        std::vector<uint32_t> order;
    };

    // The likeliest classes among candidates (all if empty), best first, into `answers`, and
    // whether the text is in some language rather than noise. `scores` are of the writers.
    bool choose(std::span<const int32_t> scores, const TextFacts& text, const DetectionRule& rule,
                std::span<const uint8_t> candidates, const Kernels& kernels,
                std::span<Answer> answers, Workspace& workspace) const;

    // The evidence of an n-gram for a class, in units.
    int weight(NgramKey key, uint16_t label) const;
    // What the prior adds to the evidence for a class in a text of a script and so many n-grams, in
    // bits.
    double prior(size_t label, Script script, const DetectionRule& rule, uint32_t ngrams) const;
    // The nats that a bit of evidence is worth in it.
    static double rate(const DetectionRule& rule, uint32_t ngrams);

private:
    static double prior_factor(const DetectionRule& rule, uint32_t ngrams);

    // What `choose` knows of the writers of a script, by their numbers.
    struct Writers {
        static constexpr uint16_t kNoGroup = 0xFFFF;

        Writers(std::span<const uint16_t> labels, Script script, const ClassFacts& facts);
        // Of the group of a writer, itself among them; none if it is alone.
        std::span<const uint16_t> members(size_t writer) const;

        std::vector<double> prior;
        std::vector<uint16_t> group_of;                 // kNoGroup if it is alone
        std::vector<uint16_t> grouped;                  // writers, one group after another
        std::vector<std::pair<size_t, size_t>> groups;  // where they start and end
    };

    struct Tables {
        std::atomic<size_t> characters = 0;
        std::once_flag once;
        std::vector<ScriptEvidence> scripts;
        std::atomic<bool> are_made = false;
    };

    void make_tables() const;

    const NgramCounts* counts_;
    std::vector<ScriptClasses> classes_;  // by script
    std::unique_ptr<Tables> tables_ = std::make_unique<Tables>();
    std::vector<Writers> writers_;  // by script
    std::vector<double> prior_;     // by class and script
    // The classes that learnt little, by script in which they learnt something.
    std::vector<std::vector<uint16_t>> small_;
};

}  // namespace addhash
