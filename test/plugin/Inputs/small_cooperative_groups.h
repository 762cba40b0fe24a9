// How grid_group::sync waits in CUDA's cooperative_groups/details/sync.h.
#pragma once

namespace cooperative_groups {
namespace details {
inline __device__ unsigned sync_grids_arrive(volatile unsigned *arrived) {
  unsigned old;
  asm volatile("atom.add.release.gpu.u32 %0,[%1],%2;" : "=r"(old) : "l"((unsigned *)arrived), "r"(1) : "memory");
  return old;
}
inline __device__ void sync_grids_wait(unsigned old, volatile unsigned *arrived) {
  unsigned now;
  do
    asm volatile("ld.acquire.gpu.u32 %0,[%1];" : "=r"(now) : "l"((unsigned *)arrived) : "memory");
  while (now == old);
}
} // namespace details
inline __device__ void sync(volatile unsigned *arrived) {
  details::sync_grids_wait(details::sync_grids_arrive(arrived), arrived);
}
} // namespace cooperative_groups
