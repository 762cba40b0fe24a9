// runtime/src/core/text.h - words for messages: dtypes, shapes, devices, values.
//
// Only failing calls come here; everything may allocate.

#ifndef KERNIX_CORE_TEXT_H
#define KERNIX_CORE_TEXT_H

#include "kernix/abi.h"

#include <string>

namespace kernix::core {

/// "float32", "bool"; "float32x4" where lanes are not 1.
std::string dtype_text(kernix_dtype dtype);
/// "(2, 3)", "(4,)", "()".
std::string tuple_text(const int64_t *values, int32_t size);
/// "cpu", "cuda:1".
std::string device_text(int32_t device_type, int32_t device_id);
/// What a caller passed: "int 3", "None", "a tensor of float32", "str 'abc'".
std::string value_text(const kernix_value &value);
/// A double as Python prints it, near enough: "3.0", "nan", "1e+300".
std::string real_text(double value);

} // namespace kernix::core

#endif // KERNIX_CORE_TEXT_H
