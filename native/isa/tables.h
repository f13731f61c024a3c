// The tables of kernels, one from each isa/<set>.cpp.
#pragma once

#include "dispatch/kernels.h"

namespace addhash {

extern const Kernels kBaseline;
#ifdef ADDHASH_X86
extern const Kernels kAvx2;
extern const Kernels kAvx2Vaes;
extern const Kernels kAvx512;
extern const Kernels kAvx512Vnni;
extern const Kernels kAvx512Vaes;
#endif
#ifdef ADDHASH_ARM64
extern const Kernels kNeon;
extern const Kernels kNeonDotprod;
extern const Kernels kNeonSha3;
#endif

}  // namespace addhash
