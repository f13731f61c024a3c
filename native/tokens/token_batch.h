// Documents that come as ready tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "simd/bytes.h"

namespace addhash {

// All tokens of several documents. Offsets are 32-bit: a batch holds less than 2^31 bytes.
class TokenBatch {
public:
    static constexpr size_t kMaxBytes = (size_t{1} << 31) - 4096;

    size_t documents() const { return document_ends_.size(); }
    size_t tokens() const { return ends_.size(); }
    size_t byte_count() const { return used_; }

    const uint8_t* bytes() const { return bytes_.data(); }
    const uint32_t* starts() const { return starts_.data(); }
    const uint32_t* ends() const { return ends_.data(); }
    const double* weights() const { return weights_.data(); }
    size_t token_start(size_t document) const {
        return document == 0 ? 0 : document_ends_[document - 1];
    }
    size_t token_end(size_t document) const { return document_ends_[document]; }

    // Room for `size` more bytes of the token being built, or nullptr if the batch is full.
    uint8_t* extend(size_t size) {
        if (size > kMaxBytes - used_) return nullptr;
        if (bytes_.size() < used_ + size + kSlack) bytes_.resize(2 * (used_ + size + kSlack));
        return bytes_.data() + used_;
    }
    // Keeps `size` of the bytes that extend() made room for.
    void keep(size_t size) { used_ += size; }
    // What was kept since the last token is a token.
    void end_token(double weight) {
        starts_.push_back(ends_.empty() ? 0 : ends_.back());
        ends_.push_back(static_cast<uint32_t>(used_));
        weights_.push_back(weight);
    }
    void end_document() { document_ends_.push_back(ends_.size()); }
    // Forgets everything after the last whole document.
    void drop_unfinished() {
        const size_t kept = document_ends_.empty() ? 0 : document_ends_.back();
        starts_.resize(kept);
        ends_.resize(kept);
        weights_.resize(kept);
        used_ = kept == 0 ? 0 : ends_.back();
    }

private:
    std::vector<uint8_t> bytes_ = std::vector<uint8_t>(kSlack);
    size_t used_ = 0;
    std::vector<uint32_t> starts_, ends_;
    std::vector<double> weights_;
    std::vector<size_t> document_ends_;
};

}  // namespace addhash
