#include "additive/workspaces.h"

#include "parallel/pool.h"

namespace addhash {
namespace {

// Room for the caches of one call on any number of threads, and what comes with them.
constexpr size_t kMostIdleBytes = kAllCachesBytes + (size_t{40} << 20);

// Made when the program starts, never destroyed: threads may be at work when it ends.
Pool<AdditiveWorkspace>& pool = *new Pool<AdditiveWorkspace>(kMostIdleBytes);

}  // namespace

std::unique_ptr<AdditiveWorkspace> take_workspace(const Randomizer& randomizer, size_t sharers) {
    auto kept = pool.take(
        [&](const AdditiveWorkspace& workspace) { return workspace.randomizer() == randomizer; });
    return kept ? std::move(kept) : std::make_unique<AdditiveWorkspace>(randomizer, sharers);
}

void keep_workspace(std::unique_ptr<AdditiveWorkspace> workspace) {
    const size_t bytes = workspace->bytes();
    pool.give_back(std::move(workspace), bytes);
}

size_t kept_workspace_bytes() { return pool.kept(); }

void release_workspaces() { pool.release(); }

}  // namespace addhash
