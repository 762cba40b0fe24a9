// kernix/view_check.h - in builds with KERNIX_CHECK_ACCUMULATION: whether loadUniform and loadUniformOnce, and the
// words unique and once of [[kernix::diff]], say the truth, and whether outputs are stored to by one thread each.
//
// Tables from elements of gradients to the threads that have read or stored them, in the memory of the object, on both
// targets. What a launch leaves there the next one takes for empty, by the number that the runtime gives each launch.
// Each has room for 2^20 elements a launch. For CUDA only; included by diff_tensor_view.h.

#ifndef KERNIX_VIEW_CHECK_H
#define KERNIX_VIEW_CHECK_H

#include "kernix/view_gradients.h"

namespace kernix {
namespace detail {

constexpr int owner_bits = 20;
/// Gradients that are added to by one thread, or assigned; outputs; gradients that are added to by atomic operations.
enum OwnerTable { reads_of_gradients, stores_of_outputs, atomic_additions, owner_tables };
/// The launch in the upper 16 bits, and the address or the number of a thread below.
static __device__ unsigned long long owner_keys[owner_tables][1 << owner_bits];
static __device__ unsigned long long owner_threads[owner_tables][1 << owner_bits];
static __device__ unsigned long long other_threads[owner_tables][1 << owner_bits];
/// Of a thread's number: it assigns.
constexpr unsigned long long once_bit = 1ull << 47;

struct ViewAccess {
  const char *name; ///< of the tensor
  const char *load;
  int64_t i, j, k, l;
  int axes;
  const char *verb = "reads";
};

/// Ends the launch with a message.
template <class... Numbers>
[[noreturn]] __device__ inline void fail_check(const char *format, const ViewAccess &access, Numbers... numbers) {
  const char *name = access.name;
#if defined(__KERNIX_CPU__)
  char text[256];
  __builtin_snprintf(text, sizeof text, format, access.load, name, numbers...);
  kernix_cpu_assert_fail(text, "kernix/diff_tensor_view.h", 0, access.load);
#else
  printf(format, access.load, name, numbers...);
  __trap();
#endif
}

#define KERNIX_ELEMENT "kernix: %s of '%s', element ("
/// With the index, whose length is that of the view's shape.
template <class... Numbers>
[[noreturn]] __device__ inline void fail_load(bool is_other, const ViewAccess &a, Numbers... numbers) {
  const long long i = a.i, j = a.j, k = a.k, l = a.l;
#define KERNIX_OTHER "): thread %u of block %u %s it, and so does thread %u of block %u\n"
#define KERNIX_AGAIN "): thread %u of block %u %s it again\n"
  if (is_other)
    a.axes == 1   ? fail_check(KERNIX_ELEMENT "%lld" KERNIX_OTHER, a, i, numbers...)
    : a.axes == 2 ? fail_check(KERNIX_ELEMENT "%lld, %lld" KERNIX_OTHER, a, i, j, numbers...)
    : a.axes == 3 ? fail_check(KERNIX_ELEMENT "%lld, %lld, %lld" KERNIX_OTHER, a, i, j, k, numbers...)
                  : fail_check(KERNIX_ELEMENT "%lld, %lld, %lld, %lld" KERNIX_OTHER, a, i, j, k, l, numbers...);
  a.axes == 1   ? fail_check(KERNIX_ELEMENT "%lld" KERNIX_AGAIN, a, i, numbers...)
  : a.axes == 2 ? fail_check(KERNIX_ELEMENT "%lld, %lld" KERNIX_AGAIN, a, i, j, numbers...)
  : a.axes == 3 ? fail_check(KERNIX_ELEMENT "%lld, %lld, %lld" KERNIX_AGAIN, a, i, j, k, numbers...)
                : fail_check(KERNIX_ELEMENT "%lld, %lld, %lld, %lld" KERNIX_AGAIN, a, i, j, k, l, numbers...);
#undef KERNIX_OTHER
#undef KERNIX_AGAIN
}
#undef KERNIX_ELEMENT

__device__ inline unsigned long long read_now(const unsigned long long *place) {
  return *static_cast<const volatile unsigned long long *>(place);
}

/// Who has come to an element first, and another thread that has.
struct Owners {
  static constexpr unsigned long long nobody = ~0ull;
  unsigned long long first = nobody, other = nobody; ///< block * threads + thread; `once_bit` beside the first
  bool is_new = false, has_room = true;

  __device__ unsigned long long besides(unsigned long long thread) const {
    return first != nobody && (first & ~once_bit) != thread ? first & ~once_bit : other == thread ? nobody : other;
  }
};

/// With `enter`, the thread comes to it now, if it is not the first as another one. The table is looked at in
/// `most_tries` places.
__device__ inline Owners find_owners(const void *place, unsigned long long number_of_launch, OwnerTable table,
                                     int most_tries, unsigned long long thread, bool enter) {
  const unsigned long long launch = (number_of_launch % 0xffff + 1) << 48, low = (1ull << 48) - 1;
  const unsigned long long key = launch | (reinterpret_cast<unsigned long long>(place) & low);
  Owners found;
  unsigned slot = static_cast<unsigned>(((key & low) >> 1) * 0x9e3779b97f4a7c15ull >> (64 - owner_bits));
  for (int tries = 0; tries < most_tries; ++tries, slot = (slot + 1) % (1u << owner_bits)) {
    unsigned long long seen = read_now(&owner_keys[table][slot]);
    while (seen >> 48 != launch >> 48) { // of an earlier launch: free
      if (!enter)
        return found;
      const unsigned long long before = atomicCAS(&owner_keys[table][slot], seen, key);
      if (before == seen) {
        atomicExch(&owner_threads[table][slot], launch | thread);
        found.first = thread;
        found.is_new = true;
        return found;
      }
      seen = before;
    }
    if (seen != key)
      continue;
    unsigned long long owner = read_now(&owner_threads[table][slot]);
    while (owner >> 48 != launch >> 48) // who has taken the slot is about to say so
      owner = read_now(&owner_threads[table][slot]);
    found.first = owner & low;
    if (enter && (found.first & ~once_bit) != (thread & ~once_bit))
      atomicExch(&other_threads[table][slot], launch | thread);
    const unsigned long long other = read_now(&other_threads[table][slot]);
    if (other >> 48 == launch >> 48)
      found.other = other & low;
    return found;
  }
  found.has_room = false;
  return found;
}

__device__ inline unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }

/// The number of this thread in the launch.
__device__ inline unsigned long long number_of_thread() {
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  return static_cast<unsigned long long>(block) * threads_of_block() + thread;
}

[[noreturn]] __device__ inline void fail_for(unsigned long long thread, unsigned long long other,
                                             const ViewAccess &access) {
  const unsigned threads = threads_of_block();
  const unsigned own = static_cast<unsigned>(thread % threads), block = static_cast<unsigned>(thread / threads);
  if (other == thread)
    fail_load(false, access, own, block, access.verb);
  fail_load(true, access, own, block, access.verb, static_cast<unsigned>(other % threads),
            static_cast<unsigned>(other / threads));
}

/// `place`: an element of a gradient that no other thread may add to, nor this one twice if `once` says so; or one of a
/// cotangent, which one thread may take: of large outputs, what finds no room is not looked at.
__device__ inline void check_owner(const void *place, bool once, unsigned long long number_of_launch,
                                   const ViewAccess &access, OwnerTable table = reads_of_gradients) {
  const unsigned long long thread = number_of_thread();
  const Owners found = find_owners(place, number_of_launch, table, table == stores_of_outputs ? 64 : 1 << owner_bits,
                                   once ? thread | once_bit : thread, true);
  if (!found.has_room && table == reads_of_gradients)
    fail_check("kernix: %s of '%s': more elements than can be checked\n", access);
  if (!found.has_room)
    return;
  if (const unsigned long long first = found.first & ~once_bit; first != thread)
    fail_for(thread, first, access);
  if (once && !found.is_new)
    fail_for(thread, thread, access);
  if (table != reads_of_gradients)
    return;
  __threadfence();
  const Owners added = find_owners(place, number_of_launch, atomic_additions, 64, thread, false);
  if (const unsigned long long other = added.besides(thread); other != Owners::nobody)
    fail_for(thread, other, access);
  if (once && added.first != Owners::nobody)
    fail_for(thread, thread, access);
}

/// `place`: an element of a gradient that is added to by an atomic operation, as others may, but none by a plain one.
/// What finds no room is not looked at.
__device__ inline void check_atomic(const void *place, const kernix_view_check &check, const char *load, int64_t i,
                                    int64_t j, int64_t k, int64_t l, int axes) {
  const unsigned long long thread = number_of_thread();
  find_owners(place, check.launch, atomic_additions, 64, thread, true);
  __threadfence();
  const Owners plain = find_owners(place, check.launch, reads_of_gradients, 1 << owner_bits, thread, false);
  const bool is_once = plain.first != Owners::nobody && (plain.first & once_bit);
  const unsigned long long other = plain.besides(thread);
  if (other != Owners::nobody || is_once)
    fail_for(thread, other != Owners::nobody ? other : thread,
             {reinterpret_cast<const char *>(check.name), load, i, j, k, l, axes});
}

__device__ inline void check_owner(const void *place, bool once, const kernix_view_check &check, const char *load,
                                   int64_t i, int64_t j, int64_t k, int64_t l, int axes) {
  check_owner(place, once, check.launch, {reinterpret_cast<const char *>(check.name), load, i, j, k, l, axes});
}

__device__ inline void check_store(const void *place, const kernix_view_check &check, int64_t i, int64_t j, int64_t k,
                                   int64_t l, int axes) {
  check_owner(place, false, check.launch,
              {reinterpret_cast<const char *>(check.name), "store", i, j, k, l, axes, "stores"}, stores_of_outputs);
}

/// Another one for each launch.
__device__ inline unsigned long long launch_number() {
#if defined(__KERNIX_CPU__)
  return kernix_cpu_launch_number();
#else
  unsigned long long number;
  asm volatile("mov.u64 %0, %%gridid;" : "=l"(number));
  return number;
#endif
}

/// Whether several elements lie at one place: the cotangent of a sum is one number for all of them.
__device__ inline bool is_expanded(const int64_t *shape, const int64_t *strides, int rank) {
  for (int d = 0; d < rank; ++d)
    if (shape[d] > 1 && strides[d] == 0)
      return true;
  return false;
}

/// The index of an element that lies so many elements behind the first one.
__device__ inline void find_index(const kernix_tensor_view &view, int64_t distance, ViewAccess &access) {
  int64_t index[4] = {};
  int64_t above = INT64_MAX;
  for (int done = 0; done < view.ndim; ++done) { // the largest stride first
    int axis = -1;
    for (int d = 0; d < view.ndim; ++d)
      if (view.shape[d] > 1 && view.strides[d] > 0 && view.strides[d] < above &&
          (axis < 0 || view.strides[d] > view.strides[axis]))
        axis = d;
    if (axis < 0)
      break;
    above = view.strides[axis];
    index[axis] = distance / above;
    distance %= above;
  }
  access.i = index[0], access.j = index[1], access.k = index[2], access.l = index[3];
  access.axes = view.ndim;
}

/// The index of the element at `place` of a tensor of elements of `size` bytes that begins at `data`.
__device__ inline void find_element(const void *place, const void *data, const kernix_tensor_view *view, int64_t size,
                                    ViewAccess &access) {
  const int64_t distance = (static_cast<const char *>(place) - static_cast<const char *>(data)) / size;
  access.i = distance;
  access.axes = 1;
  if (view && view->ndim > 1 && view->ndim <= 4)
    find_index(*view, distance, access);
  else if (view && view->ndim == 1 && view->strides[0] > 0)
    access.i = distance / view->strides[0];
}

} // namespace detail
} // namespace kernix

/// Called by derivatives that the plugin makes. `view`: the gradient's, or null where it is a pointer.
static __device__ void kernix_check_addition(const void *place, const void *data, const kernix_tensor_view *view,
                                             int64_t size, const char *word,
                                             const char *name) __asm__("kernix_check_addition") __attribute__((used));
static __device__ void kernix_check_addition(const void *place, const void *data, const kernix_tensor_view *view,
                                             int64_t size, const char *word, const char *name) {
  const bool is_once = word[0] == 'o';
  kernix::detail::ViewAccess access = {name, is_once ? "diff(once)" : "diff(unique)", 0, 0, 0, 0, 1};
  kernix::detail::find_element(place, data, view, size, access);
  kernix::detail::check_owner(place, is_once, kernix::detail::launch_number(), access);
}

/// The same of the cotangent of what was stored. `data` is null where the caller gave none. An expanded cotangent is
/// not looked at.
static __device__ void kernix_check_store(const void *place, const void *data, const kernix_tensor_view *view,
                                          int64_t size, const char *name) __asm__("kernix_check_store")
    __attribute__((used));
static __device__ void kernix_check_store(const void *place, const void *data, const kernix_tensor_view *view,
                                          int64_t size, const char *name) {
  if (!data || (view && kernix::detail::is_expanded(view->shape, view->strides, view->ndim)))
    return;
  kernix::detail::ViewAccess access = {name, "store", 0, 0, 0, 0, 1, "stores"};
  kernix::detail::find_element(place, data, view, size, access);
  kernix::detail::check_owner(place, false, kernix::detail::launch_number(), access, kernix::detail::stores_of_outputs);
}

#endif // KERNIX_VIEW_CHECK_H
