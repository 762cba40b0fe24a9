// runtime/src/core/scalar.cpp - conversion of one caller's value to one C++ scalar.

#include "core/scalar.h"

#include "core/half.h"
#include "core/text.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace kernix::core {

namespace {

template <class T> void store(void *object, T value) { std::memcpy(object, &value, sizeof value); }
template <class T> T load(const void *object) {
  T value;
  std::memcpy(&value, object, sizeof value);
  return value;
}

template <class T> Conversion store_integer(const kernix_value &value, void *object, Conversion good) {
  if (value.kind == KERNIX_VALUE_UINT) {
    if (value.as.unsigned_integer > static_cast<uint64_t>(std::numeric_limits<T>::max()))
      return Conversion::OutOfRange;
    store(object, static_cast<T>(value.as.unsigned_integer));
    return good;
  }
  T converted;
  if (__builtin_add_overflow(value.as.integer, int64_t{0}, &converted))
    return Conversion::OutOfRange;
  store(object, converted);
  return good;
}

Conversion convert_integer(const kernix_value &value, kernix_dtype dtype, void *object) {
  Conversion good = Conversion::Exact;
  switch (value.kind) {
  case KERNIX_VALUE_BOOL:
    good = Conversion::Promoted;
    break;
  case KERNIX_VALUE_INT:
  case KERNIX_VALUE_UINT:
    break;
  case KERNIX_VALUE_BIG_INT:
    return Conversion::OutOfRange;
  default:
    return Conversion::WrongKind;
  }
  const bool is_signed = dtype.code == KERNIX_INT;
  switch (dtype.bits) {
  case 8:
    return is_signed ? store_integer<int8_t>(value, object, good) : store_integer<uint8_t>(value, object, good);
  case 16:
    return is_signed ? store_integer<int16_t>(value, object, good) : store_integer<uint16_t>(value, object, good);
  case 32:
    return is_signed ? store_integer<int32_t>(value, object, good) : store_integer<uint32_t>(value, object, good);
  case 64:
    return is_signed ? store_integer<int64_t>(value, object, good) : store_integer<uint64_t>(value, object, good);
  default:
    return Conversion::WrongKind;
  }
}

Conversion convert_bool(const kernix_value &value, void *object) {
  switch (value.kind) {
  case KERNIX_VALUE_BOOL:
    store(object, value.as.integer != 0);
    return Conversion::Exact;
  case KERNIX_VALUE_INT:
    if (value.as.integer != 0 && value.as.integer != 1)
      return Conversion::OutOfRange;
    store(object, value.as.integer != 0);
    return Conversion::Promoted;
  case KERNIX_VALUE_UINT:
  case KERNIX_VALUE_BIG_INT:
    return Conversion::OutOfRange;
  default:
    return Conversion::WrongKind;
  }
}

/// A double that every format of at most 24 mantissa bits rounds like the integer itself: bits that a double could not
/// hold are far below those formats' last place and collapse into one sticky bit.
double integer_as_double(uint64_t magnitude) {
  constexpr uint64_t low_bits = 0x7ff;
  if (magnitude >> 53 && (magnitude & low_bits))
    magnitude = (magnitude & ~low_bits) | 0x800;
  return static_cast<double>(magnitude);
}

Conversion store_real(double value, kernix_dtype dtype, void *object, Conversion good) {
  if (dtype.bits == 64) {
    store(object, value);
    return good;
  }
  bool overflowed;
  if (dtype.bits == 32) {
    float rounded = static_cast<float>(value);
    store(object, rounded);
    overflowed = std::isinf(rounded);
  } else if (dtype.bits == 16) {
    const bool is_brain = dtype.code == KERNIX_BFLOAT;
    uint16_t rounded = is_brain ? to_bfloat16(value) : to_float16(value);
    store(object, rounded);
    overflowed = (rounded & 0x7fff) == (is_brain ? 0x7f80 : 0x7c00);
  } else {
    return Conversion::WrongKind;
  }
  return overflowed && !std::isinf(value) ? Conversion::OutOfRange : good;
}

Conversion convert_real(const kernix_value &value, kernix_dtype dtype, void *object) {
  switch (value.kind) {
  case KERNIX_VALUE_FLOAT:
    return store_real(value.as.real[0], dtype, object, Conversion::Exact);
  case KERNIX_VALUE_BOOL:
  case KERNIX_VALUE_INT: {
    const int64_t integer = value.as.integer;
    if (dtype.bits == 64) {
      store(object, static_cast<double>(integer));
      return Conversion::Promoted;
    }
    const uint64_t magnitude = integer < 0 ? 0 - static_cast<uint64_t>(integer) : static_cast<uint64_t>(integer);
    const double real = integer_as_double(magnitude);
    return store_real(integer < 0 ? -real : real, dtype, object, Conversion::Promoted);
  }
  case KERNIX_VALUE_UINT:
    if (dtype.bits == 64) {
      store(object, static_cast<double>(value.as.unsigned_integer));
      return Conversion::Promoted;
    }
    return store_real(integer_as_double(value.as.unsigned_integer), dtype, object, Conversion::Promoted);
  case KERNIX_VALUE_BIG_INT:
    // Zero, which no such integer is, where the caller could not tell.
    if (value.as.real[0] == 0 || std::isinf(value.as.real[0]))
      return Conversion::OutOfRange;
    return store_real(value.as.real[0], dtype, object, Conversion::Promoted);
  default:
    return Conversion::WrongKind;
  }
}

Conversion convert_complex(const kernix_value &value, kernix_dtype dtype, void *object) {
  const kernix_dtype part = {KERNIX_FLOAT, static_cast<uint8_t>(dtype.bits / 2), 1};
  const size_t part_size = dtype.bits / 16;
  char *imaginary = static_cast<char *>(object) + part_size;
  if (value.kind != KERNIX_VALUE_COMPLEX) {
    Conversion conversion = convert_real(value, part, object);
    std::memset(imaginary, 0, part_size);
    return conversion == Conversion::Exact ? Conversion::Promoted : conversion;
  }
  Conversion real = store_real(value.as.real[0], part, object, Conversion::Exact);
  return real == Conversion::Exact ? store_real(value.as.real[1], part, imaginary, Conversion::Exact) : real;
}

} // namespace

Conversion convert_scalar(const kernix_value &value, kernix_dtype dtype, void *object) {
  switch (dtype.code) {
  case KERNIX_INT:
  case KERNIX_UINT:
    return convert_integer(value, dtype, object);
  case KERNIX_BOOL:
    return convert_bool(value, object);
  case KERNIX_FLOAT:
  case KERNIX_BFLOAT:
    return convert_real(value, dtype, object);
  case KERNIX_COMPLEX:
    return convert_complex(value, dtype, object);
  default:
    return Conversion::WrongKind;
  }
}

Conversion convert_scalar(const kernix_value &value, const kernix_parameter &target, void *object) {
  const bool is_half =
      target.dtype.bits == 16 && (target.dtype.code == KERNIX_FLOAT || target.dtype.code == KERNIX_BFLOAT);
  if (is_half && value.kind == KERNIX_VALUE_INT && std::strcmp(target.type, "unsigned short") == 0)
    return store_integer<uint16_t>(value, object, Conversion::Exact);
  return convert_scalar(value, target.dtype, object);
}

kernix_value default_scalar(const kernix_parameter &target) {
  kernix_value value = {};
  switch (target.dtype.code) {
  case KERNIX_FLOAT:
  case KERNIX_BFLOAT:
    value.kind = KERNIX_VALUE_FLOAT;
    value.as.real[0] = target.default_real[0];
    break;
  case KERNIX_COMPLEX:
    value.kind = KERNIX_VALUE_COMPLEX;
    value.as.real[0] = target.default_real[0];
    value.as.real[1] = target.default_real[1];
    break;
  case KERNIX_UINT:
    value.kind = target.default_integer < 0 ? KERNIX_VALUE_UINT : KERNIX_VALUE_INT; // bits of a large uint64_t
    value.as.integer = target.default_integer;
    break;
  default:
    value.kind = target.dtype.code == KERNIX_BOOL ? KERNIX_VALUE_BOOL : KERNIX_VALUE_INT;
    value.as.integer = target.default_integer;
  }
  return value;
}

std::string expected_scalar_text(kernix_dtype dtype, Conversion outcome) {
  const std::string name = dtype_text(dtype);
  if (outcome == Conversion::OutOfRange) {
    switch (dtype.code) {
    case KERNIX_INT: {
      const int64_t highest = std::numeric_limits<int64_t>::max() >> (64 - dtype.bits);
      return name + " (" + std::to_string(-highest - 1) + " to " + std::to_string(highest) + ")";
    }
    case KERNIX_UINT:
      return name + " (0 to " + std::to_string(std::numeric_limits<uint64_t>::max() >> (64 - dtype.bits)) + ")";
    case KERNIX_BOOL:
      return "bool, 0 or 1";
    default:
      return "a number within the range of " + name;
    }
  }
  switch (dtype.code) {
  case KERNIX_INT:
  case KERNIX_UINT:
    return "an integer (" + name + ")";
  case KERNIX_BOOL:
    return "bool";
  case KERNIX_COMPLEX:
    return "a number (" + name + ")";
  default:
    return "a real number (" + name + ")";
  }
}

bool load_integer(kernix_dtype dtype, const void *object, int64_t *value) {
  if (dtype.code == KERNIX_BOOL) {
    *value = load<bool>(object);
    return true;
  }
  const bool is_signed = dtype.code == KERNIX_INT;
  switch (dtype.bits) {
  case 8:
    *value = is_signed ? load<int8_t>(object) : load<uint8_t>(object);
    return true;
  case 16:
    *value = is_signed ? load<int16_t>(object) : load<uint16_t>(object);
    return true;
  case 32:
    *value = is_signed ? load<int32_t>(object) : int64_t{load<uint32_t>(object)};
    return true;
  default:
    *value = load<int64_t>(object);
    return is_signed || *value >= 0;
  }
}

} // namespace kernix::core
