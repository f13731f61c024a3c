#include "additive/workspaces.h"

namespace addhash {

std::unique_ptr<AdditiveWorkspace> WorkspacePool::take(const Randomizer& randomizer) {
    {
        const std::lock_guard lock(mutex_);
        for (size_t i = idle_.size(); i-- > 0;) {
            if (idle_[i]->randomizer() == randomizer) {
                auto found = std::move(idle_[i]);
                idle_.erase(idle_.begin() + static_cast<ptrdiff_t>(i));
                return found;
            }
        }
    }
    return std::make_unique<AdditiveWorkspace>(randomizer);
}

void WorkspacePool::give_back(std::unique_ptr<AdditiveWorkspace> workspace) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() == kMostIdle) idle_.erase(idle_.begin());
    idle_.push_back(std::move(workspace));
}

WorkspacePool& WorkspacePool::shared() {
    // Never destroyed: threads may still be at work when the process ends.
    static auto* pool = new WorkspacePool;
    return *pool;
}

}  // namespace addhash
