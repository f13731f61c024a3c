#include "bind/module.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "additive/workspaces.h"
#include "bind/blocks.h"
#include "bind/failure.h"
#include "bind/interrupt.h"
#include "bind/options.h"
#include "buckets/batch.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

// As many, and in the same order, as all_kernels().
std::vector<std::atomic<uint64_t>> uses(all_kernels().size());

// The plainest first.
nb::list available_sets() {
    nb::list names;
    const auto all = all_kernels();
    for (size_t i = all.size(); i-- > 0;) {
        if (all[i]->is_available()) names.append(all[i]->name);
    }
    return names;
}

void choose_named(const std::string& wanted) {
    const Kernels* kernels = kernels_named(wanted);
    if (kernels == nullptr) throw nb::value_error("no such instruction set here");
    choose(*kernels);
}

// How many calls ran with each instruction set.
nb::dict uses_by_name() {
    nb::dict counts;
    const auto all = all_kernels();
    for (size_t i = 0; i < all.size(); ++i) counts[all[i]->name] = uses[i].load();
    return counts;
}

// Frees all caches; returns an upper bound of the bytes freed.
size_t release_memory() {
    const size_t kept = BlockPool::shared().kept() + kept_workspace_bytes() + kept_row_bytes();
    BlockPool::shared().release();
    release_workspaces();
    release_rows();
    return kept;
}

}  // namespace

const Kernels& kernels_in_use() {
    const Kernels& kernels = active_kernels();
    const auto all = all_kernels();
    const auto place = std::find(all.begin(), all.end(), &kernels) - all.begin();
    uses[place].fetch_add(1, std::memory_order_relaxed);
    return kernels;
}

}  // namespace addhash::bind

NB_MODULE(_native, module) {
    using namespace addhash;
    if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
        throw std::runtime_error(
            "addhash works in Python's main interpreter only, and this is a subinterpreter: use "
            "threads or processes instead");
    }
    // A document that lives as long as the process is no leak.
    nb::set_leak_warnings(false);
    bind::register_interrupt();
    bind::register_failure(module);
    bind::register_options(module);
    bind::register_token_batch(module);
    bind::register_arrow(module);
    bind::register_analysis(module);
    bind::register_buckets(module);
    bind::register_vocabulary(module);
    bind::register_bayes(module);
    bind::register_detection(module);
    bind::register_additive(module);
    bind::register_duplicates(module);
    bind::register_edits(module);
    bind::register_elementary(module);
    bind::register_exact_sums(module);
    bind::register_passages(module);
    bind::register_search(module);
    // Of results that Python has dropped.
    module.def("kept_bytes", [] { return bind::BlockPool::shared().kept(); });
    module.def("release_memory", bind::release_memory);
    module.def("available_instruction_sets", bind::available_sets);
    module.def("active_instruction_set", [] { return active_kernels().name; });
    module.def("choose_instruction_set", bind::choose_named);
    module.def("choose_widest_instruction_set", choose_preferred);
    module.def("instruction_set_uses", bind::uses_by_name);
}
