// From pairs to groups.
#pragma once

#include <cstdint>
#include <span>

namespace addhash {

// Every item joins the first of its pairs whose other item represents itself; without one, it
// represents itself. Pairs are (item, other), ordered by items, and every `other` is a number below
// its item. `representatives` has a place for each item.
void group_by_representative(std::span<const uint32_t> items, std::span<const uint32_t> others,
                             std::span<uint32_t> representatives);

// Items that a chain of pairs connects, named by the lowest of them.
void group_connected(std::span<const uint32_t> items, std::span<const uint32_t> others,
                     std::span<uint32_t> representatives);

}  // namespace addhash
