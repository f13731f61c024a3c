#include "dispatch/kernels.h"
#include "tests/check.h"

using namespace addhash;

TEST(every_available_set_has_its_own_kernels) {
    CHECK(is_available(InstructionSet::baseline));
    for (InstructionSet set : kInstructionSets) {
        if (!is_available(set)) continue;
        CHECK(kernels_of(set).instruction_set == set);
        if (set == InstructionSet::baseline) continue;
        CHECK(kernels_of(set).add_rows != kernels_of(InstructionSet::baseline).add_rows);
        CHECK(kernels_of(set).shake256 != kernels_of(InstructionSet::baseline).shake256);
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
