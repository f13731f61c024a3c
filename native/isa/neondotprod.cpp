// NEON with a product of 8-bit integers, used by the search, and with AES.
#include "search/neondotprod.h"

#include "isa/neon.h"
#include "simd/neonaes.h"

namespace addhash {

constinit const Kernels kNeonDotprod =
    neon_kernels<DotProducts, AesBlock>("neondotprod", is_neondotprod_available, 2);

}  // namespace addhash
