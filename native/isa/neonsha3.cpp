// NEON with the dot product, and with instructions made for Keccak.
#include "simd/neonsha3.h"

#include "isa/neon.h"
#include "search/neondotprod.h"
#include "simd/neonaes.h"

namespace addhash {
namespace {

constexpr Kernels with_sha3() {
    Kernels kernels = neon_kernels<DotProducts, AesBlock>("neonsha3", is_neonsha3_available, 2);
    kernels.shake256 = shake256_lanes<Sha3Lanes64>;
    return kernels;
}

}  // namespace

constinit const Kernels kNeonSha3 = with_sha3();

}  // namespace addhash
