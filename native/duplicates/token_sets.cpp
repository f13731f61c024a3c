#include "duplicates/token_sets.h"

#include <algorithm>

#include "duplicates/hash_sink.h"
#include "parallel/parallel.h"
#include "parallel/threads.h"
#include "simd/bytes.h"

namespace addhash {
namespace {

constexpr size_t kDocumentChunk = 128;  // documents that a thread takes at a time

// A fixed key: sets are the same on every machine. Digits of pi.
constexpr Seed kTextSeed = {0xA4093822299F31D0, 0x082EFA98EC4E6C89};
const AesKey kTextKey = aes_key(kTextSeed);

// Cuts and hashes one text after the other.
class SetMaker {
public:
    SetMaker(const Kernels& kernels, const Cutting& cutting)
        : kernels_(kernels),
          in_units_(cutting.in_units),
          units_(cutting.how.range),
          analysis_(cutting.how) {}

    // Appends the set of a text to `hashes`.
    Status append(const Text& text, std::vector<uint64_t>& hashes) {
        const auto first = static_cast<ptrdiff_t>(hashes.size());
        HashSink sink(kernels_, hashes);
        const Status status = in_units_ ? units_.run(text, sink) : analysis_.run(text, sink);
        if (status != Status::done) return status;
        if (hashes.begin() + first == hashes.end()) {
            if (text.length > kMaxWindowBytes / sizeof(uint32_t)) return Status::too_long;
            hashes.push_back(whole_text(text));
            return status;
        }
        std::sort(hashes.begin() + first, hashes.end());
        hashes.erase(std::unique(hashes.begin() + first, hashes.end()), hashes.end());
        return status;
    }

private:
    // Over 32-bit code points: the same however CPython stores the text, and for lone surrogates.
    uint64_t whole_text(const Text& text) {
        const size_t size = text.length * sizeof(uint32_t);
        text_.assign(size + kSlack, 0);
        for (size_t i = 0; i < text.length; ++i) {
            store32(text_.data() + i * sizeof(uint32_t), code_point(text, i));
        }
        const uint32_t start = 0;
        const auto end = static_cast<uint32_t>(size);
        Seed seed;
        kernels_.aes_cmac(kTextKey, text_.data(), &start, &end, 1, &seed);
        return seed.low;
    }

    static uint32_t code_point(const Text& text, size_t i) {
        switch (text.unit) {
            case 1: return static_cast<const uint8_t*>(text.data)[i];
            case 2: return static_cast<const uint16_t*>(text.data)[i];
            default: return static_cast<const uint32_t*>(text.data)[i];
        }
    }

    const Kernels& kernels_;
    bool in_units_;
    UnitCutter units_;
    Analysis analysis_;
    std::vector<uint8_t> text_;
};

// The sets of consecutive documents.
struct Piece {
    std::unique_ptr<uint64_t[]> hashes;
    std::vector<size_t> ends;
};

}  // namespace

Outcome TokenSets::add(const Kernels& kernels, const Cutting& cutting, std::span<const Text> texts,
                       size_t threads) {
    if (texts.size() > kMostSets - size()) throw std::bad_alloc();
    const size_t chunks = (texts.size() + kDocumentChunk - 1) / kDocumentChunk;
    std::vector<Piece> pieces(chunks);
    Outcome outcome;
    Mutex failing;
    run_parallel(threads, chunks, [&](auto next) {
        SetMaker maker(kernels, cutting);
        std::vector<uint64_t> hashes;
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            hashes.clear();
            Piece& piece = pieces[chunk];
            const size_t end = std::min(texts.size(), (chunk + 1) * kDocumentChunk);
            for (size_t i = chunk * kDocumentChunk; i < end; ++i) {
                const Status status = maker.append(texts[i], hashes);
                if (status != Status::done) {
                    const std::lock_guard lock(failing);
                    outcome.merge({status, i});
                    return;
                }
                piece.ends.push_back(hashes.size());
            }
            piece.hashes = std::make_unique_for_overwrite<uint64_t[]>(hashes.size());
            std::copy(hashes.begin(), hashes.end(), piece.hashes.get());
        }
    });
    if (outcome.status != Status::done) return outcome;
    sets_.reserve(std::max(size() + texts.size(), std::min(2 * size(), kMostSets)));
    blocks_.reserve(blocks_.size() + chunks);
    for (Piece& piece : pieces) {
        size_t start = 0;
        for (size_t end : piece.ends) {
            sets_.emplace_back(piece.hashes.get() + start, end - start);
            start = end;
        }
        tokens_ += start;
        blocks_.push_back(std::move(piece.hashes));
    }
    return outcome;
}

bool TokenSets::add(std::span<const uint32_t> sizes, std::span<const uint64_t> hashes) {
    if (sizes.size() > kMostSets - size()) throw std::bad_alloc();
    size_t used = 0;
    for (uint32_t size : sizes) {
        if (size == 0 || size > hashes.size() - used) return false;
        for (size_t i = used + 1; i < used + size; ++i) {
            if (hashes[i - 1] >= hashes[i]) return false;
        }
        used += size;
    }
    if (used != hashes.size()) return false;
    if (sizes.empty()) return true;
    sets_.reserve(std::max(size() + sizes.size(), std::min(2 * size(), kMostSets)));
    blocks_.reserve(blocks_.size() + 1);
    auto block = std::make_unique_for_overwrite<uint64_t[]>(hashes.size());
    std::copy(hashes.begin(), hashes.end(), block.get());
    used = 0;
    for (uint32_t size : sizes) {
        sets_.emplace_back(block.get() + used, size);
        used += size;
    }
    tokens_ += used;
    blocks_.push_back(std::move(block));
    return true;
}

uint64_t digest(TokenSet set) {
    uint64_t digest = set.size();
    for (uint64_t token : set) digest = (digest ^ token) * 0xD6E8FEB86659FD93 + (digest >> 29);
    return digest;
}

Seed wide_digest(const Kernels& kernels, TokenSet set) {
    // In blocks, so that offsets fit 32 bits; the digest of a block is the key of the next one.
    constexpr size_t kBlock = size_t{1} << 16;
    std::vector<uint8_t> bytes(std::min(kBlock, set.size()) * sizeof(uint64_t) + kSlack);
    Seed seed = kTextSeed;
    for (size_t first = 0; first < set.size(); first += kBlock) {
        const size_t count = std::min(kBlock, set.size() - first);
        for (size_t i = 0; i < count; ++i) {
            store64(bytes.data() + i * sizeof(uint64_t), set[first + i]);
        }
        const uint32_t start = 0;
        const auto end = static_cast<uint32_t>(count * sizeof(uint64_t));
        kernels.aes_cmac(aes_key(seed), bytes.data(), &start, &end, 1, &seed);
    }
    return seed;
}

size_t shared_hashes(TokenSet a, TokenSet b, uint64_t least) {
    constexpr size_t kStride = 16;  // steps between two looks at what can still be reached
    size_t i = 0, j = 0, shared = 0;
    while (a.size() - i >= kStride && b.size() - j >= kStride) {
        if (shared + std::min(a.size() - i, b.size() - j) < least) return shared;
        for (size_t step = 0; step < kStride; ++step) {
            const uint64_t x = a[i], y = b[j];
            i += x <= y;
            j += y <= x;
            shared += x == y;
        }
    }
    while (i < a.size() && j < b.size()) {
        const uint64_t x = a[i], y = b[j];
        i += x <= y;
        j += y <= x;
        shared += x == y;
    }
    return shared;
}

void shared_in_pairs(const TokenSets& sets, std::span<const uint32_t> left,
                     std::span<const uint32_t> right, uint32_t* shared, size_t threads) {
    const size_t chunks = (left.size() + kDocumentChunk - 1) / kDocumentChunk;
    run_parallel(threads, chunks, [&](auto next) {
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            const size_t last = std::min(left.size(), (chunk + 1) * kDocumentChunk);
            for (size_t i = chunk * kDocumentChunk; i < last; ++i) {
                shared[i] = static_cast<uint32_t>(shared_hashes(sets[left[i]], sets[right[i]], 0));
            }
        }
    });
}

}  // namespace addhash
