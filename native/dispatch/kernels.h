// Every kernel of one instruction set, and the choice among the sets.
#pragma once

#include "bitsum/bitsum.h"
#include "dispatch/instruction_set.h"
#include "murmur3/murmur3.h"
#include "normalize/normalize.h"
#include "search/scan.h"
#include "shake256/shake256.h"
#include "siphash128/siphash128.h"
#include "unpack/unpack.h"
#include "weigh/weigh.h"

namespace addhash {

struct Kernels {
    InstructionSet instruction_set;
    Murmur3 murmur3;
    Shake256 shake256;
    SipHash128 siphash128;
    ExpandSeeds expand_seeds;
    AddRows add_rows;
    AddWeightedRow add_weighted_row;
    UnpackPlanes unpack_planes;
    SumSquares sum_squares;
    SumMagnitudes sum_magnitudes;
    ScaleToFloat scale_to_float;
    ScaleToDouble scale_to_double;
    const Scan* scan;
};

// `set` must be available.
const Kernels& kernels_of(InstructionSet set);

// The set in use: the widest available one, unless another was chosen.
const Kernels& active_kernels();
void choose(InstructionSet set);
void choose_widest();

}  // namespace addhash
