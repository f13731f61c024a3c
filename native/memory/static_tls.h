// Thread-local variables whose memory comes with the thread.
#pragma once

#include <cstddef>

// In a module that is loaded later, glibc allocates them at the first use in each thread, and ends
// the process if there is no memory. The few bytes of those marked so fit in what it reserves.
#ifdef __GLIBC__
#define ADDHASH_STATIC_TLS __attribute__((tls_model("initial-exec")))
#else
#define ADDHASH_STATIC_TLS
#endif
