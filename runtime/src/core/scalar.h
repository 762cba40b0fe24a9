// runtime/src/core/scalar.h - conversion of one caller's value to one C++ scalar.
//
// Accepted, by the parameter's type:
//   integers        int in range, bool (as 0 or 1). A float is refused, also an integral one, as Python's index() does.
//   floating point  float, int, bool; rounded once, to nearest even. A finite value that would become infinite is
//   refused
//                   (NumPy warns there; a call has no place for a warning); inf and nan pass.
//   complex         complex and everything a floating-point parameter takes.
//   bool            bool, and the ints 0 and 1.

#ifndef KERNIX_CORE_SCALAR_H
#define KERNIX_CORE_SCALAR_H

#include "kernix/abi.h"

#include <string>

namespace kernix::core {

enum class Conversion {
  Exact,     ///< the value's kind is the parameter's own: int for an integer, float for floating point
  Promoted,  ///< accepted from another kind: int for floating point, bool for an integer
  WrongKind, ///< a TypeError
  OutOfRange ///< a ValueError
};

inline bool is_accepted(Conversion conversion) { return conversion <= Conversion::Promoted; }

/// Writes the `dtype.bits` wide scalar to `object` when it is accepted.
Conversion convert_scalar(const kernix_value &value, kernix_dtype dtype, void *object);

/// As above, for a parameter. One that is a 16-bit float by its arg_spec and a uint16_t in C++ takes the bits as an
/// integer too.
Conversion convert_scalar(const kernix_value &value, const kernix_parameter &target, void *object);

/// The default of a parameter that has one and is a scalar.
kernix_value default_scalar(const kernix_parameter &target);

/// What a parameter of `dtype` expects, for a message about `outcome`: "int32 (-2147483648 to 2147483647)".
std::string expected_scalar_text(kernix_dtype dtype, Conversion outcome);

/// Reads an integer or bool scalar back. False: it exceeds int64_t.
bool load_integer(kernix_dtype dtype, const void *object, int64_t *value);

} // namespace kernix::core

#endif // KERNIX_CORE_SCALAR_H
