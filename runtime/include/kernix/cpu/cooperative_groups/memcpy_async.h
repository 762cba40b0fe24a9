// kernix/cpu/cooperative_groups/memcpy_async.h - a group's threads copy together. Done at once; wait() still waits for
// the group, because that is when every thread's part has been copied.
#ifndef KERNIX_CPU_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define KERNIX_CPU_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class Group, class T>
KERNIX_CPU_ONLY_DEVICE void memcpy_async(const Group &group, T *destination, const T *source, __SIZE_TYPE__ bytes) {
  auto *to = reinterpret_cast<char *>(destination);
  auto *from = reinterpret_cast<const char *>(source);
  __SIZE_TYPE__ part = (bytes + group.size() - 1) / group.size();
  __SIZE_TYPE__ begin = part * group.thread_rank();
  if (begin < bytes)
    __builtin_memcpy(to + begin, from + begin, bytes - begin < part ? bytes - begin : part);
}
// The shorter of the two arrays decides, counted in elements.
template <class Group, class T>
KERNIX_CPU_ONLY_DEVICE void memcpy_async(const Group &group, T *destination, __SIZE_TYPE__ destination_count,
                                         const T *source, __SIZE_TYPE__ source_count) {
  memcpy_async(group, destination, source,
               sizeof(T) * (destination_count < source_count ? destination_count : source_count));
}
template <class Group> KERNIX_CPU_ONLY_DEVICE void wait(const Group &group) { group.sync(); }

} // namespace cooperative_groups

#endif
