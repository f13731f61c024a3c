#include "parallel/parallel.h"

#ifdef __linux__
#include <sched.h>
#endif

namespace addhash {
namespace {

// Threads beyond the cores gain nothing and take memory. A few are always allowed: what depends on
// there being several can then be tested anywhere.
constexpr size_t kFewThreads = 4;

size_t usable_cores() {
#ifdef __linux__
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0) {
        return static_cast<size_t>(CPU_COUNT(&cores));
    }
#endif
    return hardware_threads();
}

}  // namespace

size_t useful_threads(size_t threads, size_t chunks) {
    const size_t wanted = std::min(threads, chunks);
    if (wanted <= kFewThreads) return std::max<size_t>(1, wanted);
    return std::min(wanted, std::max(kFewThreads, usable_cores()));
}

}  // namespace addhash
