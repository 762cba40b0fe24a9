// runtime/src/cuda/streams.h - what the runtime asks of CUDA streams beyond the entry points of the user's object.

#ifndef KERNIX_CUDA_STREAMS_H
#define KERNIX_CUDA_STREAMS_H

namespace kernix::cuda {

/// Whether what is enqueued on `stream` goes into a graph now: such a stream must not be waited for, since that would
/// break the capture.
bool is_capturing(void *stream);

} // namespace kernix::cuda

#endif // KERNIX_CUDA_STREAMS_H
