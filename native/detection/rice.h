// Rice's code: a number n with a parameter k is n >> k zeros, a one, and the k low bits of n. It is
// short for numbers around 2^k, so each kind of number has its own parameter.
//
// Bits are filled from the lowest of each byte on. Whatever the bits are, reading them does no
// harm: it stays inside the bytes, and one who read too far finds the reader beyond the end.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace addhash {

constexpr unsigned kMostRice = 31;  // the largest parameter
// Bytes that must follow the last number, as many are read at once.
constexpr size_t kRiceTail = 8;

inline uint64_t load_little(const uint8_t* from) {
    uint64_t value;
    std::memcpy(&value, from, sizeof value);
    if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
    return value;
}

class RiceReader {
public:
    // Of bytes that end with the tail, from a bit on.
    RiceReader(const uint8_t* bytes, size_t size, uint64_t at)
        : bytes_(bytes), last_(size - kRiceTail) {
        go_to(at);
    }

    // The bit that is next.
    uint64_t at() const { return 8 * next_ - have_; }

    // A loop keeps the reader in registers.
    [[gnu::always_inline]] uint64_t next(unsigned parameter) {
        fill();
        const auto zeros = static_cast<unsigned>(std::countr_zero(bits_));
        const unsigned length = zeros + 1 + parameter;
        if (length > kWindow) {
            // With a copy, so that this one can stay in registers.
            RiceReader copy = *this;
            const uint64_t number = copy.next_long(parameter);
            *this = copy;
            return number;
        }
        return take(zeros, parameter);
    }
    // Two numbers, in less time.
    [[gnu::always_inline]] std::pair<uint64_t, uint64_t> next(unsigned first, unsigned second) {
        fill();
        const auto zeros = static_cast<unsigned>(std::countr_zero(bits_));
        if (zeros + 1 + first + kLikely <= kWindow) {
            const uint64_t number = take(zeros, first);
            const auto more = static_cast<unsigned>(std::countr_zero(bits_));
            if (more + 1 + second <= kLikely) return {number, take(more, second)};
            return {number, next(second)};
        }
        const uint64_t number = next(first);
        return {number, next(second)};
    }

private:
    static constexpr unsigned kWindow = 56;  // bits that are there after filling up
    static constexpr uint64_t kBeyond = uint64_t{1} << 62;

    static constexpr unsigned kLikely = 20;  // bits of the second of two numbers

    uint64_t take(unsigned zeros, unsigned parameter) {
        const uint64_t low = bits_ >> (zeros + 1) & mask(parameter);
        bits_ >>= zeros + 1 + parameter;
        have_ -= zeros + 1 + parameter;
        return uint64_t{zeros} << parameter | low;
    }
    static uint64_t mask(unsigned bits) { return (uint64_t{1} << bits) - 1; }
    // Bits above `have_` are those of the file or 0, so reading them again changes nothing.
    void fill() {
        bits_ |= load_little(bytes_ + std::min(next_, last_)) << have_;
        next_ += (63 - have_) >> 3;
        have_ |= kWindow;
    }
    void go_to(uint64_t at) {
        next_ = at >> 3;
        bits_ = have_ = 0;
        fill();
        bits_ >>= at & 7;
        have_ -= static_cast<unsigned>(at & 7);
    }
    [[gnu::noinline]] uint64_t next_long(unsigned parameter) {
        uint64_t at = this->at(), zeros = 0;
        for (;; at += kWindow, zeros += kWindow) {
            if (at >> 3 > last_) {
                go_to(kBeyond);
                return 0;
            }
            go_to(at);
            if ((bits_ & mask(kWindow)) != 0) break;
        }
        const auto rest = static_cast<unsigned>(std::countr_zero(bits_));
        go_to(at + rest + 1);
        const uint64_t low = bits_ & mask(parameter);
        bits_ >>= parameter;
        have_ -= parameter;
        return (zeros + rest) << parameter | low;
    }

    const uint8_t* bytes_;
    uint64_t last_, next_ = 0;  // bytes: where eight can be read; not yet read
    uint64_t bits_ = 0;
    unsigned have_ = 0;  // bits, of those that are read
};

class RiceWriter {
public:
    void put(uint64_t number, unsigned parameter) {
        for (uint64_t zeros = number >> parameter; zeros > 0;) {
            const auto some = static_cast<unsigned>(std::min<uint64_t>(zeros, 32));
            append(0, some);
            zeros -= some;
        }
        append(1 | (number & ((uint64_t{1} << parameter) - 1)) << 1, parameter + 1);
    }
    uint64_t bits() const { return 8 * uint64_t{bytes_.size()} + used_; }
    // Ends with whole bytes.
    const std::vector<uint8_t>& finish() {
        for (; used_ > 0; used_ -= std::min(used_, 8u), pending_ >>= 8) {
            bytes_.push_back(static_cast<uint8_t>(pending_));
        }
        return bytes_;
    }

private:
    void append(uint64_t value, unsigned bits) {
        pending_ |= value << used_;
        used_ += bits;
        if (used_ < 32) return;
        for (size_t i = 0; i < 4; ++i, pending_ >>= 8) {
            bytes_.push_back(static_cast<uint8_t>(pending_));
        }
        used_ -= 32;
    }

    std::vector<uint8_t> bytes_;
    uint64_t pending_ = 0;
    unsigned used_ = 0;  // bits that are pending, fewer than 32
};

// Chooses the parameter for some numbers.
class RiceFit {
public:
    void add(uint64_t number, uint64_t times = 1) {
        count_ += times;
        sum_ += number * times;
    }
    // With the fewest bits, as far as the mean tells: within 0.3 % of the best on real counts.
    unsigned parameter() const {
        unsigned best = 0;
        for (unsigned k = 1; k <= kMostRice; ++k) {
            if (bits(k) < bits(best)) best = k;
        }
        return best;
    }

private:
    uint64_t bits(unsigned parameter) const {
        return count_ * (parameter + 1) + (sum_ >> parameter);
    }

    uint64_t count_ = 0, sum_ = 0;
};

}  // namespace addhash
