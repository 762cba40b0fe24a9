// runtime/src/lanes/tvm_ffi_api.cpp - finds tvm-ffi's functions in the process.

#include "lanes/tvm_ffi_abi.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>

namespace kernix::lanes::tvm_ffi {

namespace {

template <class F> void find(F &function, const char *name) {
  void *const found = dlsym(RTLD_DEFAULT, name);
  std::memcpy(&function, &found, sizeof found);
}

const Api *find_all() {
  Api found = {};
  find(found.set_error, "TVMFFIErrorSetRaisedFromCStr");
  find(found.current_stream, "TVMFFIEnvGetStream");
  find(found.allocate_tensor, "TVMFFIEnvTensorAlloc");
  find(found.make_string, "TVMFFIStringFromByteArray");
  find(found.global_function, "TVMFFIFunctionGetGlobal");
  find(found.call, "TVMFFIFunctionCall");
  find(found.retain, "TVMFFIObjectIncRef");
  find(found.release, "TVMFFIObjectDecRef");
  find(found.big_int_words, "TVMFFIBigIntGetContentByteArray");
  find(found.big_int_from_words, "TVMFFIBigIntFromByteArray");
  const bool is_complete = found.set_error && found.current_stream && found.allocate_tensor && found.make_string &&
                           found.global_function && found.call && found.retain && found.release;
  return is_complete ? new Api(found) : nullptr;
}

const char *kind_of(int status) {
  switch (status) {
  case KERNIX_ERROR_TYPE:
    return "kernix.KernelTypeError";
  case KERNIX_ERROR_VALUE:
    return "kernix.KernelValueError";
  case KERNIX_ERROR_MEMORY:
    return "MemoryError";
  case KERNIX_ERROR_KEY:
    return "KeyError";
  default:
    return "kernix.KernelError";
  }
}

} // namespace

const Api &api() {
  static constexpr Api nothing = {};
  static std::atomic<const Api *> known = nullptr; // a second finder loses 80 bytes
  if (const Api *found = known.load(std::memory_order_acquire))
    return *found;
  const Api *found = find_all();
  if (!found)
    return nothing;
  known.store(found, std::memory_order_release);
  return *found;
}

void *global_function(const char *name) {
  const ByteArray text = {name, std::strlen(name)};
  void *function = nullptr;
  if (!api().global_function || api().global_function(&text, &function) != 0)
    return nullptr;
  return function;
}

int raise(int status, TVMFFIAny *result) {
  if (api().set_error) {
    api().set_error(kind_of(status), kernix_last_error());
    return -1;
  }
  std::fprintf(stderr, "kernix: tvm-ffi is not loaded, so this error cannot be raised: %s\n", kernix_last_error());
  *result = {type_none, 0, {0}};
  return 0;
}

} // namespace kernix::lanes::tvm_ffi
