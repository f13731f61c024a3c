// The instruction sets that the kernels are written for.
#pragma once

#include <optional>
#include <string_view>

namespace addhash {

enum class InstructionSet { baseline, avx2, avx512 };

constexpr InstructionSet kInstructionSets[] = {InstructionSet::baseline, InstructionSet::avx2,
                                               InstructionSet::avx512};

std::string_view name(InstructionSet set);
std::optional<InstructionSet> instruction_set_named(std::string_view name);

// Whether this build has the kernels and this processor (and its system) can run them.
bool is_available(InstructionSet set);

}  // namespace addhash
