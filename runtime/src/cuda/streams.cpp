// runtime/src/cuda/streams.cpp
//
// Asks the driver that the process has loaded already; loads nothing. Streams of the CUDA runtime are the driver's.

#include "cuda/streams.h"

#include <cstring>
#include <dlfcn.h>

namespace kernix::cuda {

namespace {

using IsCapturing = int (*)(void *stream, int *status); // cuStreamIsCapturing

IsCapturing find() {
  void *const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!driver)
    return nullptr;
  void *const found = dlsym(driver, "cuStreamIsCapturing");
  dlclose(driver); // only counted: whoever loaded it keeps it
  IsCapturing function;
  std::memcpy(&function, &found, sizeof found);
  return function;
}

} // namespace

bool is_capturing(void *stream) {
  constexpr int no_capture = 0; // CU_STREAM_CAPTURE_STATUS_NONE
  // Looked up at each call: the driver may be loaded later, and only KERNIX_SYNC=1 comes here.
  const IsCapturing function = find();
  int status = no_capture;
  return function && function(stream, &status) == 0 && status != no_capture;
}

} // namespace kernix::cuda
