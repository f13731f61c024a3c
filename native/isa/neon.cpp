// 128-bit registers: every 64-bit ARM processor.
#include "isa/neon.h"

#include "aes128/tables.h"

namespace addhash {

constinit const Kernels kNeon =
    neon_kernels<LongProducts, TableBlock>("neon", is_always_available, 7);

}  // namespace addhash
