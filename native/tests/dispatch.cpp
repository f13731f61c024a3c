#include "dispatch/kernels.h"
#include "tests/check.h"

using namespace addhash;

TEST(every_available_set_has_its_own_kernels) {
    CHECK(is_available(InstructionSet::baseline));
    for (InstructionSet set : kInstructionSets) {
        if (!is_available(set)) continue;
        CHECK(kernels_of(set).instruction_set == set);
        if (set == InstructionSet::baseline) continue;
        const Kernels &own = kernels_of(set), &baseline = kernels_of(InstructionSet::baseline);
        CHECK(own.murmur3 != baseline.murmur3);
        CHECK(own.shake256 != baseline.shake256);
        CHECK(own.siphash128 != baseline.siphash128);
        CHECK(own.expand_seeds != baseline.expand_seeds);
        CHECK(own.add_rows != baseline.add_rows);
        CHECK(own.add_weighted_row != baseline.add_weighted_row);
        CHECK(own.unpack_planes != baseline.unpack_planes);
        CHECK(own.sum_squares != baseline.sum_squares);
        CHECK(own.sum_magnitudes != baseline.sum_magnitudes);
        CHECK(own.scale_to_float != baseline.scale_to_float);
        CHECK(own.scale_to_double != baseline.scale_to_double);
    }
}

TEST(the_chosen_set_is_active) {
    for (InstructionSet set : kInstructionSets) {
        if (!is_available(set)) continue;
        choose(set);
        CHECK(active_kernels().instruction_set == set);
        CHECK(instruction_set_named(name(set)) == set);
    }
    choose_widest();
    CHECK(!instruction_set_named("sse9"));
}
