// AVX-512 with a product of 8-bit integers, AES on whole registers, and counts of bits.
#include "isa/avx512vnni.h"
#include "simd/vaes.h"

namespace addhash {

constinit const Kernels kAvx512Vaes =
    avx512vnni_kernels<AesBlocks, AesBlock>("avx512vaes", is_avx512vaes_available);

}  // namespace addhash
