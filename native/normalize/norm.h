// How vectors are scaled.
#pragma once

namespace addhash {

enum class Norm { none, l1, l2 };

}  // namespace addhash
