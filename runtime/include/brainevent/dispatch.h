// brainevent/dispatch.h - from a dtype at run time to a C++ type:
//
//   BE_DISPATCH_FLOATING(x.dtype(), scalar_t, {
//     kernel<scalar_t><<<blocks, 256, 0, stream>>>(x.data_ptr<const scalar_t>(), n);
//   });
//
// The body stands once for each type, in a lambda that sees the variables around it. A dtype that is not among them is
// a failed BE_CHECK.

#ifndef BRAINEVENT_DISPATCH_H
#define BRAINEVENT_DISPATCH_H

#include "brainevent/check.h"
#include "brainevent/tensor.h"

#if defined(__CUDACC__) || defined(__CUDA__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace BE {

#if defined(__CUDACC__) || defined(__CUDA__)
using float16_t = __half;
using bfloat16_t = __nv_bfloat16;
#else
/// Bits only.
struct float16_t {
  uint16_t bits;
};
struct bfloat16_t {
  uint16_t bits;
};
#endif

struct complex64_t {
  float real, imag;
};
struct complex128_t {
  double real, imag;
};

} // namespace BE

namespace kernix {

template <> struct Element<BE::complex64_t> : detail::ScalarElement<KERNIX_COMPLEX, 8> {};
template <> struct Element<BE::complex128_t> : detail::ScalarElement<KERNIX_COMPLEX, 16> {};

} // namespace kernix

// The parts: CASE is one type, TYPES_... are lists of cases, SWITCH is all of it.
#define KERNIX_BE_CASE(VALUE, TYPE, NAME, ...)                                                                         \
  case ::BE::DType::VALUE: {                                                                                           \
    using NAME = TYPE;                                                                                                 \
    __VA_ARGS__                                                                                                        \
    break;                                                                                                             \
  }
#define KERNIX_BE_TYPES_FLOATING(NAME, ...)                                                                            \
  KERNIX_BE_CASE(Float32, float, NAME, __VA_ARGS__)                                                                    \
  KERNIX_BE_CASE(Float64, double, NAME, __VA_ARGS__)
#define KERNIX_BE_TYPES_HALF(NAME, ...)                                                                                \
  KERNIX_BE_CASE(Float16, ::BE::float16_t, NAME, __VA_ARGS__)                                                          \
  KERNIX_BE_CASE(BFloat16, ::BE::bfloat16_t, NAME, __VA_ARGS__)
#define KERNIX_BE_TYPES_SIGNED_INDEX(NAME, ...)                                                                        \
  KERNIX_BE_CASE(Int32, int32_t, NAME, __VA_ARGS__)                                                                    \
  KERNIX_BE_CASE(Int64, int64_t, NAME, __VA_ARGS__)
#define KERNIX_BE_TYPES_INTEGRAL(NAME, ...)                                                                            \
  KERNIX_BE_CASE(Bool, bool, NAME, __VA_ARGS__)                                                                        \
  KERNIX_BE_CASE(Int8, int8_t, NAME, __VA_ARGS__)                                                                      \
  KERNIX_BE_CASE(Int16, int16_t, NAME, __VA_ARGS__)                                                                    \
  KERNIX_BE_TYPES_SIGNED_INDEX(NAME, __VA_ARGS__)                                                                      \
  KERNIX_BE_CASE(UInt8, uint8_t, NAME, __VA_ARGS__)                                                                    \
  KERNIX_BE_CASE(UInt16, uint16_t, NAME, __VA_ARGS__)                                                                  \
  KERNIX_BE_CASE(UInt32, uint32_t, NAME, __VA_ARGS__)                                                                  \
  KERNIX_BE_CASE(UInt64, uint64_t, NAME, __VA_ARGS__)
#define KERNIX_BE_TYPES_COMPLEX(NAME, ...)                                                                             \
  KERNIX_BE_CASE(Complex64, ::BE::complex64_t, NAME, __VA_ARGS__)                                                      \
  KERNIX_BE_CASE(Complex128, ::BE::complex128_t, NAME, __VA_ARGS__)
#define KERNIX_BE_SWITCH(MACRO, VALUE, ...)                                                                            \
  [&] {                                                                                                                \
    switch (const ::BE::DType be_dispatch_dtype = (VALUE); be_dispatch_dtype) {                                        \
      __VA_ARGS__                                                                                                      \
    default:                                                                                                           \
      BE_CHECK(false) << MACRO ": unsupported dtype " << be_dispatch_dtype;                                            \
    }                                                                                                                  \
  }()

/// float, double
#define BE_DISPATCH_FLOATING(DTYPE, NAME, ...)                                                                         \
  KERNIX_BE_SWITCH("BE_DISPATCH_FLOATING", DTYPE, KERNIX_BE_TYPES_FLOATING(NAME, __VA_ARGS__))
#define BE_DISPATCH_FLOATING_TYPES(DTYPE, NAME, ...)                                                                   \
  KERNIX_BE_SWITCH("BE_DISPATCH_FLOATING_TYPES", DTYPE, KERNIX_BE_TYPES_FLOATING(NAME, __VA_ARGS__))

/// These and, in CUDA sources, __half and __nv_bfloat16.
#if defined(__CUDACC__) || defined(__CUDA__)
#define BE_DISPATCH_FLOATING_AND_HALF(DTYPE, NAME, ...)                                                                \
  KERNIX_BE_SWITCH("BE_DISPATCH_FLOATING_AND_HALF", DTYPE,                                                             \
                   KERNIX_BE_TYPES_HALF(NAME, __VA_ARGS__) KERNIX_BE_TYPES_FLOATING(NAME, __VA_ARGS__))
#else
#define BE_DISPATCH_FLOATING_AND_HALF(DTYPE, NAME, ...)                                                                \
  KERNIX_BE_SWITCH("BE_DISPATCH_FLOATING_AND_HALF", DTYPE, KERNIX_BE_TYPES_FLOATING(NAME, __VA_ARGS__))
#endif

/// bool and the integers of 8 to 64 bits
#define BE_DISPATCH_INTEGRAL(DTYPE, NAME, ...)                                                                         \
  KERNIX_BE_SWITCH("BE_DISPATCH_INTEGRAL", DTYPE, KERNIX_BE_TYPES_INTEGRAL(NAME, __VA_ARGS__))

/// int32_t, int64_t
#define BE_DISPATCH_SIGNED_INDEX(DTYPE, NAME, ...)                                                                     \
  KERNIX_BE_SWITCH("BE_DISPATCH_SIGNED_INDEX", DTYPE, KERNIX_BE_TYPES_SIGNED_INDEX(NAME, __VA_ARGS__))
#define BE_DISPATCH_CSR_INDPTR(DTYPE, NAME, ...)                                                                       \
  KERNIX_BE_SWITCH("BE_DISPATCH_CSR_INDPTR", DTYPE, KERNIX_BE_TYPES_SIGNED_INDEX(NAME, __VA_ARGS__))

/// Two of them.
#define BE_DISPATCH_SIGNED_INDEX_PAIR(FIRST_DTYPE, SECOND_DTYPE, FIRST, SECOND, ...)                                   \
  BE_DISPATCH_SIGNED_INDEX(FIRST_DTYPE, FIRST, { BE_DISPATCH_SIGNED_INDEX(SECOND_DTYPE, SECOND, __VA_ARGS__); })

/// BE::complex64_t, BE::complex128_t
#define BE_DISPATCH_COMPLEX(DTYPE, NAME, ...)                                                                          \
  KERNIX_BE_SWITCH("BE_DISPATCH_COMPLEX", DTYPE, KERNIX_BE_TYPES_COMPLEX(NAME, __VA_ARGS__))

/// float, double, bool and the integers
#define BE_DISPATCH_ALL_TYPES(DTYPE, NAME, ...)                                                                        \
  KERNIX_BE_SWITCH("BE_DISPATCH_ALL_TYPES", DTYPE,                                                                     \
                   KERNIX_BE_TYPES_FLOATING(NAME, __VA_ARGS__) KERNIX_BE_TYPES_INTEGRAL(NAME, __VA_ARGS__))

/// Every dtype.
#define BE_DISPATCH_ALL(DTYPE, NAME, ...)                                                                              \
  KERNIX_BE_SWITCH("BE_DISPATCH_ALL", DTYPE,                                                                           \
                   KERNIX_BE_TYPES_HALF(NAME, __VA_ARGS__) KERNIX_BE_TYPES_FLOATING(NAME, __VA_ARGS__)                 \
                       KERNIX_BE_TYPES_INTEGRAL(NAME, __VA_ARGS__) KERNIX_BE_TYPES_COMPLEX(NAME, __VA_ARGS__))

#define BE_CHECK_CSR_INDICES_INT32(TENSOR)                                                                             \
  do {                                                                                                                 \
    BE_CHECK((TENSOR).dtype() == ::BE::DType::Int32) << "indices are int32, not " << (TENSOR).dtype();                 \
  } while (false)

#endif // BRAINEVENT_DISPATCH_H
