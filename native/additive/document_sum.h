// The exact integer vector of one document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dispatch/kernels.h"
#include "unpack/unpack.h"

namespace addhash {

// The components of a document: as `narrow` for up to kMaxPlaneCount tokens; as `wide` for a longer
// document, or one with large or fractional weights. Each component is in units of 2^exponent.
struct Components {
    const int16_t* narrow;
    const int64_t* wide;  // nullptr when `narrow` is used
    size_t count;
    int16_t largest;  // an upper bound of the magnitudes of `narrow`
    int64_t total;    // the sum of the weights: the number of tokens if each weighs 1
    int exponent;
};

class DocumentSum {
public:
    explicit DocumentSum(size_t bits);

    // Adds rows of weight 1.
    void add(const Kernels& kernels, const uint8_t* const* rows, size_t count);
    // Adds the rows of seeds of the fast randomizer.
    void add_seeds(const Kernels& kernels, const RowKeys& keys, const Seed* seeds, size_t count);
    // Adds rows with weights: integers in units of 2^exponent. The exponent is the same for the
    // whole document, and 0 if rows without weights are added too; its |weights| sum to less than
    // 2^61. Fractions are added faster after the rows that weigh 1.
    void add_weighted(const Kernels& kernels, const uint8_t* const* rows, const int64_t* weights,
                      size_t count, int exponent);
    // Integer weights from 0 to this go through the planes, once for each set bit.
    static constexpr int64_t kMostPlaneWeight = 2047;
    // Ends the document. With `is_signed`, a set bit adds its token's weight and a clear one
    // subtracts it; without, a clear bit counts nothing. Valid until the next call.
    Components finish(const Kernels& kernels, bool is_signed);

private:
    size_t add_to_planes(const Kernels& kernels, const uint8_t* const* rows, const int64_t* weights,
                         size_t count);
    bool choose_counted(const Kernels& kernels, const uint8_t* const* rows, const int64_t* weights,
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
    std::vector<uint64_t> plane_rows_;    // planes, as rows
    std::vector<const uint8_t*> chosen_;  // rows, by the bits of their weights
    std::vector<int64_t> chosen_weights_;
};

}  // namespace addhash
