// runtime/src/core/copies.h - copies of a gradient's elements, to which f_bwd adds in their place.

#ifndef KERNIX_CORE_COPIES_H
#define KERNIX_CORE_COPIES_H

#include "kernix/abi.h"

#include <cstdint>

namespace kernix::core {

/// The copies of what lies in one sector of the gradient (KERNIX_SECTOR_BYTES; of floats, where they stand for 16 bits)
/// lie side by side.
struct Copies {
  kernix_dtype dtype; ///< of the gradient's elements
  void *first;        ///< the element with the lowest address
  int64_t elements;   ///< from that one to the one with the highest, gaps included
  int64_t skipped;    ///< numbers of its sector before it
  int64_t of_each;    ///< copies
  void *sums;         ///< the first sector's: doubles for doubles, else floats
};

} // namespace kernix::core

#endif // KERNIX_CORE_COPIES_H
