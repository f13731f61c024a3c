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

TEST(every_available_set_has_its_own_kernels) {
    const Kernels& baseline = baseline_kernels();
    for_each_set([&](const Kernels& own) {
        if (&own == &baseline) return;
        CHECK(own.murmur3 != baseline.murmur3);
        CHECK(own.shake256 != baseline.shake256);
        CHECK(own.aes_cmac != baseline.aes_cmac);
        CHECK(own.expand_seeds != baseline.expand_seeds);
        CHECK(own.add_rows != baseline.add_rows);
        CHECK(own.add_seeds != baseline.add_seeds);
        CHECK(own.add_weighted_rows != baseline.add_weighted_rows);
        CHECK(own.unpack_planes != baseline.unpack_planes);
        CHECK(own.sum_squares != baseline.sum_squares);
        CHECK(own.sum_magnitudes != baseline.sum_magnitudes);
        CHECK(own.scale_to_float != baseline.scale_to_float);
        CHECK(own.scale_to_double != baseline.scale_to_double);
        CHECK(own.exponentials != baseline.exponentials);
        CHECK(own.scan.pack_rows != baseline.scan.pack_rows);
        CHECK(own.scan.pack_queries != baseline.scan.pack_queries);
        CHECK(own.scan.score_tile != baseline.scan.score_tile);
        CHECK(own.scan.any_reaches != baseline.scan.any_reaches);
        CHECK(own.scan.exact_dot != baseline.scan.exact_dot);
    });
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
