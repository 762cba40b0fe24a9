/* kernix/cpu/error_list.h - the errors of the CUDA runtime API that the CPU target knows: name, CUDA's number, text.
 *
 * KERNIX_CPU_ERRORS(X) expands X(name, number, text) for each. Sources made for CUDA compare with these names; the CPU
 * target itself returns few of them.
 */
#ifndef KERNIX_CPU_ERROR_LIST_H
#define KERNIX_CPU_ERROR_LIST_H

#define KERNIX_CPU_ERRORS(X)                                                                                           \
  X(cudaSuccess, 0, "no error")                                                                                        \
  X(cudaErrorInvalidValue, 1, "invalid argument")                                                                      \
  X(cudaErrorMemoryAllocation, 2, "out of memory")                                                                     \
  X(cudaErrorInitializationError, 3, "initialization error")                                                           \
  X(cudaErrorCudartUnloading, 4, "the runtime is being unloaded")                                                      \
  X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                                                \
  X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                                                          \
  X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                                               \
  X(cudaErrorInvalidHostPointer, 16, "invalid host pointer")                                                           \
  X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                                                       \
  X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                                          \
  X(cudaErrorInsufficientDriver, 35, "the driver is older than the runtime")                                           \
  X(cudaErrorDevicesUnavailable, 46, "all devices are busy or unavailable")                                            \
  X(cudaErrorMissingConfiguration, 52, "no launch configuration was pushed")                                           \
  X(cudaErrorPriorLaunchFailure, 53, "an earlier launch failed")                                                       \
  X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                                                     \
  X(cudaErrorNoDevice, 100, "no device was found")                                                                     \
  X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                                             \
  X(cudaErrorInvalidKernelImage, 200, "the kernel image is invalid")                                                   \
  X(cudaErrorNoKernelImageForDevice, 209, "no kernel image for this device")                                           \
  X(cudaErrorECCUncorrectable, 214, "uncorrectable memory error")                                                      \
  X(cudaErrorUnsupportedLimit, 215, "the limit is not supported")                                                      \
  X(cudaErrorPeerAccessUnsupported, 217, "peer access is not supported")                                               \
  X(cudaErrorInvalidSource, 300, "invalid kernel source")                                                              \
  X(cudaErrorOperatingSystem, 304, "an operating system call failed")                                                  \
  X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                                                    \
  X(cudaErrorIllegalState, 401, "not possible in the present state")                                                   \
  X(cudaErrorSymbolNotFound, 500, "named symbol not found")                                                            \
  X(cudaErrorNotReady, 600, "not ready")                                                                               \
  X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                                          \
  X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")                                     \
  X(cudaErrorLaunchTimeout, 702, "the launch timed out")                                                               \
  X(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")                                          \
  X(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")                                            \
  X(cudaErrorContextIsDestroyed, 709, "the context is destroyed")                                                      \
  X(cudaErrorAssert, 710, "device-side assert triggered")                                                              \
  X(cudaErrorHostMemoryAlreadyRegistered, 712, "the memory range is already registered")                               \
  X(cudaErrorHostMemoryNotRegistered, 713, "the memory range was not registered")                                      \
  X(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered")                                        \
  X(cudaErrorMisalignedAddress, 716, "misaligned address")                                                             \
  X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                                         \
  X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in a cooperative launch")                                \
  X(cudaErrorNotPermitted, 800, "operation not permitted")                                                             \
  X(cudaErrorNotSupported, 801, "operation not supported")                                                             \
  X(cudaErrorSystemNotReady, 802, "the system is not ready")                                                           \
  X(cudaErrorStreamCaptureUnsupported, 900, "not permitted while the stream is capturing")                             \
  X(cudaErrorStreamCaptureInvalidated, 901, "the capture has been invalidated")                                        \
  X(cudaErrorTimeout, 909, "timeout")                                                                                  \
  X(cudaErrorUnknown, 999, "unknown error")

#endif /* KERNIX_CPU_ERROR_LIST_H */
