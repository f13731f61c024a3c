#include "isa/available.h"

#ifdef ADDHASH_X86
#include <cpuid.h>
#endif

#ifdef ADDHASH_ARM64
#ifdef __APPLE__
#include <sys/sysctl.h>
#else
#include <sys/auxv.h>
#endif
#endif

namespace addhash {

bool is_always_available() { return true; }

#ifdef ADDHASH_X86
bool is_avx2_available() {
    __builtin_cpu_init();  // this may run before the constructors of other files
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("aes");
}

// Not every compiler's __builtin_cpu_supports knows VAES.
static bool is_vaes_available() {
    constexpr unsigned kVaes = 1u << 9;
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (c & kVaes) != 0;
}

bool is_avx2vaes_available() { return is_avx2_available() && is_vaes_available(); }

bool is_avx512_available() {
    return is_avx2_available() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

bool is_avx512vnni_available() {
    return is_avx512_available() && __builtin_cpu_supports("avx512vnni");
}

bool is_avx512vaes_available() {
    return is_avx512vnni_available() && is_vaes_available() &&
           __builtin_cpu_supports("avx512bitalg");
}
#endif

#ifdef ADDHASH_ARM64
#ifdef __APPLE__
namespace {

bool has(const char* feature) {
    int value = 0;
    size_t size = sizeof value;
    return sysctlbyname(feature, &value, &size, nullptr, 0) == 0 && value != 0;
}

}  // namespace

// The other extensions are in the first processor that macOS ran on.
bool is_neondotprod_available() { return has("hw.optional.arm.FEAT_DotProd"); }

bool is_neonsha3_available() {
    return is_neondotprod_available() && has("hw.optional.arm.FEAT_SHA512") &&
           has("hw.optional.arm.FEAT_SHA3");
}
#else
namespace {

bool has(unsigned long features) { return (getauxval(AT_HWCAP) & features) == features; }

}  // namespace

bool is_neondotprod_available() {
    constexpr unsigned long kArmv82 = HWCAP_CRC32 | HWCAP_ATOMICS | HWCAP_ASIMDRDM;
    return has(kArmv82 | HWCAP_AES | HWCAP_PMULL | HWCAP_SHA1 | HWCAP_SHA2 | HWCAP_ASIMDDP);
}

bool is_neonsha3_available() {
    return is_neondotprod_available() && has(HWCAP_SHA512 | HWCAP_SHA3);
}
#endif
#endif

}  // namespace addhash
