// Documents that arrive as tokens: from records, tables and users' functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "simd/bytes.h"
#include "tokens/growing.h"

namespace addhash {

// All tokens of several documents. Offsets are 32-bit: a batch holds less than 2^31 bytes.
//
// A token is a name with a weight, or the category "name=value" with the weight 1. It is built from
// pieces: extend() and keep(), or append(), for each; then end_token(). end_document() ends a
// document, with or without tokens. Nothing here knows where the pieces come from.
class TokenBatch {
public:
    static constexpr size_t kMaxBytes = (size_t{1} << 31) - 4096;

    TokenBatch() { bounds_.push_back(0); }

    size_t documents() const { return document_ends_.size(); }
    size_t tokens() const { return weights_.size(); }
    size_t byte_count() const { return used_; }

    const uint8_t* bytes() const { return bytes_.data(); }
    const uint32_t* starts() const { return bounds_.data(); }
    const uint32_t* ends() const { return bounds_.data() + 1; }
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
    // Both at once; false if the batch is full.
    bool append(const void* piece, size_t size) {
        uint8_t* out = extend(size);
        if (out == nullptr) return false;
        copy_short(out, static_cast<const uint8_t*>(piece), size);
        used_ += size;
        return true;
    }
    // Everything kept since the last token is a token.
    void end_token(double weight) {
        bounds_.push_back(static_cast<uint32_t>(used_));
        weights_.push_back(weight);
    }
    void end_document() { document_ends_.push_back(tokens()); }
    // Forgets everything after the last whole document.
    void drop_unfinished() {
        const size_t documents = document_ends_.size();
        const size_t kept = documents == 0 ? 0 : document_ends_[documents - 1];
        bounds_.shrink(kept + 1);
        weights_.shrink(kept);
        used_ = bounds_[kept];
    }
    // Forgets all documents, and keeps the memory for others.
    void clear() {
        document_ends_.clear();
        drop_unfinished();
    }

private:
    // Names are short: a call to memcpy would take longer than the copy.
    static void copy_short(uint8_t* to, const uint8_t* from, size_t size) {
        if (size > 32) {
            std::memcpy(to, from, size);
        } else if (size >= 16) {
            copy_ends<16>(to, from, size);
        } else if (size >= 8) {
            copy_ends<8>(to, from, size);
        } else if (size >= 4) {
            copy_ends<4>(to, from, size);
        } else {
            for (size_t i = 0; i < size; ++i) to[i] = from[i];
        }
    }
    // From n to 2 n bytes: the first n and the last n, which may overlap.
    template <size_t n> static void copy_ends(uint8_t* to, const uint8_t* from, size_t size) {
        uint8_t first[n], last[n];
        std::memcpy(first, from, n);
        std::memcpy(last, from + size - n, n);
        std::memcpy(to, first, n);
        std::memcpy(to + size - n, last, n);
    }

    std::vector<uint8_t> bytes_ = std::vector<uint8_t>(kSlack);
    size_t used_ = 0;
    GrowingArray<uint32_t> bounds_;  // 0, and where each token ends
    GrowingArray<double> weights_;
    GrowingArray<size_t> document_ends_;
};

}  // namespace addhash
