#include "duplicates/record_bounds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

namespace addhash {
namespace {

constexpr double kRounding = 1e-9;  // bounds are this much looser than the sums they are for

uint64_t mix(uint64_t value) {
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9;
    value = (value ^ value >> 27) * 0x94D049BB133111EB;
    return value ^ value >> 31;
}

}  // namespace

RecordBounds::RecordBounds(const Records& records, const RecordRule& rule)
    : records_(records), rule_(rule), by_weight_(records.fields.size()) {
    std::iota(by_weight_.begin(), by_weight_.end(), 0);
    std::ranges::stable_sort(by_weight_, std::greater(),
                             [&](uint32_t f) { return records.fields[f].weight; });
    std::map<uint32_t, size_t> counts;
    for (uint32_t present : records.presence) ++counts[present];
    std::vector<std::pair<size_t, uint32_t>> order;
    for (const auto& [pattern, count] : counts) order.emplace_back(count, pattern);
    std::sort(order.rbegin(), order.rend());
    std::map<uint32_t, uint32_t> places;
    for (const auto& [count, pattern] : order) {
        places[pattern] = static_cast<uint32_t>(patterns_.size());
        patterns_.push_back(pattern);
    }
    std::vector<size_t> starts(patterns_.size() + 1);
    for (size_t p = 0; p < patterns_.size(); ++p) starts[p + 1] = starts[p] + order[p].first;
    numbers_.resize(records.size());
    pattern_of_.resize(records.size());
    for (uint32_t i = 0; i < records.size(); ++i) {
        const uint32_t pattern = places[records.presence[i]];
        const size_t rank = starts[pattern]++;
        numbers_[rank] = i;
        pattern_of_[rank] = pattern;
    }
    common_.resize(patterns_.size());
    for (size_t p = 0; p < patterns_.size(); ++p) {
        std::vector<uint32_t>& common = common_[p];
        for (uint32_t other : patterns_) {
            const uint32_t both = patterns_[p] & other;
            can_match_.push_back(is_enough(both));
            if (is_enough(both)) common.push_back(both);
        }
        std::sort(common.begin(), common.end());
        common.erase(std::unique(common.begin(), common.end()), common.end());
    }
}

// The fields of most weight tell most pairs apart.
void RecordBounds::check(uint32_t rank, uint32_t other, std::vector<RecordPair>& pairs) const {
    const uint32_t a = numbers_[rank], b = numbers_[other];
    const auto [left, right] = std::minmax(a, b);
    const uint32_t both = records_.presence[left] & records_.presence[right];
    double allowed = (1 - rule_.threshold + 2 * RecordRule::kRounding) * records_.weight(both);
    for (uint32_t f : by_weight_) {
        if (!(both >> f & 1)) continue;
        allowed -= records_.fields[f].weight * (1 - records_.field_similarity(f, left, right));
        if (allowed < 0) return;
    }
    const double similarity = records_.similarity(left, right, rule_.least_weight);
    if (rule_.accepts(similarity)) pairs.push_back({left, right, similarity});
}

void RecordBounds::take_tokens(uint32_t rank, std::vector<FieldToken>& tokens) const {
    tokens.clear();
    const uint32_t number = numbers_[rank], present = patterns_[pattern_of_[rank]];
    for (uint32_t f = 0; f < records_.fields.size(); ++f) {
        if (!(present >> f & 1)) continue;
        const RecordField& field = records_.fields[f];
        const uint64_t salt = mix(f + 1);
        if (field.sets != nullptr) {
            for (uint64_t token : (*field.sets)[number]) tokens.push_back({token ^ salt, f});
            continue;
        }
        const double value = field.numbers[number] + 0.0;  // no negative zero
        if (field.tolerance <= 0) {
            tokens.push_back({mix(std::bit_cast<uint64_t>(value)) ^ salt, f});
            continue;
        }
        // Numbers less than the tolerance apart are in one bucket or in neighbours. Where the next
        // bucket is no double any more, different numbers are further apart than the tolerance.
        const double bucket = std::floor(value / field.tolerance) + 0.0;
        for (double at : {bucket, bucket + 1}) {
            tokens.push_back({mix(std::bit_cast<uint64_t>(at + 0.0)) ^ salt, f});
        }
    }
}

// Goes back from the end while the tokens so far are too few for every other pattern. A token of a
// set of s tokens adds at most 1 / s of its field's weight, one of a number all of it, once.
size_t RecordBounds::prefix(uint32_t rank, const std::vector<FieldToken>& tokens) const {
    struct Slack {
        uint32_t fields;
        double missing;  // until the threshold is reached
    };
    std::vector<Slack> slacks;
    for (uint32_t both : common_[pattern_of_[rank]]) {
        slacks.push_back({both, (rule_.threshold - 2 * kRounding) * records_.weight(both)});
    }
    if (slacks.empty()) return 0;
    uint32_t numbers = 0;  // fields of numbers whose weight is taken
    size_t taken = tokens.size();
    for (; taken > 0; --taken) {
        const uint32_t f = tokens[taken - 1].field;
        const RecordField& field = records_.fields[f];
        double adds = 0;
        if (field.sets != nullptr) {
            adds = field.weight / static_cast<double>((*field.sets)[numbers_[rank]].size());
        } else if (!(numbers >> f & 1)) {
            adds = field.weight;
            numbers |= uint32_t{1} << f;
        }
        bool is_enough = false;
        for (Slack& slack : slacks) {
            if (slack.fields >> f & 1) slack.missing -= adds;
            is_enough |= slack.missing <= kRounding;
        }
        if (is_enough) break;
    }
    return taken;
}

}  // namespace addhash
