// runtime/src/selector/packed_capability.h - a capability in one word, so that readers see a whole one without a lock.
//
// Both factors are positive floats; their sign bits say whether there are tensor cores and whether the kernel is
// unavailable. No capability is 0.

#ifndef KERNIX_SELECTOR_PACKED_CAPABILITY_H
#define KERNIX_SELECTOR_PACKED_CAPABILITY_H

#include "kernix/selector_abi.h"

#include <bit>

namespace kernix::selector {

inline constexpr uint32_t sign_bit = uint32_t{1} << 31;

constexpr uint64_t packed(const kernix_capability &capability) {
  uint32_t high = std::bit_cast<uint32_t>(capability.performance_factor);
  uint32_t low = std::bit_cast<uint32_t>(capability.memory_efficiency);
  high |= capability.supports_tensor_cores ? sign_bit : 0;
  low |= capability.is_available ? 0 : sign_bit;
  return (uint64_t{high} << 32) | low;
}

constexpr kernix_capability unpacked(uint64_t word, int32_t dtype) {
  const auto high = static_cast<uint32_t>(word >> 32), low = static_cast<uint32_t>(word);
  return {dtype, !(low & sign_bit), (high & sign_bit) != 0, std::bit_cast<float>(high & ~sign_bit),
          std::bit_cast<float>(low & ~sign_bit)};
}

} // namespace kernix::selector

#endif // KERNIX_SELECTOR_PACKED_CAPABILITY_H
