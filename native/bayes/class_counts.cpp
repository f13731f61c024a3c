#include "bayes/class_counts.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "parallel/interrupt.h"

namespace addhash {
namespace {

// The last layer is made anew with each change as long as it has up to this many differences; those
// below have several times as many each.
constexpr size_t kSmallestLayer = size_t{1} << 12;
constexpr size_t kLayerRatio = 8;
constexpr size_t kSmallestBase = size_t{1} << 16;
constexpr size_t kAhead = 128;  // buckets whose places are on their way
constexpr int64_t kTabled = 4096;

bool comes_before(const ClassCount& a, const ClassCount& b) {
    return a.bucket != b.bucket ? a.bucket < b.bucket : a.label < b.label;
}

size_t end_of_bucket(std::span<const ClassCount> counts, size_t first) {
    size_t end = first;
    while (end < counts.size() && counts[end].bucket == counts[first].bucket) ++end;
    return end;
}

void read_list(CountReader& reader, std::vector<ClassCount>& list) {
    list.clear();
    for (uint32_t i = reader.size(); i > 0; --i) list.push_back(reader.next());
}

// The sums of both; what adds up to 0 is left out.
std::vector<ClassCount> joined(std::span<const ClassCount> a, std::span<const ClassCount> b) {
    std::vector<ClassCount> both;
    both.reserve(a.size() + b.size());
    for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
        if (j == b.size() || (i < a.size() && comes_before(a[i], b[j]))) {
            both.push_back(a[i++]);
        } else if (i == a.size() || comes_before(b[j], a[i])) {
            both.push_back(b[j++]);
        } else {
            ClassCount sum = a[i++];
            sum.count += b[j++].count;
            if (sum.count != 0) both.push_back(sum);
        }
    }
    return both;
}

// Counts, which ascend by class, with other numbers of classes.
std::vector<uint8_t> with_labels(std::span<const uint8_t> coded, std::span<const uint32_t> labels) {
    CountWriter writer;
    std::vector<ClassCount> list;
    for (CountReader reader(coded); reader.next_bucket();) {
        read_list(reader, list);
        for (ClassCount& entry : list) entry.label = labels[entry.label];
        std::erase_if(list,
                      [](const ClassCount& entry) { return entry.label == ClassCounts::kDropped; });
        std::sort(list.begin(), list.end(), comes_before);
        if (!list.empty()) writer.append(list);
    }
    return writer.take();
}

uint32_t capped(int64_t total) {
    return static_cast<uint32_t>(std::min<int64_t>(total, EvidenceTable::kManyTokens));
}

int64_t sum_of(std::span<const ClassCount> counts) {
    int64_t sum = 0;
    for (const ClassCount& next : counts) sum += next.count;
    return sum;
}

}  // namespace

EvidenceRule::EvidenceRule(double smoothing)
    : smoothing_(smoothing), logarithm_(logarithm_of(smoothing)) {
    weights_.reserve(kTabled);
    for (int64_t count = 0; count < kTabled; ++count) {
        weights_.push_back(static_cast<Weight>(weigh(count)));
    }
    // As long as each count has its own weight.
    size_t distinct = 1;
    while (distinct < weights_.size() && weights_[distinct] > weights_[distinct - 1]) ++distinct;
    if (distinct == weights_.size()) --distinct;
    counts_.assign(static_cast<size_t>(weights_[distinct - 1]) + (distinct > 1), -1);
    for (size_t count = 0; count + 1 < distinct; ++count) {
        counts_[static_cast<size_t>(weights_[count])] = static_cast<int16_t>(count);
    }
}

int32_t BucketList::of(uint32_t wanted) const {
    if (form == Form::masked) {
        // What was learnt before there were more classes knows nothing of them.
        if (wanted >= 32 || (*head >> wanted & 1) == 0) return 0;
        return static_cast<int32_t>(head[1 + count_bits(*head & ((uint32_t{1} << wanted) - 1))]);
    }
    if (form == Form::every) return wanted < size ? values[wanted] : 0;
    uint32_t first = 0;
    for (uint32_t end = size; first < end;) {
        const uint32_t middle = (first + end) / 2;
        (label(middle) < wanted ? first : end) = label(middle) < wanted ? middle + 1 : middle;
    }
    return first < size && label(first) == wanted ? values[first] : 0;
}

// Where a bucket has a good eighth of all classes, each class gets a place: there are no labels to
// read, and no jumping about. Eight are added in the time of one, once there is one more cache
// line.
bool EvidenceTable::has_every(size_t size) const {
    return !has_only_masks() && size >= padded_classes() / 8 + 6;
}

size_t EvidenceTable::block_size(size_t size) const {
    if (has_only_masks()) return 3 + size;
    return kHead + (has_every(size) ? padded_classes() / 2 : size);
}

// Where the next block starts. One that fits into a cache line does not cross into the next.
size_t EvidenceTable::next_start(size_t end, size_t size) const {
    const size_t line = (end + kCacheLine - 1) / kCacheLine * kCacheLine;
    return end + size > line && (size <= kCacheLine || has_only_masks()) ? line : end;
}

template <class Source> EvidenceTable::EvidenceTable(const Source& source, uint32_t classes)
    : classes_(classes) {
    size_t buckets = 0, words = 1;  // no block is at 0
    uint32_t largest = 0;
    source([&](const BucketHead& head, std::span<const Cell> cells) {
        ++buckets;
        largest = head.bucket;
        const size_t size = block_size(cells.size());
        words = next_start(words, size) + size;
    });
    if (words > UINT32_MAX / 4) throw std::bad_alloc();
    // Half of the places stay free, or every bucket has its own.
    const size_t places =
        std::min(std::bit_ceil(2 * buckets + 1), std::bit_ceil(static_cast<size_t>(largest) + 1));
    mask_ = static_cast<uint32_t>(places - 1);
    has_own_places_ = mask_ >= largest;
    places_.assign(places, 0);
    if (!has_own_places_) keys_.assign(places, 0);
    blocks_.assign((words / kCacheLine + 2) * kCacheLine, 0);  // kernels read whole cache lines
    size_t end = 1;
    source([&](const BucketHead& head, std::span<const Cell> cells) {
        const uint32_t at = slot(head.bucket);
        if (!has_own_places_) keys_[at] = head.bucket;
        const size_t size = block_size(cells.size());
        const size_t start = next_start(end, size);
        write_block(head, cells, blocks_.data() + start);
        end = start + size;
        const size_t lines = (end - 1) / kCacheLine - start / kCacheLine;
        places_[at] = static_cast<uint32_t>(start << 2 | std::min<size_t>(lines, 3));
    });
}

void EvidenceTable::locate(const uint32_t* buckets, size_t count, const uint32_t** blocks) const {
    [[maybe_unused]] uint32_t touched = 0;
    const auto prefetch = [this](uint32_t bucket) {
        __builtin_prefetch(&places_[bucket & mask_]);
        if (!has_own_places_) __builtin_prefetch(&keys_[bucket & mask_]);
    };
    for (size_t i = 0; i < std::min(kAhead, count); ++i) prefetch(buckets[i]);
    for (size_t i = 0; i < count; ++i) {
        if (i + kAhead < count) prefetch(buckets[i + kAhead]);
        const uint32_t place = places_[slot(buckets[i])];
        const uint32_t* block = blocks_.data() + (place >> 2);
        __builtin_prefetch(block);
        for (uint32_t line = place & 3; line > 0; --line) {
            __builtin_prefetch(block + line * kCacheLine);
        }
        blocks[i] = place == 0 || (has_own_places_ && buckets[i] > mask_) ? nullptr : block;
#ifdef __wasm__  // has no prefetch; nothing waits for what is loaded here
        touched ^= block[(place & 3) * kCacheLine];
#endif
    }
#ifdef __wasm__
    [[maybe_unused]] volatile uint32_t kept = touched;
#endif
}

void EvidenceTable::write_block(const BucketHead& head, std::span<const Cell> cells,
                                uint32_t* block) const {
    if (has_only_masks()) {
        uint32_t* next = block;
        for (const Cell& cell : cells) {
            *block |= uint32_t{1} << cell.label;
            *++next = static_cast<uint32_t>(cell.value);
        }
        next[1] = capped(head.total);
        next[2] = head.offset;
        return;
    }
    const bool has_all = has_every(cells.size());
    const uint32_t size = has_all ? padded_classes() : static_cast<uint32_t>(cells.size());
    block[0] = size << 2 | uint32_t{head.is_shared} << 1 | uint32_t{has_all};
    block[1] = capped(head.total);
    block[2] = head.offset;
    auto* labels = reinterpret_cast<uint8_t*>(block + kHead);
    uint8_t* values = labels + (has_all ? 0 : 2 * size_t{size});
    for (size_t i = 0; i < cells.size(); ++i) {
        const auto label = static_cast<uint16_t>(cells[i].label);
        const auto value = static_cast<Weight>(cells[i].value);
        std::memcpy(values + 2 * (has_all ? label : i), &value, 2);
        if (!has_all) std::memcpy(labels + 2 * i, &label, 2);
    }
}

ClassCounts::Base::Base(std::vector<uint8_t> bytes, uint32_t classes, const EvidenceRule& rule)
    : coded(std::move(bytes)),
      table(
          [&](const auto& use) {
              if (coded.size() > UINT32_MAX) throw std::bad_alloc();
              std::vector<ClassCount> list;
              std::vector<Cell> cells;
              entries = 0;
              for (CountReader reader(coded); reader.next_bucket();) {
                  const auto offset = static_cast<uint32_t>(reader.offset());
                  read_list(reader, list);
                  const int64_t total = sum_of(list);
                  const bool is_shared = list.size() > kMostSharing;
                  cells.clear();
                  for (const ClassCount& entry : list) {
                      cells.push_back({entry.label, rule.of(entry.count, total, is_shared)});
                  }
                  entries += cells.size();
                  use(BucketHead{reader.bucket(), offset, total, is_shared}, cells);
              }
          },
          classes) {
    coded.shrink_to_fit();
}

OwnNumbers::OwnNumbers(std::vector<uint32_t> labels) : labels_(std::move(labels)) {
    for (uint32_t number = 0; number < labels_.size(); ++number) {
        if (labels_[number] >= numbers_.size()) numbers_.resize(labels_[number] + 1, kNone);
        numbers_[labels_[number]] = number;
    }
}

ClassCounts::ClassCounts(double smoothing) : ClassCounts(smoothing, {}, 0) {}

ClassCounts::ClassCounts(double smoothing, std::vector<uint8_t> coded, uint32_t classes)
    : ClassCounts(std::make_shared<const EvidenceRule>(smoothing), std::move(coded), classes) {}

ClassCounts::ClassCounts(std::shared_ptr<const EvidenceRule> rule, std::vector<uint8_t> coded,
                         uint32_t classes)
    : rule_(std::move(rule)),
      numbers_(classes),
      base_(std::make_shared<const Base>(std::move(coded), classes, *rule_)),
      entries_(base_->entries) {}

ClassCounts::Found ClassCounts::find(uint32_t bucket) const {
    Found found = {bucket, {}};
    for (size_t i = 0; i < layers(); ++i) found.blocks[i] = layer(i).locate(bucket);
    return found;
}

int64_t ClassCounts::total(const Found& found) const {
    for (size_t i = layers(); i-- > 0;) {
        if (found.blocks[i] == nullptr) continue;
        const uint32_t total = layer(i).total(found.blocks[i]);
        if (total < EvidenceTable::kManyTokens) return total;
        break;
    }
    int64_t sum = 0;
    if (found.blocks[0] != nullptr) {
        CountReader reader(base_->coded);
        reader.seek(layer(0).offset(found.blocks[0]));
        for (uint32_t i = reader.size(); i > 0; --i) sum += reader.next().count;
    }
    for (size_t i = 1; i < layers(); ++i) {
        if (found.blocks[i] == nullptr) continue;
        const std::span<const ClassCount> all = recent_[i - 1]->differences;
        const size_t first = layer(i).offset(found.blocks[i]);
        for (const ClassCount& next : all.subspan(first, end_of_bucket(all, first) - first)) {
            sum += next.count;
        }
    }
    return sum;
}

int64_t ClassCounts::count(const Found& found, uint32_t label) const {
    const uint32_t number = this->number(label);
    return number == OwnNumbers::kNone ? 0 : count_of(found, number);
}

bool ClassCounts::is_shared(const Found& found) const {
    for (size_t i = layers(); i-- > 0;) {
        if (found.blocks[i] != nullptr) return layer(i).is_shared(found.blocks[i]);
    }
    return false;
}

// The counts of all layers together.
std::vector<ClassCount> ClassCounts::read(const Found& found) const {
    std::vector<ClassCount> list;
    if (found.blocks[0] != nullptr) {
        CountReader reader(base_->coded);
        reader.seek(layer(0).offset(found.blocks[0]));
        read_list(reader, list);
        for (ClassCount& entry : list) entry.bucket = found.bucket;
    }
    for (size_t i = 1; i < layers(); ++i) {
        if (found.blocks[i] == nullptr) continue;
        const std::span<const ClassCount> all = recent_[i - 1]->differences;
        const size_t first = layer(i).offset(found.blocks[i]);
        list = joined(list, all.subspan(first, end_of_bucket(all, first) - first));
    }
    return list;
}

int64_t ClassCounts::count_of(const Found& found, uint32_t number) const {
    if (is_shared(found)) {
        // The evidence of the layers adds up to that of the count.
        int32_t weight = 0;
        for (size_t i = 0; i < layers(); ++i) {
            if (found.blocks[i] != nullptr) weight += layer(i).read(found.blocks[i]).of(number);
        }
        if (const int64_t known = rule_->count_of(weight); known >= 0) return known;
    }
    int64_t sum = 0;
    if (found.blocks[0] != nullptr) {
        CountReader reader(base_->coded);
        reader.seek(layer(0).offset(found.blocks[0]));
        for (uint32_t i = reader.size(); i > 0; --i) {
            const ClassCount next = reader.next();
            if (next.label == number) sum = next.count;
            if (next.label >= number) break;
        }
    }
    for (size_t i = 1; i < layers(); ++i) {
        if (found.blocks[i] == nullptr) continue;
        const std::span<const ClassCount> all = recent_[i - 1]->differences;
        const ClassCount wanted = {found.bucket, number, 0};
        const auto first = all.begin() + layer(i).offset(found.blocks[i]);
        const auto place = std::lower_bound(first, all.end(), wanted, comes_before);
        if (place != all.end() && !comes_before(wanted, *place)) sum += place->count;
    }
    return sum;
}

// What changes about a bucket, appended to `cells`. A change of the total is one of all its
// classes, unless it is shared.
BucketHead ClassCounts::changed(std::span<const ClassCount> changes,
                                std::vector<Cell>& cells) const {
    const Found found = find(changes.front().bucket);
    const bool was_shared = is_shared(found);
    BucketHead head = {found.bucket, 0, 0, was_shared};
    if (was_shared && std::all_of(changes.begin(), changes.end(),
                                  [](const ClassCount& next) { return next.count > 0; })) {
        head.total = total(found) + sum_of(changes);
        for (const ClassCount& next : changes) {
            const int64_t before = count_of(found, next.label);
            cells.push_back({next.label, rule_->of(before + next.count) - rule_->of(before)});
        }
        return head;
    }
    const std::vector<ClassCount> before = read(found);
    const std::vector<ClassCount> after = joined(before, changes);
    const int64_t old_total = sum_of(before);
    head.total = sum_of(after);
    head.is_shared = after.size() > kMostSharing;
    for (size_t i = 0, j = 0; i < before.size() || j < after.size();) {
        const uint32_t label = std::min(i < before.size() ? before[i].label : UINT32_MAX,
                                        j < after.size() ? after[j].label : UINT32_MAX);
        int32_t value = 0;
        if (j < after.size() && after[j].label == label) {
            value += rule_->of(after[j++].count, head.total, head.is_shared);
        }
        if (i < before.size() && before[i].label == label) {
            value -= rule_->of(before[i++].count, old_total, was_shared);
        }
        if (value != 0) cells.push_back({label, value});
    }
    return head;
}

// Differences to all layers that there are.
std::shared_ptr<const ClassCounts::Layer> ClassCounts::made(
    std::vector<ClassCount> differences) const {
    std::vector<Cell> cells;
    std::vector<BucketHead> heads;
    std::vector<size_t> ends;  // of their cells
    for (size_t first = 0; first < differences.size();) {
        const size_t end = end_of_bucket(differences, first);
        const std::span<const ClassCount> all = differences;
        heads.push_back(changed(all.subspan(first, end - first), cells));
        heads.back().offset = static_cast<uint32_t>(first);
        ends.push_back(cells.size());
        first = end;
    }
    const auto source = [&](const auto& use) {
        size_t first = 0;
        for (size_t i = 0; i < heads.size(); ++i) {
            use(heads[i], std::span<const Cell>(cells).subspan(first, ends[i] - first));
            first = ends[i];
        }
    };
    EvidenceTable table(source, numbers_);
    return std::make_shared<const Layer>(Layer{std::move(differences), std::move(table)});
}

Outcome ClassCounts::change(std::span<const ClassCount> changes, ClassCounts& result) const {
    ClassCounts next = *this;
    for (size_t i = 0; i < changes.size();) {
        const size_t end = end_of_bucket(changes, i);
        const Found found = find(changes[i].bucket);
        int64_t total = this->total(found);
        for (; i < end; ++i) {
            const int64_t before = count(found, changes[i].label);
            int64_t after = 0;
            if (__builtin_add_overflow(before, changes[i].count, &after) ||
                __builtin_add_overflow(total, changes[i].count, &total)) {
                return {Status::overflow, i};
            }
            if (after < 0) return {Status::out_of_range, i};
            next.entries_ += after != 0;
            next.entries_ -= before != 0;
        }
    }
    next.number_classes(changes);
    std::vector<ClassCount> above = next.numbered(changes);
    // A layer that is not much larger than what comes above it becomes one with it.
    while (!next.recent_.empty()) {
        const std::vector<ClassCount>& last = next.recent_.back()->differences;
        if (last.size() > std::max(kSmallestLayer, kLayerRatio * above.size())) break;
        above = joined(last, above);
        next.recent_.pop_back();
    }
    if (above.size() > std::max(kSmallestBase, base_->entries) / 4 ||
        (!above.empty() && next.layers() == kMostLayers)) {
        std::vector<ClassCount> all;
        for (const auto& layer : next.recent_) all = joined(all, layer->differences);
        std::vector<uint8_t> coded = coded_with(joined(all, above));
        if (next.own_) coded = with_labels(coded, next.own_->labels());
        next = ClassCounts(rule_, std::move(coded), next.classes());
    } else if (!above.empty()) {
        next.recent_.push_back(next.made(std::move(above)));
    }
    result = std::move(next);
    return {};
}

// Classes that are new get the next numbers.
void ClassCounts::number_classes(std::span<const ClassCount> changes) {
    if (!own_) {
        for (const ClassCount& change : changes) numbers_ = std::max(numbers_, change.label + 1);
        return;
    }
    std::vector<uint32_t> added;
    for (const ClassCount& change : changes) {
        if (number(change.label) == OwnNumbers::kNone) added.push_back(change.label);
    }
    if (added.empty()) return;
    std::sort(added.begin(), added.end());
    added.erase(std::unique(added.begin(), added.end()), added.end());
    std::vector<uint32_t> labels = own_->labels();
    labels.insert(labels.end(), added.begin(), added.end());
    numbers_ = static_cast<uint32_t>(labels.size());
    own_ = std::make_shared<const OwnNumbers>(std::move(labels));
}

// Changes as layers have them.
std::vector<ClassCount> ClassCounts::numbered(std::span<const ClassCount> changes) const {
    std::vector<ClassCount> result;
    result.reserve(changes.size());
    for (const ClassCount& change : changes) {
        if (change.count != 0) {
            result.push_back({change.bucket, number(change.label), change.count});
        }
    }
    if (own_) std::sort(result.begin(), result.end(), comes_before);
    return result;
}

// The base with differences.
std::vector<uint8_t> ClassCounts::coded_with(std::span<const ClassCount> differences) const {
    CountWriter writer;
    std::vector<ClassCount> list;
    size_t i = 0;
    const auto write = [&](std::span<const ClassCount> counts) {
        if (!counts.empty()) writer.append(counts);
    };
    const auto take = [&] {
        const size_t first = i;
        i = end_of_bucket(differences, i);
        return differences.subspan(first, i - first);
    };
    for (CountReader reader(base_->coded); reader.next_bucket();) {
        while (i < differences.size() && differences[i].bucket < reader.bucket()) write(take());
        read_list(reader, list);
        if (i < differences.size() && differences[i].bucket == reader.bucket()) {
            write(joined(list, take()));
        } else {
            write(list);
        }
    }
    while (i < differences.size()) write(take());
    return writer.take();
}

std::vector<uint8_t> ClassCounts::coded() const {
    std::vector<ClassCount> all;
    for (const auto& layer : recent_) all = joined(all, layer->differences);
    std::vector<uint8_t> coded = recent_.empty() ? base_->coded : coded_with(all);
    return own_ ? with_labels(coded, own_->labels()) : coded;
}

ClassCounts ClassCounts::with_smoothing(double smoothing) const {
    return ClassCounts(smoothing, coded(), classes());
}

ClassCounts ClassCounts::renumbered(std::span<const uint32_t> numbers) const {
    std::vector<uint32_t> labels(numbers_);
    bool is_dropped = false;
    uint32_t classes = 0;
    for (uint32_t number = 0; number < numbers_; ++number) {
        labels[number] = numbers[label(number)];
        is_dropped |= labels[number] == kDropped;
        if (labels[number] != kDropped) classes = std::max(classes, labels[number] + 1);
    }
    if (is_dropped) return ClassCounts(rule_, with_labels(coded(), numbers), classes);
    ClassCounts result = *this;
    result.own_ = std::make_shared<const OwnNumbers>(std::move(labels));
    return result;
}

std::vector<ClassCount> count_by_class(const TokenRows& rows, std::span<const uint32_t> labels,
                                       int64_t times) {
    // Texts in order of their classes leave each bucket's counts in that order, too.
    std::vector<uint32_t> order(rows.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<uint32_t>(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return labels[a] < labels[b]; });
    uint32_t largest = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
        for (const CountedToken& token : rows[i]) largest = std::max(largest, token.bucket);
    }
    std::vector<ClassCount> counts(rows.entries());
    if (rows.entries() > largest / 8) {
        std::vector<size_t> places(static_cast<size_t>(largest) + 2);
        for (size_t i = 0; i < rows.size(); ++i) {
            for (const CountedToken& token : rows[i]) ++places[token.bucket + 1];
        }
        for (size_t b = 1; b < places.size(); ++b) places[b] += places[b - 1];
        for (const uint32_t i : order) {
            check_interrupt();
            for (const CountedToken& token : rows[i]) {
                counts[places[token.bucket]++] = {token.bucket, labels[i], times * token.count};
            }
        }
    } else {
        size_t at = 0;
        for (const uint32_t i : order) {
            for (const CountedToken& token : rows[i]) {
                counts[at++] = {token.bucket, labels[i], times * token.count};
            }
        }
        std::sort(counts.begin(), counts.end(), comes_before);
    }
    size_t kept = 0;
    for (const ClassCount& next : counts) {
        if (kept > 0 && counts[kept - 1].bucket == next.bucket &&
            counts[kept - 1].label == next.label) {
            counts[kept - 1].count += next.count;
        } else {
            counts[kept++] = next;
        }
    }
    counts.resize(kept);
    return counts;
}

}  // namespace addhash
