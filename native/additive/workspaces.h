// Workspaces kept between calls: a warm row cache is worth the memory it takes.
#pragma once

#include <memory>

#include "additive/pipeline.h"

namespace addhash {

// A workspace for one of `sharers` threads.
std::unique_ptr<AdditiveWorkspace> take_workspace(const Randomizer& randomizer, size_t sharers);
// Only one whose pipeline was finished.
void keep_workspace(std::unique_ptr<AdditiveWorkspace> workspace);

size_t kept_workspace_bytes();
void release_workspaces();

}  // namespace addhash
