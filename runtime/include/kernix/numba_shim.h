// kernix/numba_shim.h - device functions for callers that pass every value as its scalars, as Numba's kernels do.
//
// Included by kernix.h where shims are made (-fplugin-arg-kernix-target=numba; for the CPU target
// -fplugin-arg-kernix-numba-shims), used by code that the plugin synthesizes. On the CPU they are host code, which
// gives the status of a call that failed.
#ifndef KERNIX_NUMBA_SHIM_H
#define KERNIX_NUMBA_SHIM_H

#include "kernix/module.h"

#if defined(__KERNIX_CPU__)
#define KERNIX_SHIM_CODE
#else
#define KERNIX_SHIM_CODE __device__
#endif

#if defined(__KERNIX_CPU__)
// Of the runtime: calls a thunk; a kernix_status.
extern "C" int kernix_call_thunk(kernix_thunk thunk, void *const *args, void *result);
#endif

namespace kernix {
namespace detail {

#if defined(__KERNIX_CPU__)
// A function's thunk, where an exception must not reach the caller: its message is kernix_last_error().
template <void (*Call)(void *const *, void *)> struct GuardedThunk {
  static int call(void *const *args, void *result) { return kernix_call_thunk(Call, args, result); }
};
#endif

// `int call(void *result, leaves...)`, which calls Thunk and gives 0: Numba's kernels return at other values.
//
// Layout is, in this order:
//   bytes and alignment of the storage for arguments and results; numbers of parameters, of copies to and from there
//   of each parameter: its kind, and a place in the storage, or the number of a leaf for those by address; bytes to
//   clear of each copy to the storage: number of the leaf, place, bytes the place of the function's own result, which
//   for void has no copy of each copy from the storage: place, place in `result`, bytes
enum NumbaArgument : int {
  numba_by_value,   // the object is in the storage
  numba_by_address, // the object is where the leaf points to
  numba_pointer,    // the object is a pointer to the storage
};

template <class Thunk, class Shim, int... Layout> struct NumbaShim;

template <class Thunk, class... Leaves, int... Layout> struct NumbaShim<Thunk, int(void *, Leaves...), Layout...> {
  KERNIX_SHIM_CODE static int call(void *result, Leaves... leaves) {
    return apply(result, __make_integer_seq<Indices, int, num_parameters>(),
                 __make_integer_seq<Indices, int, num_given>(), __make_integer_seq<Indices, int, num_returned>(),
                 &leaves...);
  }

private:
  static constexpr int at(int i) {
    constexpr int layout[] = {Layout...};
    return layout[i];
  }
  static constexpr int bytes = at(0), alignment = at(1), num_parameters = at(2), num_given = at(3),
                       num_returned = at(4);
  static constexpr int parameters = 5, given = parameters + 3 * num_parameters, own_result = given + 3 * num_given,
                       returned = own_result + 1;

  template <int... P, int... G, int... R>
  KERNIX_SHIM_CODE static int apply(void *result, Indices<int, P...>, Indices<int, G...>, Indices<int, R...>,
                                    const Leaves *...leaves) {
    alignas(alignment) unsigned char storage[bytes];
    const void *const from[] = {leaves..., nullptr};
    ((at(parameters + 3 * P + 2) ? __builtin_memset(storage + at(parameters + 3 * P + 1), 0, at(parameters + 3 * P + 2))
                                 : nullptr),
     ...);
    (__builtin_memcpy(storage + at(given + 3 * G + 1), from[at(given + 3 * G)], at(given + 3 * G + 2)), ...);
    void *pointers[] = {pointer<P>(storage)..., nullptr};
    void *const arguments[] = {argument<P>(storage, pointers, from)..., nullptr};
    if constexpr (__is_same(decltype(Thunk::call(arguments, storage)), void))
      Thunk::call(arguments, storage + at(own_result));
    else if (const int status = Thunk::call(arguments, storage + at(own_result)))
      return status;
    (give<at(returned + 3 * R + 1), at(returned + 3 * R + 2)>(result, storage + at(returned + 3 * R)), ...);
    return 0;
  }

  /// Members of a struct are aligned.
  template <int Place, int Size> KERNIX_SHIM_CODE static void give(void *result, const void *value) {
    __builtin_memcpy(__builtin_assume_aligned(static_cast<unsigned char *>(result) + Place, Size), value, Size);
  }
  template <int P> KERNIX_SHIM_CODE static void *pointer(unsigned char *storage) {
    if constexpr (at(parameters + 3 * P) == numba_pointer)
      return storage + at(parameters + 3 * P + 1);
    else
      return nullptr;
  }
  template <int P>
  KERNIX_SHIM_CODE static void *argument(unsigned char *storage, void **pointers, const void *const *from) {
    constexpr int kind = at(parameters + 3 * P), place = at(parameters + 3 * P + 1);
    if constexpr (kind == numba_by_address)
      return *static_cast<void *const *>(from[place]);
    else if constexpr (kind == numba_pointer)
      return pointers + P;
    else
      return storage + place;
  }
};

} // namespace detail
} // namespace kernix

#undef KERNIX_SHIM_CODE

#endif // KERNIX_NUMBA_SHIM_H
