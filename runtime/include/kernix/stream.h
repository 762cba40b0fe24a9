// kernix/stream.h - kernix::Stream: the caller's current stream, without CUDA's headers.

#ifndef KERNIX_STREAM_H
#define KERNIX_STREAM_H

struct CUstream_st;

namespace kernix {

/// As a parameter of a bound function it is filled by the call; on the CPU target it is null.
class Stream {
public:
  Stream() = default;
  Stream(CUstream_st *handle) : handle_(handle) {}

  /// A Stream is a cudaStream_t.
  operator CUstream_st *() const { return handle_; }
  CUstream_st *handle() const { return handle_; }

private:
  CUstream_st *handle_ = nullptr;
};

static_assert(sizeof(Stream) == sizeof(void *), "passed by value as a cudaStream_t");

} // namespace kernix

#endif // KERNIX_STREAM_H
