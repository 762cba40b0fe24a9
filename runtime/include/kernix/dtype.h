// kernix/dtype.h - element types at run time, and the C++ types they stand for.

#ifndef KERNIX_DTYPE_H
#define KERNIX_DTYPE_H

#include "kernix/abi.h"

struct __half;
struct __nv_bfloat16;

namespace kernix {

enum class DType : uint16_t { // (kernix_dtype_code << 8) | bits
  Int8 = 0x0008,
  Int16 = 0x0010,
  Int32 = 0x0020,
  Int64 = 0x0040,
  UInt8 = 0x0108,
  UInt16 = 0x0110,
  UInt32 = 0x0120,
  UInt64 = 0x0140,
  Float16 = 0x0210,
  Float32 = 0x0220,
  Float64 = 0x0240,
  BFloat16 = 0x0410,
  Complex64 = 0x0540,
  Complex128 = 0x0580,
  Bool = 0x0608,
  Invalid = 0xffff
};

constexpr DType to_dtype(kernix_dtype dtype) {
  const DType known[] = {DType::Int8,    DType::Int16,    DType::Int32,     DType::Int64,      DType::UInt8,
                         DType::UInt16,  DType::UInt32,   DType::UInt64,    DType::Float16,    DType::Float32,
                         DType::Float64, DType::BFloat16, DType::Complex64, DType::Complex128, DType::Bool};
  for (DType one : known)
    if (dtype.lanes == 1 && static_cast<unsigned>(one) == ((unsigned{dtype.code} << 8) | dtype.bits))
      return one;
  return DType::Invalid;
}

constexpr kernix_dtype from_dtype(DType dtype) {
  return {static_cast<uint8_t>(static_cast<unsigned>(dtype) >> 8), static_cast<uint8_t>(static_cast<unsigned>(dtype)),
          1};
}

/// Bytes of one element; 0 for Invalid.
constexpr size_t dtype_size(DType dtype) {
  return dtype == DType::Invalid ? 0 : (static_cast<unsigned>(dtype) & 0xff) / 8;
}

constexpr const char *dtype_name(DType dtype) {
  switch (dtype) {
  case DType::Int8:
    return "int8";
  case DType::Int16:
    return "int16";
  case DType::Int32:
    return "int32";
  case DType::Int64:
    return "int64";
  case DType::UInt8:
    return "uint8";
  case DType::UInt16:
    return "uint16";
  case DType::UInt32:
    return "uint32";
  case DType::UInt64:
    return "uint64";
  case DType::Float16:
    return "float16";
  case DType::Float32:
    return "float32";
  case DType::Float64:
    return "float64";
  case DType::BFloat16:
    return "bfloat16";
  case DType::Complex64:
    return "complex64";
  case DType::Complex128:
    return "complex128";
  case DType::Bool:
    return "bool";
  case DType::Invalid:
    break;
  }
  return "invalid";
}

namespace detail {

template <class... T> struct MakeVoid {
  using Type = void;
};
template <class T> T &instance_of();

template <uint8_t code, size_t size> struct ScalarElement {
  static constexpr kernix_dtype dtype = {code, static_cast<uint8_t>(8 * size), 1};
  static constexpr int64_t count = 1;
};

} // namespace detail

/// One element of a tensor of T: `count` adjacent scalars of `dtype`. Specialise it for structs of your own.
template <class T, class = void> struct Element;

template <> struct Element<bool> : detail::ScalarElement<KERNIX_BOOL, 1> {};
template <> struct Element<char> : detail::ScalarElement<KERNIX_INT, 1> {};
template <> struct Element<signed char> : detail::ScalarElement<KERNIX_INT, 1> {};
template <> struct Element<short> : detail::ScalarElement<KERNIX_INT, sizeof(short)> {};
template <> struct Element<int> : detail::ScalarElement<KERNIX_INT, sizeof(int)> {};
template <> struct Element<long> : detail::ScalarElement<KERNIX_INT, sizeof(long)> {};
template <> struct Element<long long> : detail::ScalarElement<KERNIX_INT, sizeof(long long)> {};
template <> struct Element<unsigned char> : detail::ScalarElement<KERNIX_UINT, 1> {};
template <> struct Element<unsigned short> : detail::ScalarElement<KERNIX_UINT, sizeof(short)> {};
template <> struct Element<unsigned> : detail::ScalarElement<KERNIX_UINT, sizeof(int)> {};
template <> struct Element<unsigned long> : detail::ScalarElement<KERNIX_UINT, sizeof(long)> {};
template <> struct Element<unsigned long long> : detail::ScalarElement<KERNIX_UINT, sizeof(long long)> {};
template <> struct Element<float> : detail::ScalarElement<KERNIX_FLOAT, 4> {};
template <> struct Element<double> : detail::ScalarElement<KERNIX_FLOAT, 8> {};
template <> struct Element<__half> : detail::ScalarElement<KERNIX_FLOAT, 2> {};
template <> struct Element<__nv_bfloat16> : detail::ScalarElement<KERNIX_BFLOAT, 2> {};
#if defined(__clang__)
template <> struct Element<_Float16> : detail::ScalarElement<KERNIX_FLOAT, 2> {};
template <> struct Element<__bf16> : detail::ScalarElement<KERNIX_BFLOAT, 2> {};
#endif

/// std::complex<float>, and what looks like it.
template <template <class> class C, class T>
struct Element<C<T>, typename detail::MakeVoid<decltype(detail::instance_of<C<T>>().real()),
                                               decltype(detail::instance_of<C<T>>().imag())>::Type> {
  static_assert(sizeof(C<T>) == 2 * sizeof(T), "kernix: not a complex number");
  static constexpr kernix_dtype dtype = {KERNIX_COMPLEX, static_cast<uint8_t>(8 * sizeof(C<T>)), 1};
  static constexpr int64_t count = 1;
};

/// float4 and other types whose first member is called x.
template <class T> struct Element<T, typename detail::MakeVoid<decltype(T::x)>::Type> {
  static constexpr kernix_dtype dtype = Element<decltype(T::x)>::dtype;
  static constexpr int64_t count = sizeof(T) / sizeof(T::x);
};

namespace detail {

template <class T> struct ElementWithoutConst : Element<T> {};
template <class T> struct ElementWithoutConst<const T> : Element<T> {};

} // namespace detail

/// Element<T> for T and const T.
template <class T> using ElementOf = detail::ElementWithoutConst<T>;

} // namespace kernix

#endif // KERNIX_DTYPE_H
