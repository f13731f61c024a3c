// AVX2, and AES on whole registers.
#include "isa/avx2.h"
#include "simd/vaes256.h"

namespace addhash {

constinit const Kernels kAvx2Vaes =
    avx2_kernels<AesBlocks, AesBlock>("avx2vaes", is_avx2vaes_available);

}  // namespace addhash
