// The whole run-time dispatch: which instruction sets there are, and which one is in use.
#include "dispatch/kernels.h"

#include <atomic>

#include "isa/tables.h"

namespace addhash {
namespace {

constexpr const Kernels* kInOrderOfPreference[] = {
#ifdef ADDHASH_X86
    &kAvx512Vaes, &kAvx512Vnni,  &kAvx512, &kAvx2Vaes, &kAvx2,
#endif
#ifdef ADDHASH_ARM64
    &kNeonSha3,   &kNeonDotprod, &kNeon,
#endif
    &kBaseline,
};

const Kernels* preferred() {
    for (const Kernels* kernels : kInOrderOfPreference) {
        if (kernels->is_available()) return kernels;
    }
    return &kBaseline;
}

// Chosen when the program starts: a child forked while another thread makes a choice could not.
std::atomic<const Kernels*> active{preferred()};

}  // namespace

std::span<const Kernels* const> all_kernels() { return kInOrderOfPreference; }

const Kernels* kernels_named(std::string_view name) {
    for (const Kernels* kernels : kInOrderOfPreference) {
        if (kernels->name == name && kernels->is_available()) return kernels;
    }
    return nullptr;
}

const Kernels& baseline_kernels() { return kBaseline; }

const Kernels& active_kernels() { return *active.load(std::memory_order_relaxed); }

void choose(const Kernels& kernels) { active.store(&kernels, std::memory_order_relaxed); }

void choose_preferred() { active.store(preferred(), std::memory_order_relaxed); }

}  // namespace addhash
