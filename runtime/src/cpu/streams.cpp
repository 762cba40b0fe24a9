// cpu/streams.cpp - streams and events of the CPU target. Everything is done when a call returns, so that a stream
// holds no work; it only keeps what it was created with.
#include "cpu/error.h"
#include <chrono>
#include <new>

using namespace kernix::cpu;

struct CUstream_st {
  unsigned flags;
  int priority;
};

struct CUevent_st {
  unsigned flags;
  bool recorded;
  std::chrono::steady_clock::time_point time;
};

namespace {

/// The default streams are no objects: null, cudaStreamLegacy, cudaStreamPerThread.
bool is_default(cudaStream_t stream) { return reinterpret_cast<uintptr_t>(stream) <= 2; }

} // namespace

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
  if (!stream || (flags & ~unsigned{cudaStreamNonBlocking}) != 0)
    return report(cudaErrorInvalidValue);
  *stream = new (std::nothrow) CUstream_st{flags, priority};
  return *stream ? cudaSuccess : report(cudaErrorMemoryAllocation);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (is_default(stream))
    return report(cudaErrorInvalidResourceHandle);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return wait_result(); }
cudaError_t cudaStreamQuery(cudaStream_t) { return wait_result(); }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t event, unsigned) {
  return event ? cudaSuccess : report(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
  if (!flags)
    return report(cudaErrorInvalidValue);
  *flags = is_default(stream) ? cudaStreamDefault : stream->flags;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  if (!priority)
    return report(cudaErrorInvalidValue);
  *priority = is_default(stream) ? 0 : stream->priority;
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *user_data, unsigned flags) {
  if (!callback || flags != 0)
    return report(cudaErrorInvalidValue);
  callback(stream, cudaSuccess, user_data);
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void *user_data) {
  if (!function)
    return report(cudaErrorInvalidValue);
  function(user_data);
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  if (!event)
    return report(cudaErrorInvalidValue);
  *event = new (std::nothrow) CUevent_st{flags, false, {}};
  return *event ? cudaSuccess : report(cudaErrorMemoryAllocation);
}
cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!event)
    return report(cudaErrorInvalidResourceHandle);
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  if (!event)
    return report(cudaErrorInvalidResourceHandle);
  event->recorded = true;
  event->time = std::chrono::steady_clock::now();
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return event ? wait_result() : report(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!milliseconds)
    return report(cudaErrorInvalidValue);
  if (!start || !end || ((start->flags | end->flags) & cudaEventDisableTiming) != 0 || !start->recorded ||
      !end->recorded)
    return report(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return cudaSuccess;
}
