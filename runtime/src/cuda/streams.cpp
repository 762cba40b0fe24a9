// runtime/src/cuda/streams.cpp
//
// Asks the driver that the process has loaded already; loads nothing. Streams of the CUDA runtime are the driver's.

#include "cuda/streams.h"
#include "cuda/driver.h"

namespace kernix::cuda {

bool is_capturing(void *stream) {
  constexpr int no_capture = 0; // CU_STREAM_CAPTURE_STATUS_NONE
  // Looked up at each call: the driver may be loaded later, and only KERNIX_SYNC=1 comes here.
  const auto function = Driver().find<int (*)(void *stream, int *status)>("cuStreamIsCapturing");
  int status = no_capture;
  return function && function(stream, &status) == 0 && status != no_capture;
}

} // namespace kernix::cuda
