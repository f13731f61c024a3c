#include "passages/word_windows.h"

#include "duplicates/hash_sink.h"

namespace addhash {
namespace {

constexpr uint64_t kBase = 0x9E3779B97F4A7C15;

uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93;
    return x ^ (x >> 32);
}

}  // namespace

Status WordWindows::run(const Text& text, uint32_t group) {
    hashes_.clear();
    windows_.clear();
    HashSink sink(kernels_, hashes_);
    const Status status = cutter_.run(text, sink);
    if (status != Status::done) return status;
    if (group != 0) {
        for (uint64_t& hash : hashes_) hash = mix(hash ^ group * kBase);
    }
    if (hashes_.size() < window_) return Status::done;
    // A window is the number, modulo 2^64, whose digits to the base kBase are its words.
    uint64_t leading = 1;
    for (size_t i = 1; i < window_; ++i) leading *= kBase;
    uint64_t rolling = 0;
    windows_.reserve(hashes_.size() - window_ + 1);
    for (size_t i = 0; i < hashes_.size(); ++i) {
        if (i >= window_) rolling -= hashes_[i - window_] * leading;
        rolling = rolling * kBase + hashes_[i];
        if (i + 1 >= window_) windows_.push_back(mix(rolling));
    }
    return Status::done;
}

}  // namespace addhash
