// Exceptions of a build that has none to throw: they trap, and the instance is done for.
#include <cstddef>

extern "C" {
void* __cxa_allocate_exception(size_t) { __builtin_trap(); }
[[noreturn]] void __cxa_throw(void*, void*, void (*)(void*)) { __builtin_trap(); }
void* __cxa_begin_catch(void*) { __builtin_trap(); }
void __cxa_end_catch() { __builtin_trap(); }
[[noreturn]] void __cxa_rethrow() { __builtin_trap(); }
}
