// runtime/src/core/text.cpp - words for messages: dtypes, shapes, devices, values.

#include "core/text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace kernix::core {

namespace {

/// A null character would end the message.
std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text) {
    char code[8] = {c};
    if (static_cast<unsigned char>(c) < ' ')
      std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned>(c));
    result += code;
  }
  return result;
}

} // namespace

std::string dtype_text(kernix_dtype dtype) {
  std::string text;
  switch (dtype.code) {
  case KERNIX_INT:
    text = "int";
    break;
  case KERNIX_UINT:
    text = "uint";
    break;
  case KERNIX_FLOAT:
    text = "float";
    break;
  case KERNIX_BFLOAT:
    text = "bfloat";
    break;
  case KERNIX_COMPLEX:
    text = "complex";
    break;
  case KERNIX_BOOL:
    return dtype.lanes > 1 ? "boolx" + std::to_string(dtype.lanes) : "bool";
  case KERNIX_NO_DTYPE:
    return "any dtype";
  default:
    text = "dtype code " + std::to_string(dtype.code) + " of bits ";
  }
  text += std::to_string(dtype.bits);
  if (dtype.lanes > 1)
    text += "x" + std::to_string(dtype.lanes);
  return text;
}

std::string tuple_text(const int64_t *values, int32_t size) {
  std::string text = "(";
  for (int32_t i = 0; i < size; ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + (size == 1 ? ",)" : ")");
}

std::string device_text(int32_t device_type, int32_t device_id) {
  switch (device_type) {
  case KERNIX_CPU:
    return "cpu";
  case KERNIX_CUDA:
    return "cuda:" + std::to_string(device_id);
  case KERNIX_CUDA_HOST:
    return "cpu (pinned)";
  case KERNIX_CUDA_MANAGED:
    return "cuda:" + std::to_string(device_id) + " (managed)";
  default:
    return "device type " + std::to_string(device_type) + ":" + std::to_string(device_id);
  }
}

std::string real_text(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[32];
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value)
      break;
  }
  std::string text = buffer;
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string value_text(const kernix_value &value) {
  switch (value.kind) {
  case KERNIX_VALUE_ABSENT:
    return "nothing";
  case KERNIX_VALUE_NONE:
    return "None";
  case KERNIX_VALUE_INT:
    return "int " + std::to_string(value.as.integer);
  case KERNIX_VALUE_UINT:
    return "int " + std::to_string(value.as.unsigned_integer);
  case KERNIX_VALUE_BIG_INT:
    return "an int of more than 64 bits";
  case KERNIX_VALUE_BOOL:
    return value.as.integer ? "bool True" : "bool False";
  case KERNIX_VALUE_FLOAT:
    return "float " + real_text(value.as.real[0]);
  case KERNIX_VALUE_COMPLEX:
    return "complex (" + real_text(value.as.real[0]) + ", " + real_text(value.as.real[1]) + ")";
  case KERNIX_VALUE_STRING: {
    constexpr size_t longest = 40;
    const std::string text = printable({value.as.string.data, std::min(value.as.string.size, longest)});
    return "str '" + text + (value.as.string.size > longest ? "...'" : "'");
  }
  case KERNIX_VALUE_TENSOR:
    return "a tensor of " + dtype_text(value.as.tensor->dtype);
  case KERNIX_VALUE_FIELDS:
    return "the fields of a struct";
  case KERNIX_VALUE_STREAM:
    return "a stream";
  default:
    return std::string("an object of type '") + (value.as.type_name ? value.as.type_name : "?") + "'";
  }
}

} // namespace kernix::core
