#include "additive/seen_tokens.h"

#include <algorithm>

namespace addhash {
namespace {

constexpr size_t kSmallest = 1024;
constexpr Seed kFree = {0, 0};

}  // namespace

SeenTokens::SeenTokens() : key_(aes_key(random_key())), table_(kSmallest, kFree) {}

size_t SeenTokens::insert(const Kernels& kernels, const uint8_t* bytes, const uint32_t* starts,
                          const uint32_t* ends, size_t count, uint32_t* fresh) {
    names_.resize(count);
    kernels.aes_cmac(key_, bytes, starts, ends, count, names_.data());
    size_t found = 0;
    for (size_t i = 0; i < count; ++i) {
        if (insert({names_[i].low, names_[i].high | 1})) fresh[found++] = static_cast<uint32_t>(i);
    }
    return found;
}

bool SeenTokens::insert(Seed name) {
    if (2 * used_ >= table_.size()) grow();
    size_t place = name.low & (table_.size() - 1);
    while (table_[place] != kFree) {
        if (table_[place] == name) return false;
        place = (place + 1) & (table_.size() - 1);
    }
    table_[place] = name;
    ++used_;
    return true;
}

void SeenTokens::grow() {
    std::vector<Seed> old(2 * table_.size(), kFree);
    old.swap(table_);
    used_ = 0;
    for (const Seed& name : old) {
        if (name != kFree) insert(name);
    }
}

void SeenTokens::clear() {
    if (used_ == 0) return;
    if (table_.size() > kSmallest) {
        table_.assign(kSmallest, kFree);
        table_.shrink_to_fit();
    } else {
        std::fill(table_.begin(), table_.end(), kFree);
    }
    used_ = 0;
}

}  // namespace addhash
