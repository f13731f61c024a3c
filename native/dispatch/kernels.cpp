// The whole run-time dispatch: which instruction sets exist, and which kernels each one has.
#include "dispatch/kernels.h"

#include <atomic>

namespace addhash {
namespace {

#define ADDHASH_KERNELS(name, set, search)                                                   \
    {InstructionSet::name, set::murmur3,        set::shake256,         set::siphash128,      \
     set::expand_seeds,    set::add_rows,       set::add_weighted_row, set::unpack_planes,   \
     set::sum_squares,     set::sum_magnitudes, set::scale_to_float,   set::scale_to_double, \
     &search::scan}

constexpr Kernels kKernels[] = {
    ADDHASH_KERNELS(baseline, baseline, baseline),
#ifdef ADDHASH_X86
    ADDHASH_KERNELS(avx2, avx2, avx2),
    ADDHASH_KERNELS(avx512, avx512, avx512),
    ADDHASH_KERNELS(avx512vnni, avx512, avx512vnni),
#endif
};

#undef ADDHASH_KERNELS

const Kernels* widest() {
    const Kernels* best = &kKernels[0];
    for (const Kernels& kernels : kKernels) {
        if (is_available(kernels.instruction_set)) best = &kernels;
    }
    return best;
}

std::atomic<const Kernels*>& active() {
    static std::atomic<const Kernels*> chosen{widest()};
    return chosen;
}

}  // namespace

std::string_view name(InstructionSet set) {
    switch (set) {
        case InstructionSet::avx2: return "avx2";
        case InstructionSet::avx512: return "avx512";
        case InstructionSet::avx512vnni: return "avx512vnni";
        default: return "baseline";
    }
}

std::optional<InstructionSet> instruction_set_named(std::string_view wanted) {
    for (InstructionSet set : kInstructionSets) {
        if (name(set) == wanted) return set;
    }
    return std::nullopt;
}

bool is_available(InstructionSet set) {
#ifdef ADDHASH_X86
    switch (set) {
        // What CMakeLists.txt compiles the files for, and nothing less.
        case InstructionSet::avx2:
            return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                   __builtin_cpu_supports("bmi2");
        case InstructionSet::avx512vnni:
            return is_available(InstructionSet::avx512) && __builtin_cpu_supports("avx512vnni");
        case InstructionSet::avx512:
            return is_available(InstructionSet::avx2) && __builtin_cpu_supports("avx512f") &&
                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl");
        default: return true;
    }
#else
    return set == InstructionSet::baseline;
#endif
}

const Kernels& kernels_of(InstructionSet set) { return kKernels[static_cast<int>(set)]; }

const Kernels& active_kernels() { return *active().load(std::memory_order_relaxed); }

void choose(InstructionSet set) { active().store(&kernels_of(set), std::memory_order_relaxed); }

void choose_widest() { active().store(widest(), std::memory_order_relaxed); }

}  // namespace addhash
