// What this processor and operating system can run. Compiled for the baseline, so it runs
// everywhere.
#pragma once

namespace addhash {

bool is_always_available();

// Each checks for every extension that CMakeLists.txt compiles isa/<set>.cpp for.
#ifdef ADDHASH_X86
bool is_avx2_available();
bool is_avx2vaes_available();
bool is_avx512_available();
bool is_avx512vnni_available();
bool is_avx512vaes_available();
#endif
#ifdef ADDHASH_ARM64
bool is_neondotprod_available();
bool is_neonsha3_available();
#endif

}  // namespace addhash
