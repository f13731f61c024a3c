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
    int64_t total;  // the sum of the weights: the number of tokens where each weighs 1
    int exponent;
};

// What the integers that stand for the weights of a document mean.
struct WeightScale {
    int64_t unit = 1;  // stands for the weight 1
    int exponent = 0;  // an integer counts 2^exponent
};

class DocumentSum {
public:
    explicit DocumentSum(size_t bits);

    // Adds rows that weigh `scale.unit` each. `rows` has room for kRowGroup - 1 more pointers past
    // `count`, which are overwritten.
    void add(const Kernels& kernels, const uint8_t** rows, size_t count, WeightScale scale = {});
    // Adds the rows of seeds of the fast randomizer.
    void add_seeds(const Kernels& kernels, const Seed* seeds, size_t count);
    // Adds rows with weights. The scale is the same for the whole document, and its |weights| sum
    // to less than 2^61.
    void add_weighted(const Kernels& kernels, const uint8_t* const* rows, const int64_t* weights,
                      size_t count, WeightScale scale);
    // Whole weights from 0 to this one go through the planes: those of the bits of a weight.
    static constexpr int64_t kMostPlaneWeight = 2047;
    // Ends the document. With `is_signed`, a set bit counts its token's weight and a clear one
    // takes it away; without, a clear bit counts nothing. Valid until the next call.
    Components finish(const Kernels& kernels, bool is_signed);

private:
    size_t add_to_planes(const Kernels& kernels, const uint8_t* const* rows, const int64_t* weights,
                         size_t count);
    void unpack(const Kernels& kernels);
    void spill(const Kernels& kernels);

    size_t bits_, columns_;
    std::vector<uint64_t> planes_;
    size_t in_planes_ = 0;
    int64_t total_ = 0;
    WeightScale scale_;
    bool is_wide_ = false;
    std::vector<int16_t> narrow_;  // kComponentSlack, then the components
    std::vector<int64_t> wide_;
    std::vector<uint8_t> zero_row_;
    std::vector<const uint8_t*> chosen_;  // rows for one plane
};

}  // namespace addhash
