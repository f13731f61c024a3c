#include "bind/blocks.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace addhash::bind {
namespace {

constexpr size_t kLine = 64;
constexpr size_t kHugePage = size_t{2} << 20;

void* allocate(size_t bytes) {
    const size_t alignment = bytes >= 2 * kHugePage ? kHugePage : kLine;
    if (bytes > SIZE_MAX - alignment) throw std::bad_alloc();
    const size_t rounded = std::max(alignment, (bytes + alignment - 1) / alignment * alignment);
    void* data = std::aligned_alloc(alignment, rounded);
    if (data == nullptr) throw std::bad_alloc();
#ifdef __linux__
    if (alignment == kHugePage) madvise(data, rounded, MADV_HUGEPAGE);
#endif
    return data;
}

// Made when the module is loaded, never destroyed: arrays may outlive it.
BlockPool& pool = *new BlockPool;

}  // namespace

void* BlockPool::take(size_t bytes) {
    if (bytes < kSmallest) return allocate(bytes);
    {
        const std::lock_guard lock(mutex_);
        for (size_t i = idle_.size(); i-- > 0;) {
            // A block that is much too large would waste memory invisibly.
            if (idle_[i].bytes >= bytes && idle_[i].bytes / 2 <= bytes) {
                used_.push_back(idle_[i]);
                idle_.erase(idle_.begin() + static_cast<ptrdiff_t>(i));
                return used_.back().data;
            }
        }
    }
    void* data = allocate(bytes);
    const std::lock_guard lock(mutex_);
    used_.push_back({data, bytes});
    return data;
}

void BlockPool::give_back(void* data) noexcept {
    std::vector<Block> dropped;
    {
        const std::lock_guard lock(mutex_);
        const auto place = std::find_if(used_.begin(), used_.end(),
                                        [&](const Block& block) { return block.data == data; });
        if (place == used_.end() || place->bytes > kMostKept) {
            if (place != used_.end()) used_.erase(place);
            dropped.push_back({data, 0});
        } else {
            idle_.push_back(*place);
            used_.erase(place);
            size_t total = 0;
            for (const Block& block : idle_) total += block.bytes;
            while (total > kMostKept) {
                total -= idle_.front().bytes;
                dropped.push_back(idle_.front());
                idle_.erase(idle_.begin());
            }
        }
    }
    for (const Block& block : dropped) std::free(block.data);
}

size_t BlockPool::kept() const {
    const std::lock_guard lock(mutex_);
    size_t total = 0;
    for (const Block& block : idle_) total += block.bytes;
    return total;
}

void BlockPool::release() {
    std::vector<Block> dropped;
    {
        const std::lock_guard lock(mutex_);
        dropped.swap(idle_);
    }
    for (const Block& block : dropped) std::free(block.data);
}

BlockPool& BlockPool::shared() { return pool; }

}  // namespace addhash::bind
