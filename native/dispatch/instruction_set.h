// The instruction sets that the kernels are written for. avx512vnni is avx512 with a product of
// 8-bit integers, which only the search has a use for.
#pragma once

#include <optional>
#include <string_view>

namespace addhash {

enum class InstructionSet { baseline, avx2, avx512, avx512vnni };

constexpr InstructionSet kInstructionSets[] = {InstructionSet::baseline, InstructionSet::avx2,
                                               InstructionSet::avx512, InstructionSet::avx512vnni};

std::string_view name(InstructionSet set);
std::optional<InstructionSet> instruction_set_named(std::string_view name);

// Whether this build has the kernels and this processor (and its system) can run them.
bool is_available(InstructionSet set);

}  // namespace addhash
