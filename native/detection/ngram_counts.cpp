#include "detection/ngram_counts.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <utility>

namespace addhash {
namespace {

constexpr NgramKey kEndOfKeys = NgramKey{1} << 40;
// As if so many classes were left, if there are more.
constexpr size_t kLongLeft = 64;
constexpr uint32_t kEndOfHashes = uint32_t{1} << kHashBits;

// The bytes of no counts.
constexpr std::array<uint8_t, 4 + 3 * 8 + 8 + kRiceTail> kNothing{};

uint32_t hash_of(NgramKey key) { return key & (kEndOfHashes - 1); }

unsigned code_of(int64_t count) {
    const auto* found = std::lower_bound(std::begin(kCommonCounts), std::end(kCommonCounts), count);
    const bool is_common = found != std::end(kCommonCounts) && *found == count;
    return is_common ? static_cast<unsigned>(found - std::begin(kCommonCounts)) : kOtherCount;
}

template <class T> T little(T value) {
    if constexpr (std::endian::native == std::endian::big) {
        T swapped = 0;
        for (size_t i = 0; i < sizeof(T); ++i, value >>= 8) swapped = swapped << 8 | (value & 0xff);
        return swapped;
    }
    return value;
}

template <class T> void put(std::vector<uint8_t>& bytes, T value) {
    value = little(value);
    const auto* first = reinterpret_cast<const uint8_t*>(&value);
    bytes.insert(bytes.end(), first, first + sizeof value);
}

// The largest first, of equal ones the first.
template <class T> std::vector<uint16_t> by_size(std::span<const T> sizes) {
    std::vector<uint16_t> order(sizes.size());
    std::iota(order.begin(), order.end(), uint16_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](uint16_t a, uint16_t b) { return sizes[a] > sizes[b]; });
    return order;
}

}  // namespace

// Classes in ascending order.
void NgramCounts::Room::sort(size_t size) {
    constexpr size_t kShort = 12;
    if (size <= kShort) {
        for (size_t i = 1; i < size; ++i) {
            const uint16_t entry = entries[i];
            size_t place = i;
            for (; place > 0 && entries[place - 1] > entry; --place) {
                entries[place] = entries[place - 1];
            }
            entries[place] = entry;
        }
        return;
    }
    for (size_t i = 0; i < size; ++i) {
        const size_t label = entries[i] >> kCountBits;
        labels[label / 64] |= uint64_t{1} << label % 64;
        codes[label] = entries[i] & kOtherCount;
    }
    uint16_t* next = entries.data();
    for (size_t i = 0; i < labels.size(); ++i) {
        for (uint64_t bits = std::exchange(labels[i], 0); bits != 0; bits &= bits - 1) {
            const size_t label = 64 * i + static_cast<size_t>(std::countr_zero(bits));
            *next++ = static_cast<uint16_t>(label << kCountBits | codes[label]);
        }
    }
}

// What is to be packed: of each n-gram its key and its number of classes, of each class an entry.
class NgramCounts::Lists {
public:
    void append(std::span<const NgramCount> list) {
        const size_t before = entries_.size();
        for (const NgramCount& c : list) {
            if (c.count == 0) continue;
            const unsigned code = code_of(c.count);
            entries_.push_back(static_cast<uint16_t>(c.label << kCountBits | code));
            if (code == kOtherCount) others_.push_back(c.count);
        }
        if (entries_.size() == before) return;
        keys_.push_back(list[0].key);
        sizes_.push_back(static_cast<uint16_t>(entries_.size() - before));
    }
    std::vector<uint8_t> packed() &&;

private:
    using Frequencies = std::vector<uint64_t>;
    struct Codes {
        unsigned parameter = 0;
        std::vector<uint16_t> order, number_of;
    };
    struct Fits {
        size_t keys = 0;
        RiceFit distance, size, lefts[kLefts];
    };

    // Calls visit(i, first) for each key and its first entry.
    template <class Visit> void for_each(Visit&& visit) {
        size_t first = 0;
        for (size_t i = 0; i < keys_.size(); first += sizes_[i++]) visit(i, first);
    }
    // The distance of the hash of a key from the one before.
    uint32_t distance(size_t i) const {
        const bool is_first = i == 0 || keys_[i - 1] >> kHashBits != keys_[i] >> kHashBits;
        return hash_of(keys_[i]) - (is_first ? 0 : hash_of(keys_[i - 1]) + 1);
    }
    void order_codes();
    void order_classes();
    void fit();

    std::vector<NgramKey> keys_;
    std::vector<uint16_t> sizes_, entries_;
    std::vector<int64_t> others_;
    std::vector<Codes> codes_;                   // by class
    std::vector<std::vector<uint16_t>> orders_;  // by script
    std::vector<Fits> fits_;                     // by script and kind
};

void NgramCounts::Lists::order_codes() {
    std::vector<std::array<uint64_t, kOtherCount + 1>> counted;
    for (const uint16_t entry : entries_) {
        const size_t label = entry >> kCountBits;
        if (label >= counted.size()) counted.resize(label + 1);
        ++counted[label][entry & kOtherCount];
    }
    for (const auto& own : counted) {
        Codes codes;
        codes.order = by_size(std::span(own.data(), kOtherCount));
        codes.order.push_back(kOtherCount);
        codes.number_of.resize(codes.order.size());
        RiceFit fit;
        for (uint16_t i = 0; i <= kOtherCount; ++i) {
            codes.number_of[codes.order[i]] = i;
            fit.add(i, own[codes.order[i]]);
        }
        codes.parameter = fit.parameter();
        codes_.push_back(std::move(codes));
    }
}

// Puts the classes of each list in the order of their script; an entry is now the distance of the
// class and the number of the code.
void NgramCounts::Lists::order_classes() {
    std::vector<Frequencies> counted(script_count(), Frequencies(codes_.size()));
    for_each([&](size_t i, size_t first) {
        Frequencies& own = counted[keys_[i] >> 32];
        for (size_t j = 0; j < sizes_[i]; ++j) ++own[entries_[first + j] >> kCountBits];
    });
    std::vector<std::vector<uint16_t>> number_of(script_count());
    orders_.resize(script_count());
    for (size_t s = 0; s < script_count(); ++s) {
        std::vector<uint16_t>& order = orders_[s] = by_size(std::span<const uint64_t>(counted[s]));
        while (!order.empty() && counted[s][order.back()] == 0) order.pop_back();
        number_of[s].resize(codes_.size());
        for (size_t n = 0; n < order.size(); ++n) number_of[s][order[n]] = static_cast<uint16_t>(n);
    }
    for_each([&](size_t i, size_t first) {
        const std::span list(entries_.data() + first, sizes_[i]);
        const std::vector<uint16_t>& numbers = number_of[keys_[i] >> 32];
        for (uint16_t& entry : list) {
            const size_t label = entry >> kCountBits;
            const unsigned code = codes_[label].number_of[entry & kOtherCount];
            entry = static_cast<uint16_t>(numbers[label] << kCountBits | code);
        }
        std::sort(list.begin(), list.end());
        unsigned next = 0;
        for (uint16_t& entry : list) {
            const unsigned number = entry >> kCountBits;
            entry = static_cast<uint16_t>(entry - (next << kCountBits));
            next = number + 1;
        }
    });
}

void NgramCounts::Lists::fit() {
    fits_.resize(script_count() * kKinds);
    for_each([&](size_t i, size_t first) {
        Fits& own = fits_[static_cast<size_t>(keys_[i] >> kHashBits)];
        ++own.keys;
        own.distance.add(distance(i));
        own.size.add(sizes_[i] - 1u);
        for (size_t j = 0; j < sizes_[i]; ++j) {
            own.lefts[place_of(sizes_[i] - j)].add(entries_[first + j] >> kCountBits);
        }
    });
}

std::vector<uint8_t> NgramCounts::Lists::packed() && {
    order_codes();
    order_classes();
    fit();
    std::vector<uint8_t> bytes;
    put(bytes, static_cast<uint16_t>(codes_.size()));
    for (const Codes& codes : codes_) {
        bytes.push_back(static_cast<uint8_t>(codes.parameter));
        for (size_t i = 0; i < kOtherCount; ++i) {
            bytes.push_back(static_cast<uint8_t>(codes.order[i]));
        }
    }
    const auto is_used = [](const auto& order) { return !order.empty(); };
    const auto scripts = std::count_if(orders_.begin(), orders_.end(), is_used);
    put(bytes, static_cast<uint16_t>(scripts));
    std::vector<std::array<uint8_t, kLefts + 2>> parameters(fits_.size());
    for (size_t s = 0; s < orders_.size(); ++s) {
        if (orders_[s].empty()) continue;
        put(bytes, static_cast<uint16_t>(s));
        put(bytes, static_cast<uint16_t>(orders_[s].size()));
        for (const uint16_t label : orders_[s]) put(bytes, label);
        for (size_t section = s * kKinds; section < (s + 1) * kKinds; ++section) {
            const Fits& own = fits_[section];
            auto& chosen = parameters[section];
            chosen[0] = static_cast<uint8_t>(own.distance.parameter());
            chosen[1] = static_cast<uint8_t>(own.size.parameter());
            for (size_t i = 0; i < kLefts; ++i) {
                chosen[2 + i] = static_cast<uint8_t>(own.lefts[i].parameter());
            }
            put(bytes, static_cast<uint32_t>(own.keys));
            bytes.insert(bytes.end(), chosen.begin(), chosen.end());
        }
    }
    RiceWriter streams[3];
    RiceWriter &keys = streams[0], &classes = streams[1], &counts = streams[2];
    for_each([&](size_t i, size_t first) {
        const auto& own = parameters[static_cast<size_t>(keys_[i] >> kHashBits)];
        keys.put(distance(i), own[0]);
        keys.put(sizes_[i] - 1u, own[1]);
        const std::vector<uint16_t>& order = orders_[keys_[i] >> 32];
        size_t next = 0;
        for (size_t j = 0; j < sizes_[i]; ++j) {
            const unsigned step = entries_[first + j] >> kCountBits;
            classes.put(step, own[2 + place_of(sizes_[i] - j)]);
            next += step + 1;
            counts.put(entries_[first + j] & kOtherCount, codes_[order[next - 1]].parameter);
        }
    });
    for (const RiceWriter& stream : streams) put(bytes, stream.bits());
    put(bytes, uint64_t{others_.size()});
    for (RiceWriter& stream : streams) {
        const std::vector<uint8_t>& own = stream.finish();
        bytes.insert(bytes.end(), own.begin(), own.end());
    }
    bytes.resize(bytes.size() + kRiceTail);
    for (const int64_t other : others_) put(bytes, static_cast<uint64_t>(other));
    return bytes;
}

// Takes numbers from the front of bytes; after one that is not there, all are 0 and it is not good.
class NgramCounts::Head {
public:
    explicit Head(std::span<const uint8_t> bytes) : rest_(bytes) {}

    template <class T> T take() {
        T value = 0;
        const auto bytes = take_bytes(sizeof value);
        if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
        return little(value);
    }
    std::span<const uint8_t> take_bytes(uint64_t size) {
        is_good_ &= size <= rest_.size();
        if (!is_good_) return {};
        const auto taken = rest_.first(static_cast<size_t>(size));
        rest_ = rest_.subspan(static_cast<size_t>(size));
        return taken;
    }
    uint8_t take_parameter() {
        const auto parameter = take<uint8_t>();
        is_good_ &= parameter <= kMostRice;
        return parameter;
    }
    void require(bool condition) { is_good_ &= condition; }
    bool is_good() const { return is_good_; }
    size_t size() const { return rest_.size(); }

private:
    std::span<const uint8_t> rest_;
    bool is_good_ = true;
};

NgramCounts::NgramCounts()
    : bytes_(kNothing), streams_(bytes_.last(kRiceTail)), sizes_(script_count() * kKinds) {}

NgramCounts::NgramCounts(std::span<const NgramCount> counts) {
    Lists lists;
    for (size_t first = 0; first < counts.size();) {
        size_t end = first;
        while (end < counts.size() && counts[end].key == counts[first].key) ++end;
        lists.append(counts.subspan(first, end - first));
        first = end;
    }
    *this = NgramCounts(std::move(lists));
}

NgramCounts::NgramCounts(Lists lists) {
    const auto bytes = std::make_shared<const std::vector<uint8_t>>(std::move(lists).packed());
    lists = {};
    static_cast<void>(parse(*bytes, bytes, kMostClasses, *this));
}

void NgramCounts::read_head(Head& head, size_t classes) {
    const size_t own = head.take<uint16_t>();
    head.require(own <= classes);
    for (size_t i = 0; i < own && head.is_good(); ++i) {
        ClassCodes codes;
        codes.parameter = head.take_parameter();
        uint32_t seen = 0;
        for (size_t j = 0; j < kOtherCount; ++j) {
            const auto code = head.take<uint8_t>();
            head.require(code < kOtherCount);
            seen |= uint32_t{1} << (code & 31);
            codes.codes[j] = code;
        }
        codes.codes[kOtherCount] = kOtherCount;
        head.require(seen == (uint32_t{1} << kOtherCount) - 1);
        codes_.push_back(codes);
    }
    const size_t scripts = head.take<uint16_t>();
    size_t next = 0;  // script
    for (size_t i = 0; i < scripts && head.is_good(); ++i) {
        const size_t script = head.take<uint16_t>();
        head.require(script >= next && script < script_count());
        next = script + 1;
        const size_t first = order_.size(), size = head.take<uint16_t>();
        std::array<bool, kMostClasses> seen{};
        for (size_t j = 0; j < size && head.is_good(); ++j) {
            const auto label = head.take<uint16_t>();
            head.require(label < own && !seen[label % kMostClasses]);
            seen[label % kMostClasses] = true;
            order_.push_back(label);
        }
        for (size_t kind = 0; kind < kKinds && head.is_good(); ++kind) {
            Section section;
            section.number = static_cast<uint32_t>(script * kKinds + kind);
            section.keys = head.take<uint32_t>();
            section.first_class = first;
            section.classes_of_script = size;
            section.distance = head.take_parameter();
            section.size = head.take_parameter();
            for (uint8_t& left : section.lefts) left = head.take_parameter();
            if (section.keys > 0) sections_.push_back(section);
        }
    }
}

NgramCounts::Streams NgramCounts::at(const Mark& mark) const {
    const auto reader = [&](uint64_t bit) {
        return RiceReader(streams_.data(), streams_.size(), bit);
    };
    return {mark.before, reader(mark.keys), reader(mark.classes), reader(mark.counts),
            static_cast<size_t>(mark.others)};
}

// Reads a section for the first time: marks it, and stops at what no one packed.
bool NgramCounts::read_section(Section& section, Streams& streams, const Ends& ends) {
    const uint16_t* const order = order_.data() + section.first_class;
    Size& own = sizes_[section.number];
    own.keys += section.keys;
    section.first_mark = marks_.size();
    uint64_t next = 0;  // hash
    size_t sizes[kPerMark + 1];
    uint8_t lefts[kLongLeft + 1], parameters[kMostClasses];
    for (size_t i = 1; i <= kLongLeft; ++i) lefts[i] = section.lefts[place_of(i)];
    for (size_t i = 0; i < section.classes_of_script; ++i)
        parameters[i] = codes_[order[i]].parameter;
    for (size_t first = 0; first < section.keys; first += kPerMark) {
        marks_.push_back({static_cast<uint32_t>(next) - 1, streams.keys.at(), streams.classes.at(),
                          streams.counts.at(), static_cast<uint64_t>(streams.others)});
        const size_t count = std::min(section.keys - first, kPerMark);
        size_t entries = 0;
        RiceReader keys = streams.keys;  // in registers, as the others below
        for (size_t i = 0; i < count; ++i) {
            const auto [distance, size] = keys.next(section.distance, section.size);
            next += distance + 1;
            if (next > kEndOfHashes || size >= section.classes_of_script) return false;
            sizes[i] = static_cast<size_t>(size) + 1;
            entries += sizes[i];
        }
        streams.keys = keys;
        sizes[count] = 0;
        uint64_t numbers = 0;  // all bits of those of counts
        uint64_t number = 0;
        size_t others = streams.others;
        size_t place = 0, left = sizes[0];
        RiceReader classes = streams.classes, counts = streams.counts;
        for (size_t i = 0; i < entries; ++i) {
            number += classes.next(lefts[std::min(left, kLongLeft)]);
            if (number >= section.classes_of_script) return false;
            const uint64_t of_count = counts.next(parameters[static_cast<size_t>(number)]);
            numbers |= of_count;
            others += of_count == kOtherCount;
            // No branch, as it could not be foreseen.
            const size_t goes_on = size_t{0} - (left > 1);  // all bits or none
            place += 1 + goes_on;
            left = ((left - 1) & goes_on) | (sizes[place] & ~goes_on);
            number = (number + 1) & goes_on;
        }
        streams.classes = classes;
        streams.counts = counts;
        streams.others = others;
        own.entries += entries;
        const bool is_inside = streams.keys.at() <= ends[0] && streams.classes.at() <= ends[1] &&
                               streams.counts.at() <= ends[2];
        if (numbers > kOtherCount || !is_inside) return false;
    }
    return true;
}

Status NgramCounts::parse(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner,
                          size_t classes, NgramCounts& made) {
    NgramCounts result;
    Head head(bytes);
    result.read_head(head, classes);
    Ends starts{}, ends{};
    uint64_t size = 0;  // of the streams, in bytes
    for (size_t i = 0; i < ends.size(); ++i) {
        const auto bits = head.take<uint64_t>();
        head.require(bits <= 8 * uint64_t{bytes.size()});
        if (!head.is_good()) return Status::out_of_range;
        starts[i] = 8 * size;
        ends[i] = starts[i] + bits;
        size += (bits + 7) / 8;
    }
    const auto others = head.take<uint64_t>();
    result.streams_ = head.take_bytes(size + kRiceTail);
    head.require(others == head.size() / 8 && head.size() % 8 == 0);
    if (!head.is_good()) return Status::out_of_range;
    for (const uint64_t end : ends) {
        if (end % 8 != 0 && result.streams_[static_cast<size_t>(end / 8)] >> end % 8 != 0)
            return Status::out_of_range;
    }
    for (const uint8_t byte : result.streams_.last(kRiceTail)) {
        if (byte != 0) return Status::out_of_range;
    }
    for (uint64_t i = 0; i < others; ++i) {
        result.others_.push_back(head.take<int64_t>());
        if (result.others_.back() <= 0 || code_of(result.others_.back()) != kOtherCount) {
            return Status::out_of_range;
        }
    }
    Streams streams = result.at({0, starts[0], starts[1], starts[2], 0});
    for (Section& section : result.sections_) {
        if (!result.read_section(section, streams, ends)) return Status::out_of_range;
    }
    if (streams.keys.at() != ends[0] || streams.classes.at() != ends[1] ||
        streams.counts.at() != ends[2] || streams.others != others) {
        return Status::out_of_range;
    }
    result.bytes_ = bytes;
    result.owner_ = std::move(owner);
    made = std::move(result);
    return Status::done;
}

NgramCounts::List NgramCounts::find(NgramKey key, Room& room) const {
    const auto number = static_cast<uint32_t>(key >> kHashBits);
    const auto section =
        std::lower_bound(sections_.begin(), sections_.end(), number,
                         [](const Section& each, uint32_t wanted) { return each.number < wanted; });
    if (section == sections_.end() || section->number != number) return {};
    const uint32_t wanted = hash_of(key);
    const auto first = marks_.begin() + static_cast<ptrdiff_t>(section->first_mark);
    const size_t marks = (section->keys + kPerMark - 1) / kPerMark;
    // The first one has no n-gram before it.
    const auto mark = std::prev(
        std::lower_bound(first + 1, first + static_cast<ptrdiff_t>(marks), wanted,
                         [](const Mark& each, uint32_t hash) { return each.before < hash; }));
    Streams streams = at(*mark);
    const size_t left = section->keys - static_cast<size_t>(mark - first) * kPerMark;
    size_t sizes[kPerMark];
    RiceReader keys = streams.keys;
    uint32_t hash = streams.hash;
    for (size_t i = 0; i < std::min(left, kPerMark); ++i) {
        const auto [distance, more] = keys.next(section->distance, section->size);
        hash += static_cast<uint32_t>(distance) + 1;
        sizes[i] = static_cast<size_t>(more) + 1;
        if (hash < wanted) continue;
        if (hash > wanted) return {};
        skip_lists(*section, {sizes, i}, streams);
        return read_list(*section, sizes[i], streams, room);
    }
    return {};
}

Outcome NgramCounts::change(std::span<const NgramCount> changes, NgramCounts& made) const {
    Outcome outcome;
    Lists result;
    size_t next = 0;
    std::vector<NgramCount> sum;
    const auto fail = [&](Status status, size_t position) { outcome.merge({status, position}); };
    const auto append_new = [&](NgramKey bound) {  // keys that are not known, below a bound
        while (next < changes.size() && changes[next].key < bound) {
            size_t end = next;
            while (end < changes.size() && changes[end].key == changes[next].key) {
                if (changes[end].count < 0) fail(Status::out_of_range, end);
                ++end;
            }
            if (outcome.status == Status::done) result.append(changes.subspan(next, end - next));
            next = end;
        }
    };
    for_each_key([&](NgramKey key, std::span<const NgramCount> list) {
        append_new(key);
        if (outcome.status != Status::done) return;
        if (next == changes.size() || changes[next].key != key) {
            result.append(list);
            return;
        }
        sum.clear();
        size_t i = 0;
        for (; next < changes.size() && changes[next].key == key; ++next) {
            const NgramCount& change = changes[next];
            while (i < list.size() && list[i].label < change.label) sum.push_back(list[i++]);
            int64_t count = 0;
            if (i < list.size() && list[i].label == change.label) count = list[i++].count;
            if (__builtin_add_overflow(count, change.count, &count)) fail(Status::overflow, next);
            if (count < 0) fail(Status::out_of_range, next);
            sum.push_back({key, change.label, count});
        }
        sum.insert(sum.end(), list.begin() + static_cast<ptrdiff_t>(i), list.end());
        if (outcome.status == Status::done) result.append(sum);
    });
    append_new(kEndOfKeys);
    if (outcome.status == Status::done) made = NgramCounts(std::move(result));
    return outcome;
}

NgramCounts NgramCounts::relabeled(std::span<const uint16_t> labels) const {
    Lists result;
    std::vector<NgramCount> kept;
    for_each_key([&](NgramKey, std::span<const NgramCount> list) {
        kept.clear();
        for (NgramCount c : list) {
            c.label = labels[c.label];
            if (c.label < kMostClasses) kept.push_back(c);
        }
        result.append(kept);
    });
    return NgramCounts(std::move(result));
}

std::vector<NgramCount> NgramCounts::unpacked() const {
    size_t entries = 0;
    for (const Size& size : sizes_) entries += size.entries;
    std::vector<NgramCount> counts;
    counts.reserve(entries);
    for_each_key([&](NgramKey, std::span<const NgramCount> list) {
        counts.insert(counts.end(), list.begin(), list.end());
    });
    return counts;
}

}  // namespace addhash
