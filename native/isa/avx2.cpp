// 256-bit registers: x86 processors since about 2013.
#include "isa/avx2.h"

#include "simd/aesni.h"

namespace addhash {

constinit const Kernels kAvx2 = avx2_kernels<AesBlock, AesBlock>("avx2", is_avx2_available);

}  // namespace addhash
