#include <set>

#include "dispatch/kernels.h"
#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

TEST(every_set_has_a_name_of_its_own_and_the_last_runs_everywhere) {
    std::set<std::string_view> names;
    for (const Kernels* kernels : all_kernels()) names.insert(kernels->name);
    CHECK(names.size() == all_kernels().size());
    CHECK(all_kernels().back() == &baseline_kernels());
    CHECK(baseline_kernels().is_available());
}

// Each set has copies that are compiled for it; that they use its instructions is seen by
// tests/native/test_instruction_sets.py.
TEST(no_set_has_the_kernels_of_the_one_below) {
    const auto all = all_kernels();
    for (size_t i = 0; i + 1 < all.size(); ++i) {
        const Kernels &own = *all[i], &below = *all[i + 1];
        CHECK(own.murmur3 != below.murmur3);
        CHECK(own.sort_keys != below.sort_keys);
        CHECK(own.sum_keys != below.sum_keys);
        CHECK(own.shake256 != below.shake256);
        CHECK(own.aes_cmac != below.aes_cmac);
        CHECK(own.expand_seeds != below.expand_seeds);
        CHECK(own.add_rows != below.add_rows);
        CHECK(own.add_seeds != below.add_seeds);
        CHECK(own.add_weighted_rows != below.add_weighted_rows);
        CHECK(own.add_narrow != below.add_narrow);
        CHECK(own.add_masked != below.add_masked);
        CHECK(own.add_evidence != below.add_evidence);
        CHECK(own.add_units != below.add_units);
        CHECK(own.unpack_planes != below.unpack_planes);
        CHECK(own.sum_squares != below.sum_squares);
        CHECK(own.sum_magnitudes != below.sum_magnitudes);
        CHECK(own.scale_to_float != below.scale_to_float);
        CHECK(own.scale_to_double != below.scale_to_double);
        CHECK(own.magnitude_bits != below.magnitude_bits);
        CHECK(own.sum_wide_squares != below.sum_wide_squares);
        CHECK(own.scale_wide_to_float != below.scale_wide_to_float);
        CHECK(own.scale_wide_to_double != below.scale_wide_to_double);
        CHECK(own.exponentials != below.exponentials);
        CHECK(own.scan.pack_rows != below.scan.pack_rows);
        CHECK(own.scan.pack_queries != below.scan.pack_queries);
        CHECK(own.scan.score_tile != below.scan.score_tile);
        CHECK(own.scan.score_rows != below.scan.score_rows);
        CHECK(own.scan.any_reaches != below.scan.any_reaches);
        CHECK(own.scan.exact_dot != below.scan.exact_dot);
    }
}

TEST(the_chosen_set_is_active) {
    for_each_set([](const Kernels& kernels) {
        choose(kernels);
        CHECK(&active_kernels() == &kernels);
        CHECK(kernels_named(kernels.name) == &kernels);
    });
    choose_preferred();
    for (const Kernels* kernels : all_kernels()) {
        if (!kernels->is_available()) {
            CHECK(kernels_named(kernels->name) == nullptr);
            continue;
        }
        CHECK(&active_kernels() == kernels);
        break;
    }
    CHECK(kernels_named("sse9") == nullptr);
}
