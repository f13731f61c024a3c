// The exact integer vector of one document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dispatch/kernels.h"
#include "unpack/unpack.h"

namespace addhash {

// Components as the document's tokens left them. Those of a document of up to kMaxPlaneCount
// tokens are given as `narrow`; of a longer one, or one with large or fractional weights, as
// `wide`. Each component counts 2^exponent.
struct Components {
    const int16_t* narrow;
    const int64_t* wide;  // nullptr when `narrow` is used
    size_t count;
    int16_t largest;  // no magnitude of `narrow` is above it
    int64_t total;    // the sum of the weights: the number of tokens where each weighs 1
    int exponent;
};

class DocumentSum {
public:
    explicit DocumentSum(size_t bits);

    // Adds rows that weigh 1 each.
    void add(const Kernels& kernels, const uint8_t* const* rows, size_t count);
    // Adds the rows of seeds of the fast randomizer.
    void add_seeds(const Kernels& kernels, const RowKeys& keys, const Seed* seeds, size_t count);
    // Adds rows with weights, integers that count 2^exponent each. The exponent is the same for the
    // whole document, and 0 if rows are added without weights too; its |weights| sum to less than
    // 2^61.
    void add_weighted(const Kernels& kernels, const uint8_t* const* rows, const int64_t* weights,
                      size_t count, int exponent);
    // Whole weights from 0 to this one go through the planes: those of the bits of a weight.
    static constexpr int64_t kMostPlaneWeight = 2047;
    // Ends the document. With `is_signed`, a set bit counts its token's weight and a clear one
    // takes it away; without, a clear bit counts nothing. Valid until the next call.
    Components finish(const Kernels& kernels, bool is_signed);

private:
    size_t add_to_planes(const Kernels& kernels, const uint8_t* const* rows, const int64_t* weights,
                         size_t count);
    void add_to_wide(const Kernels& kernels, const uint8_t* const* rows, const int64_t* weights,
                     size_t count);
    void unpack(const Kernels& kernels);
    void spill(const Kernels& kernels);

    size_t bits_, columns_;
    std::vector<uint64_t> planes_;
    size_t in_planes_ = 0;
    int64_t total_ = 0;
    int exponent_ = 0;
    bool is_wide_ = false;
    std::vector<int16_t> narrow_;  // kComponentSlack, then the components
    std::vector<int64_t> wide_;
    std::vector<uint64_t> plane_rows_;    // planes, put together as rows
    std::vector<const uint8_t*> chosen_;  // rows, by the bits of their weights
    std::vector<int64_t> chosen_weights_;
};

}  // namespace addhash
