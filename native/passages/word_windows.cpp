#include "passages/word_windows.h"

#include <algorithm>

namespace addhash {
namespace {

constexpr size_t kHashBlock = 1024;
constexpr uint64_t kBase = 0x9E3779B97F4A7C15;
const AesKey kWordKey = aes_key({0x452821E638D01377, 0xBE5466CF34E90C6C});

uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93;
    return x ^ (x >> 32);
}

class WordSink final : public TokenSink {
public:
    WordSink(const Kernels& kernels, std::vector<uint64_t>& hashes)
        : kernels_(kernels), hashes_(hashes) {}

    void consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                 size_t count) override {
        Seed seeds[kHashBlock];
        for (size_t first = 0; first < count; first += kHashBlock) {
            const size_t taken = std::min(kHashBlock, count - first);
            kernels_.aes_cmac(kWordKey, bytes, starts + first, ends + first, taken, seeds);
            for (size_t i = 0; i < taken; ++i) hashes_.push_back(seeds[i].low);
        }
    }

private:
    const Kernels& kernels_;
    std::vector<uint64_t>& hashes_;
};

}  // namespace

Status WordWindows::run(const Text& text, uint32_t group) {
    hashes_.clear();
    windows_.clear();
    WordSink sink(kernels_, hashes_);
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
