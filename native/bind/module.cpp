#include "bind/module.h"

#include <nanobind/stl/string.h>

#include <atomic>
#include <string>

#include "bind/token_batch.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

std::atomic<uint64_t> uses[std::size(kInstructionSets)];

nb::list available_sets() {
    nb::list names;
    for (InstructionSet set : kInstructionSets) {
        if (is_available(set)) names.append(std::string(name(set)));
    }
    return names;
}

void choose_named(const std::string& wanted) {
    const auto set = instruction_set_named(wanted);
    if (!set || !is_available(*set)) throw nb::value_error("no such instruction set here");
    choose(*set);
}

}  // namespace

const Kernels& kernels_in_use() {
    const Kernels& kernels = active_kernels();
    uses[static_cast<size_t>(kernels.instruction_set)].fetch_add(1, std::memory_order_relaxed);
    return kernels;
}

}  // namespace addhash::bind

NB_MODULE(_native, module) {
    using namespace addhash;
    // A document that lives as long as the process is no leak.
    nb::set_leak_warnings(false);
    bind::register_token_batch(module);
    bind::register_analysis(module);
    bind::register_buckets(module);
    bind::register_additive(module);
    bind::register_duplicates(module);
    bind::register_edits(module);
    bind::register_search(module);
    module.def("available_instruction_sets", bind::available_sets);
    module.def("active_instruction_set",
               [] { return std::string(name(active_kernels().instruction_set)); });
    module.def("choose_instruction_set", bind::choose_named);
    module.def("choose_widest_instruction_set", choose_widest);
    // How many calls ran with each instruction set.
    module.def("instruction_set_uses", [] {
        nb::dict counts;
        for (InstructionSet set : kInstructionSets) {
            counts[std::string(name(set)).c_str()] = bind::uses[static_cast<size_t>(set)].load();
        }
        return counts;
    });
}
