// runtime/src/lanes/xla_attributes.h - attributes of an XLA call as kernix values.

#ifndef KERNIX_LANES_XLA_ATTRIBUTES_H
#define KERNIX_LANES_XLA_ATTRIBUTES_H

#include "core/arena.h"
#include "kernix/abi.h"
#include "lanes/xla_abi.h"

#include <span>

namespace kernix::lanes::xla {

/// Attributes that are about the call and not parameters: their names begin with "kernix.", or they are launch sizes
/// as in Python. What is not given is empty.
struct CallAttributes {
  /// Indices of the parameters that the operands stand for, and of those that the results do. Not given: by role.
  std::span<const int64_t> operands, results;
  bool has_operands = false, has_results = false;
  /// Pairs of a size and of a mask of the operands that have an axis of that size in front, outermost first. Results
  /// have all of these axes. The function is called for each element of the batch.
  std::span<const int64_t> batch;
  int64_t variant = -1; ///< not given: by the dtypes of the tensors
};

/// Whether a parameter is an attribute of an XLA call.
bool is_attribute(const kernix_function &function, const kernix_parameter &parameter);

/// Fills the launch sizes of *options and *call.
int read_call_attributes(const kernix_function &function, const Attributes &attributes, core::Arena &arena,
                         kernix_call_options *options, CallAttributes *call);

/// Fills values[i] of parameters that are attributes. Types are exact: a float parameter takes a 32-bit float. 16-bit
/// floating point comes as its bits, a complex number as an array of two.
int read_parameters(const kernix_function &function, const Attributes &attributes, core::Arena &arena,
                    kernix_value *values);

/// The dtype of XLA's number; KERNIX_NO_DTYPE for what kernix has no type for.
kernix_dtype dtype_of(int32_t type);

} // namespace kernix::lanes::xla

#endif // KERNIX_LANES_XLA_ATTRIBUTES_H
