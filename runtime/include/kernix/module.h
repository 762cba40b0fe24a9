// kernix/module.h - the typed glue of a compiled object: what its constants of kernix/abi.h refer to.
//
// Included by kernix.h, used by code that the plugin synthesizes, not by users. Everything here is inline and emits
// nothing in a file without bound functions.
#ifndef KERNIX_MODULE_H
#define KERNIX_MODULE_H

#include "kernix/abi.h"

#if defined(__cplusplus) && __cplusplus >= 201703L

#if defined(__CUDA__)
#define KERNIX_HOST_DEVICE __host__ __device__
#else
#define KERNIX_HOST_DEVICE
#endif

// Bounds of the section that collects the object's descriptors; the linker defines them.
extern "C" {
extern __attribute__((visibility("hidden"))) const kernix_function *const __start_kernix_functions[];
extern __attribute__((visibility("hidden"))) const kernix_function *const __stop_kernix_functions[];
}

namespace kernix {
namespace detail {

#if defined(__CUDA__)
inline int read_symbol(void *to, const void *symbol, size_t size) {
  return cudaMemcpyFromSymbol(to, symbol, size, 0, cudaMemcpyDeviceToHost);
}

// The CUDA runtime that this object is linked with: the one that registered its kernels. On the CPU target these names
// are kernix's own.
inline const kernix_cuda_api cuda_api = {
    // Through void (*)(), without which -Wextra warns that dim3 is another structure.
    reinterpret_cast<int (*)(const void *, kernix_dim3, kernix_dim3, void **, size_t, void *)>(
        reinterpret_cast<void (*)()>(
            static_cast<cudaError_t (*)(const void *, dim3, dim3, void **, size_t, cudaStream_t)>(&cudaLaunchKernel))),
    reinterpret_cast<int (*)(int *)>(static_cast<cudaError_t (*)(int *)>(&cudaGetDevice)),
    reinterpret_cast<int (*)(int)>(static_cast<cudaError_t (*)(int)>(&cudaSetDevice)),
    reinterpret_cast<int (*)(int *, int, int)>(
        static_cast<cudaError_t (*)(int *, cudaDeviceAttr, int)>(&cudaDeviceGetAttribute)),
    reinterpret_cast<int (*)(const void *, int, int)>(
        static_cast<cudaError_t (*)(const void *, cudaFuncAttribute, int)>(&cudaFuncSetAttribute)),
    reinterpret_cast<int (*)(void *, const void *)>(
        static_cast<cudaError_t (*)(cudaFuncAttributes *, const void *)>(&cudaFuncGetAttributes)),
    reinterpret_cast<int (*)()>(static_cast<cudaError_t (*)()>(&cudaGetLastError)),
    reinterpret_cast<int (*)(void *)>(static_cast<cudaError_t (*)(cudaStream_t)>(&cudaStreamSynchronize)),
    reinterpret_cast<int (*)(int *, const void *, int, size_t)>(
        static_cast<cudaError_t (*)(int *, const void *, int, size_t)>(&cudaOccupancyMaxActiveBlocksPerMultiprocessor)),
    reinterpret_cast<const char *(*)(int)>(static_cast<const char *(*)(cudaError_t)>(&cudaGetErrorString)),
    reinterpret_cast<int (*)(void *, int, size_t, void *)>(
        static_cast<cudaError_t (*)(void *, int, size_t, cudaStream_t)>(&cudaMemsetAsync)),
    read_symbol,
#if defined(__KERNIX_CPU__)
    nullptr,
#else
    reinterpret_cast<int (*)(void *, int *)>(
        static_cast<cudaError_t (*)(cudaStream_t, cudaStreamCaptureStatus *)>(&cudaStreamIsCapturing)),
#endif
    reinterpret_cast<int (*)(void **, size_t, void *)>(
        static_cast<cudaError_t (*)(void **, size_t, cudaStream_t)>(&cudaMallocAsync)),
    reinterpret_cast<int (*)(void *, void *)>(static_cast<cudaError_t (*)(void *, cudaStream_t)>(&cudaFreeAsync))};
#endif

inline const kernix_module_info module_info __asm__("kernix_module_info") = {KERNIX_ABI_VERSION,
#if defined(__CUDA__) && !defined(__KERNIX_CPU__)
                                                                             KERNIX_TARGET_CUDA,
#else
                                                                             KERNIX_TARGET_CPU,
#endif
                                                                             __VERSION__, __start_kernix_functions,
                                                                             __stop_kernix_functions};

template <class, int... I> struct Indices {};

template <class T> struct ReferredTo {
  using Type = T;
};
template <class T> struct ReferredTo<T &> {
  using Type = T;
};
template <class T> struct ReferredTo<T &&> {
  using Type = T;
};

// Binding a deprecated function is what its author wants.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

// The kernix_thunk of a function: args[i] points at the object of parameter i.
template <class F, F *Function> struct Thunk;

template <class R, class... A, R (*Function)(A...)> struct Thunk<R(A...), Function> {
  KERNIX_HOST_DEVICE static void call(void *const *args, void *result) {
    apply(args, result, __make_integer_seq<Indices, int, sizeof...(A)>());
  }

private:
  template <int... I> KERNIX_HOST_DEVICE static void apply(void *const *args, void *result, Indices<int, I...>) {
    if constexpr (__is_same(R, void))
      Function(static_cast<A &&>(*static_cast<typename ReferredTo<A>::Type *>(args[I]))...);
    else {
      // Trivially copyable, but maybe not assignable.
      const R value = Function(static_cast<A &&>(*static_cast<typename ReferredTo<A>::Type *>(args[I]))...);
      __builtin_memcpy(result, &value, sizeof(R));
    }
  }
};

template <class R, class... A, R (*Function)(A...) noexcept>
struct Thunk<R(A...) noexcept, Function> : Thunk<R(A...), static_cast<R (*)(A...)>(Function)> {};

// The same where an arg_spec gives parameters another type than the function has: callers give A, the call converts.
#pragma clang diagnostic ignored "-Wconversion"
template <class Given, auto Function> struct ConvertingThunk;

template <class R, class... A, auto Function> struct ConvertingThunk<R(A...), Function> {
  KERNIX_HOST_DEVICE static R convert(A... args) { return Function(static_cast<A &&>(args)...); }
  KERNIX_HOST_DEVICE static void call(void *const *args, void *result) { Thunk<R(A...), &convert>::call(args, result); }
};

#pragma clang diagnostic pop

} // namespace detail
} // namespace kernix

#undef KERNIX_HOST_DEVICE

#endif // C++17
#endif // KERNIX_MODULE_H
