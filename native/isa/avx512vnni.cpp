// AVX-512 with a product of 8-bit integers.
#include "isa/avx512vnni.h"

#include "simd/aesni.h"

namespace addhash {

constinit const Kernels kAvx512Vnni =
    avx512vnni_kernels<AesBlock, AesBlock>("avx512vnni", is_avx512vnni_available);

}  // namespace addhash
