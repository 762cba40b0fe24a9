// kernix/cpu/cooperative_groups/scan.h - running results over the threads of a tile or a coalesced group.
#ifndef KERNIX_CPU_COOPERATIVE_GROUPS_SCAN_H
#define KERNIX_CPU_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

namespace cooperative_groups {

template <class Group, class T, class Operation>
KERNIX_CPU_ONLY_DEVICE auto inclusive_scan(const Group &group, T value, Operation operation)
    -> decltype(group.kernix_lanes(), operation(value, value)) {
  int rank = static_cast<int>(group.thread_rank());
  for (int distance = 1; distance < static_cast<int>(group.size()); distance *= 2) {
    T before = group.kernix_read(value, rank - distance);
    if (rank >= distance)
      value = operation(before, value);
  }
  return value;
}
template <class Group, class T> KERNIX_CPU_ONLY_DEVICE T inclusive_scan(const Group &group, T value) {
  return inclusive_scan(group, value, plus<T>());
}

// The first thread gets T(), as in CUDA.
template <class Group, class T, class Operation>
KERNIX_CPU_ONLY_DEVICE auto exclusive_scan(const Group &group, T value, Operation operation)
    -> decltype(group.kernix_lanes(), operation(value, value)) {
  T scanned = inclusive_scan(group, value, operation);
  int rank = static_cast<int>(group.thread_rank());
  T before = group.kernix_read(scanned, rank - 1);
  return rank == 0 ? T() : before;
}
template <class Group, class T> KERNIX_CPU_ONLY_DEVICE T exclusive_scan(const Group &group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

} // namespace cooperative_groups

#endif
