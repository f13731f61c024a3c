// Memory for results. A large block that Python has dropped is reused for the next result: new
// memory has to be mapped and cleared page by page, which takes as long as filling it.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "parallel/fork.h"

namespace addhash::bind {

class BlockPool {
public:
    // At least `bytes` bytes, aligned to cache lines, with any content.
    void* take(size_t bytes);
    void give_back(void* block) noexcept;
    // How many bytes are kept for later.
    size_t kept() const;
    void release();

    static BlockPool& shared();

private:
    struct Block {
        void* data;
        size_t bytes;
    };
    static constexpr size_t kSmallest = size_t{1} << 20;  // smaller blocks are not worth keeping
    static constexpr size_t kMostKept = size_t{128} << 20;

    mutable ForkSafeMutex mutex_;
    std::vector<Block> idle_;  // the longest idle first
    std::vector<Block> used_;
};

}  // namespace addhash::bind
