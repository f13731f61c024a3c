#include "tests/ngram_counts.h"

#include <limits>
#include <memory>

#include "tests/check.h"

using namespace addhash;
using namespace addhash::test;

namespace {

Counts::mapped_type found_in(const NgramCounts& counts, NgramKey key) {
    Counts::mapped_type found;
    NgramCounts::Room room;
    const NgramCounts::List list = counts.find(key, room);
    const int64_t* other = list.others.data();
    for (const uint16_t entry : list.entries) {
        const unsigned code = entry & kOtherCount;
        found[entry >> kCountBits] = code == kOtherCount ? *other++ : kCommonCounts[code];
    }
    return found;
}

// Of bytes in memory of their own, so that a sanitizer sees what is read outside.
Status parse(std::span<const uint8_t> bytes, size_t classes, NgramCounts& made) {
    const auto own = std::make_shared<const Bytes>(bytes.begin(), bytes.end());
    return NgramCounts::parse(*own, own, classes, made);
}

// Packs counts in every way, and finds them again.
void check_round_trip(const Counts& expected, size_t classes) {
    const NgramCounts packed(flat(expected));
    CHECK(nested(packed) == expected);
    NgramCounts parsed, made;
    CHECK(parse(packed.bytes(), classes, parsed) == Status::done);
    CHECK(NgramCounts().change(flat(expected), made).status == Status::done);
    CHECK(std::ranges::equal(made.bytes(), packed.bytes()));
    size_t keys = 0, entries = 0;
    for (const NgramCounts::Size& size : parsed.sizes()) {
        keys += size.keys;
        entries += size.entries;
    }
    CHECK(keys == expected.size() && entries == flat(expected).size());
    for (const NgramCounts& counts : {packed, parsed}) {
        for (const auto& [key, list] : expected) {
            CHECK(found_in(counts, key) == list);
            for (const NgramKey other : {key - 1, key + 1}) {
                if (!expected.contains(other)) CHECK(found_in(counts, other).empty());
            }
        }
        CHECK(found_in(counts, ~NgramKey{0}).empty());
        if (!expected.contains(0)) CHECK(found_in(counts, 0).empty());
    }
}

// The hash of the i-th key, of some that are close together and some that are far apart.
NgramKey spread(Random& random, size_t i) {
    return NgramKey{7} << 32 | (i % 2 == 0 ? i : random() & 0xFFFFFFFF);
}

}  // namespace

TEST(ngram_counts_are_what_was_packed) {
    Random random(1);
    for (const size_t keys : {0, 1, 2, 63, 64, 65, 127, 128, 129, 3000}) {
        check_round_trip(random_counts(random, keys, 300), 300);
        Counts section;  // of a single kind and script
        while (section.size() < keys) {
            section[NgramKey{5} << 32 | (random() & 0x3FFFFFFF)] = {{3, 1}, {4, 9}};
        }
        check_round_trip(section, 300);
    }
}

TEST(ngram_counts_at_their_limits) {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    constexpr NgramKey kLast = NgramKey{9} << 32 | 0xFFFFFFFF;
    Random random(2);
    std::map<uint16_t, int64_t> all;
    for (uint16_t i = 0; i < kMostClasses; ++i) {
        all[i] = i % 5 == 0 ? kMost - i : kCommonCounts[i % kOtherCount];
    }
    for (const size_t keys : {1, 64, 65, 200}) {
        Counts counts;
        for (size_t i = 0; i < keys; ++i) counts[spread(random, i)] = all;
        counts[kLast] = {{kMostClasses - 1, kMost}};
        counts[0] = {{0, 1}};
        check_round_trip(counts, kMostClasses);
    }
    // A distance and a list that are long among short ones.
    Counts counts;
    for (NgramKey key = 0; key < 5000; ++key) counts[key] = {{1, 1}};
    counts[0x3FFFFFFF] = all;
    check_round_trip(counts, kMostClasses);
}

// What is read of bytes that no one packed does no harm, and is what others would pack, if in other
// words.
TEST(ngram_counts_of_changed_bytes) {
    Random random(3);
    constexpr uint16_t kClasses = 40;
    for (const size_t keys : {0, 1, 70, 300}) {
        const NgramCounts packed(flat(random_counts(random, keys, kClasses)));
        const Bytes bytes(packed.bytes().begin(), packed.bytes().end());
        NgramCounts parsed;
        for (size_t size = 0; size < bytes.size(); size += 1 + size / 50) {
            CHECK(parse(std::span(bytes).first(size), kClasses, parsed) == Status::out_of_range);
        }
        Bytes longer = bytes;
        longer.push_back(0);
        CHECK(parse(longer, kClasses, parsed) == Status::out_of_range);
        if (keys > 0) CHECK(parse(bytes, kClasses - 5, parsed) == Status::out_of_range);
        size_t accepted = 0;
        for (int round = 0; round < 3000; ++round) {
            Bytes changed = bytes;
            for (size_t i = 1 + random() % 3; i > 0; --i) {
                changed[random() % changed.size()] ^= static_cast<uint8_t>(1 << random() % 8);
            }
            if (parse(changed, kClasses, parsed) != Status::done) continue;
            ++accepted;
            CHECK(std::ranges::equal(parsed.bytes(), changed));
            const Counts found = nested(parsed);
            size_t entries = 0;
            for (const NgramCounts::Size& size : parsed.sizes()) entries += size.entries;
            CHECK(flat(found).size() == entries);
            for (const auto& [key, list] : found) {
                CHECK(!list.empty() && list.rbegin()->first < kClasses);
                for (const auto& [label, count] : list) CHECK(count > 0);
            }
            if (round % 50 == 0) check_round_trip(found, kClasses);
        }
        CHECK(keys < 70 || accepted > 0);
    }
}

TEST(ngram_counts_that_no_one_packed) {
    Counts counts;
    for (NgramKey key = 0; key < 100; ++key) counts[key] = {{1, 5}, {2, 9}, {4, 1}};
    const NgramCounts packed(flat(counts));
    const Bytes bytes(packed.bytes().begin(), packed.bytes().end());
    NgramCounts parsed;
    const auto refuses = [&](size_t place, uint8_t value) {
        Bytes wrong = bytes;
        wrong[place] = value;
        return parse(wrong, 5, parsed) == Status::out_of_range;
    };
    CHECK(parse(bytes, 5, parsed) == Status::done);
    CHECK(parse(bytes, 4, parsed) == Status::out_of_range);
    constexpr size_t kCodes = 2 + 32, kScripts = 2 + 5 * 32, kOrder = kScripts + 6,
                     kSection = kOrder + 3 * 2, kLefts = kSection + 6, kBits = kSection + 4 * 18,
                     kStreams = kBits + 4 * 8;
    CHECK(refuses(kCodes, 32));                              // no parameter
    CHECK(refuses(kCodes + 1, bytes[kCodes + 2]));           // a code twice
    CHECK(refuses(kCodes + 1, kOtherCount));                 // which is not among them
    CHECK(refuses(kScripts, 2));                             // a script too few
    CHECK(refuses(kScripts + 2, 255));                       // no script
    CHECK(refuses(kOrder, bytes[kOrder + 2]));               // a class twice
    CHECK(refuses(kOrder, 5));                               // no class
    CHECK(refuses(kScripts + 4, 2));                         // a class too few
    CHECK(refuses(kSection, 101) && refuses(kSection, 99));  // n-grams
    CHECK(refuses(kSection + 4, 30));                        // hashes that are too large
    CHECK(refuses(kLefts, 32));
    for (size_t i = 0; i < 3; ++i) {
        const uint8_t low = bytes[kBits + 8 * i];
        CHECK(refuses(kBits + 8 * i, low + 1) && refuses(kBits + 8 * i, low - 1));
        CHECK(refuses(kBits + 8 * i + 7, 0x80));  // so many that their bytes overflow
    }
    CHECK(refuses(kBits + 24 + 7, 0x80));
    CHECK(refuses(kStreams, 0));  // no end of a number
    const size_t others = 8 * 100;
    for (size_t i = 1; i <= kRiceTail; ++i) CHECK(refuses(bytes.size() - others - i, 1));
    CHECK(refuses(bytes.size() - others, 8));  // a common count
    CHECK(refuses(bytes.size() - others, 0));  // none
    CHECK(refuses(bytes.size() - 1, 0x80));    // a negative one
}

TEST(ngram_counts_change_and_back) {
    Random random(2);
    for (int round = 0; round < 20; ++round) {
        const Counts before = random_counts(random, 500, 50);
        Counts change = random_counts(random, 100, 50);
        for (const auto& [key, list] : before) {
            if (random() % 3 == 0) change[key] = list;
        }
        Counts sum = before;
        for (const auto& [key, list] : change) {
            for (const auto& [label, count] : list) sum[key][label] += count;
        }
        NgramCounts made, back;
        CHECK(NgramCounts(flat(before)).change(flat(change), made).status == Status::done);
        CHECK(nested(made) == sum);
        auto negative = flat(change);
        for (NgramCount& c : negative) c.count = -c.count;
        CHECK(made.change(negative, back).status == Status::done);
        CHECK(nested(back) == before);
        CHECK(NgramCounts().change(negative, back).status == Status::out_of_range);
    }
}

TEST(ngram_counts_of_other_classes) {
    Random random(3);
    const Counts before = random_counts(random, 500, 50);
    std::vector<uint16_t> labels(50);
    for (uint16_t i = 0; i < 50; ++i) labels[i] = i % 5 == 0 ? kMostClasses : i + 7;
    Counts expected;
    for (const auto& [key, list] : before) {
        for (const auto& [label, count] : list) {
            if (label % 5 != 0) expected[key][label + 7] = count;
        }
    }
    CHECK(nested(NgramCounts(flat(before)).relabeled(labels)) == expected);
}
