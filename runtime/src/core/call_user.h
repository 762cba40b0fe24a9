// runtime/src/core/call_user.h - calls into the user's object: exceptions and CUDA errors become a status.

#ifndef KERNIX_CORE_CALL_USER_H
#define KERNIX_CORE_CALL_USER_H

#include "core/launch.h"
#include "kernix/error.h"

#include <cxxabi.h>
#include <exception>

namespace kernix::core {

/// What `call` gives; what it throws is given to `fail(status, text)`.
template <class Call, class Fail> [[gnu::always_inline]] inline int catching(Call call, Fail fail) {
  try {
    return call();
  } catch (abi::__forced_unwind &) {
    throw; // the thread is being cancelled: not an exception to swallow
  } catch (const KernelError &error) {
    return fail(error.status(), error.what());
  } catch (const std::exception &error) {
    return fail(KERNIX_ERROR_RUNTIME, error.what());
  } catch (...) {
    return fail(KERNIX_ERROR_RUNTIME, "threw something that is not a std::exception");
  }
}

template <class Call> [[gnu::always_inline]] inline int call_user(const kernix_function &function, Call call) {
  // The object's own CUDA runtime: an error from before was returned to whoever caused it.
  const int before = take_last_error(function);
  return catching(
      [&] {
        call();
        return check_last_error(function, before);
      },
      [&](int status, const char *text) { return kernix_set_error(status, "%s: %s", function.signature, text); });
}

} // namespace kernix::core

#endif // KERNIX_CORE_CALL_USER_H
