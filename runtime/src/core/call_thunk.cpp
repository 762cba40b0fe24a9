// runtime/src/core/call_thunk.cpp - calls a thunk for code that has packed its arguments itself: shims for Numba.

#include "core/call_user.h"
#include "kernix/abi.h"

// Declared in kernix/numba_shim.h, for objects with shims only.
extern "C" KERNIX_API int kernix_call_thunk(kernix_thunk thunk, void *const *args, void *result);

int kernix_call_thunk(kernix_thunk thunk, void *const *args, void *result) {
  return kernix::core::catching(
      [&] {
        thunk(args, result);
        return KERNIX_OK;
      },
      [](int status, const char *text) { return kernix_set_error(status, "%s", text); });
}
