// Workspaces between calls: a warm row cache is worth more than the memory it takes.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "additive/pipeline.h"

namespace addhash {

class WorkspacePool {
public:
    std::unique_ptr<AdditiveWorkspace> take(const Randomizer& randomizer);
    // Only a workspace whose pipeline was finished.
    void give_back(std::unique_ptr<AdditiveWorkspace> workspace);

    static WorkspacePool& shared();

private:
    static constexpr size_t kMostIdle = 16;
    std::mutex mutex_;
    std::vector<std::unique_ptr<AdditiveWorkspace>> idle_;  // the longest idle first
};

}  // namespace addhash
