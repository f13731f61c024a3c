#include "isa/available.h"

namespace addhash {

bool is_always_available() { return true; }

#ifdef ADDHASH_X86
bool is_avx2_available() {
    __builtin_cpu_init();  // this may run before the constructors of other files
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
}

bool is_avx512_available() {
    return is_avx2_available() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

bool is_avx512vnni_available() {
    return is_avx512_available() && __builtin_cpu_supports("avx512vnni");
}
#endif

}  // namespace addhash
