// The parts of the extension module.
#pragma once

#include <nanobind/nanobind.h>

#include "dispatch/kernels.h"

namespace addhash::bind {

// The active kernels, counted as used: a test asks which instruction set really ran.
const Kernels& kernels_in_use();

void register_arrow(nanobind::module_& module);
void register_additive(nanobind::module_& module);
void register_analysis(nanobind::module_& module);
void register_bayes(nanobind::module_& module);
void register_detection(nanobind::module_& module);
void register_buckets(nanobind::module_& module);
void register_duplicates(nanobind::module_& module);
void register_edits(nanobind::module_& module);
void register_elementary(nanobind::module_& module);
void register_exact_sums(nanobind::module_& module);
void register_passages(nanobind::module_& module);
void register_search(nanobind::module_& module);
void register_token_batch(nanobind::module_& module);
void register_vocabulary(nanobind::module_& module);

}  // namespace addhash::bind
