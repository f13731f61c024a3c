// Every kernel of one instruction set, and the choice among the sets.
#pragma once

#include <span>
#include <string_view>

#include "aes128/aes128.h"
#include "bayes/evidence.h"
#include "bitsum/bitsum.h"
#include "bucket_sort/bucket_sort.h"
#include "detection/add_units.h"
#include "elementary/elementary.h"
#include "murmur3/murmur3.h"
#include "near/near.h"
#include "normalize/normalize.h"
#include "search/scan.h"
#include "shake256/shake256.h"
#include "unpack/unpack.h"
#include "weigh/weigh.h"

namespace addhash {

struct Kernels {
    const char* name;
    // Whether this processor, and its system, can run the others.
    bool (*is_available)();
    Murmur3 murmur3;
    SortKeys sort_keys;
    SumKeys sum_keys;
    Shake256 shake256;
    AesCmac aes_cmac;
    ExpandSeeds expand_seeds;
    AddRows add_rows;
    AddSeeds add_seeds;
    AddWeightedRows add_weighted_rows;
    AddNarrow add_narrow;
    AddMasked add_masked;
    AddEvidence add_evidence;
    AddUnits add_units;
    UnpackPlanes unpack_planes;
    SumSquares sum_squares;
    SumMagnitudes sum_magnitudes;
    ScaleToFloat scale_to_float;
    FinishStream finish_stream;
    ScaleToDouble scale_to_double;
    MagnitudeBits magnitude_bits;
    SumWideSquares sum_wide_squares;
    ScaleWideToFloat scale_wide_to_float;
    ScaleWideToDouble scale_wide_to_double;
    Exponentials exponentials;
    SelectNear select_near;
    SelectCheap select_cheap;
    Scan scan;
};

// All sets in this build, available or not, in order of preference; the last one runs everywhere.
std::span<const Kernels* const> all_kernels();
// nullptr if there is none of that name, or if it cannot run here.
const Kernels* kernels_named(std::string_view name);
const Kernels& baseline_kernels();

// The set in use: the most preferred available one, unless another was chosen.
const Kernels& active_kernels();
// `kernels` must be available.
void choose(const Kernels& kernels);
void choose_preferred();

}  // namespace addhash
