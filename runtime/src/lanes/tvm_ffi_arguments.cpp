// runtime/src/lanes/tvm_ffi_arguments.cpp - packed arguments of tvm-ffi as kernix values.

#include "lanes/tvm_ffi_arguments.h"

#include "core/text.h"

#include <cstring>

namespace kernix::lanes::tvm_ffi {

namespace {

kernix_value value_of(int32_t kind) {
  kernix_value value = {};
  value.kind = kind;
  return value;
}

kernix_value object_of(const char *type_name) {
  kernix_value value = value_of(KERNIX_VALUE_OTHER);
  value.as.type_name = type_name;
  return value;
}

kernix_value string_of(const char *data, size_t size) {
  kernix_value value = value_of(KERNIX_VALUE_STRING);
  value.as.string = {data, size};
  return value;
}

kernix_value tensor_of(const kernix_dltensor *tensor) {
  kernix_value value = value_of(KERNIX_VALUE_TENSOR);
  value.as.tensor = tensor;
  return value;
}

/// Two words, the upper one zero: an unsigned 64-bit number. Anything else does not fit in 64 bits.
kernix_value big_int_of(const TVMFFIAny &arg) {
  if (!api().big_int_words)
    return value_of(KERNIX_VALUE_BIG_INT);
  const ByteArray bytes = api().big_int_words(&arg);
  uint64_t words[2];
  if (bytes.size != sizeof words)
    return value_of(KERNIX_VALUE_BIG_INT);
  std::memcpy(words, bytes.data, sizeof words);
  if (words[1] != 0)
    return value_of(KERNIX_VALUE_BIG_INT);
  kernix_value value = value_of(KERNIX_VALUE_UINT);
  value.as.unsigned_integer = words[0];
  return value;
}

/// Everything but arrays.
kernix_value plain_value(const TVMFFIAny &arg) {
  kernix_value value = {};
  switch (arg.type_index) {
  case type_none:
    return value_of(KERNIX_VALUE_ABSENT);
  case type_int:
  case type_bool:
    value.kind = arg.type_index == type_int ? KERNIX_VALUE_INT : KERNIX_VALUE_BOOL;
    value.as.integer = arg.value.integer;
    return value;
  case type_float:
    value.kind = KERNIX_VALUE_FLOAT;
    value.as.real[0] = arg.value.real;
    return value;
  case type_big_int:
    return big_int_of(arg);
  case type_dltensor_pointer:
    return tensor_of(static_cast<const kernix_dltensor *>(arg.value.pointer));
  case type_tensor:
    return tensor_of(fields_of<const kernix_dltensor>(arg.value.pointer));
  case type_raw_string:
    return string_of(arg.value.c_string, std::strlen(arg.value.c_string));
  case type_small_string:
    return string_of(arg.value.bytes, arg.small_size);
  case type_string: {
    const auto *text = fields_of<const ByteArray>(arg.value.pointer);
    return string_of(text->data, text->size);
  }
  case type_opaque_pointer:
    return object_of("pointer");
  case type_dtype:
    return object_of("dtype");
  case type_device:
    return object_of("device");
  case type_byte_array_pointer:
  case type_small_bytes:
  case type_bytes:
    return object_of("bytes");
  case type_function:
    return object_of("function");
  case type_shape:
    return object_of("shape");
  case type_array:
  case type_list:
    return object_of("list or tuple");
  case type_map:
    return object_of("dict");
  case type_python_object:
    return object_of("Python object that tvm-ffi has no type for");
  default:
    return object_of("tvm-ffi object");
  }
}

/// Size of an array, or -1. Through tvm-ffi's registry, since the layout of arrays is not ours to know.
int64_t array_size(const TVMFFIAny &array) {
  static void *const function = global_function("ffi.ArraySize");
  TVMFFIAny argument = array, result = {};
  if (!function || api().call(function, &argument, 1, &result) != 0)
    return -1;
  return result.value.integer;
}

/// The element, for numbers; other things come back as an object of no use, so that they are refused by name.
kernix_value array_item(const TVMFFIAny &array, int64_t index) {
  static void *const function = global_function("ffi.ArrayGetItem");
  TVMFFIAny arguments[2] = {array, {type_int, 0, {index}}}, result = {};
  if (!function || api().call(function, arguments, 2, &result) != 0)
    return object_of("tvm-ffi object");
  if (result.type_index < type_first_object)
    return plain_value(result);
  const kernix_value value = result.type_index == type_big_int ? big_int_of(result) : object_of("tvm-ffi object");
  api().release(result.value.pointer);
  return value;
}

int32_t count_leaves(const kernix_parameter &parameter) {
  int32_t count = 0;
  for (int32_t i = 0; i < parameter.num_fields; ++i)
    count += parameter.fields[i].count;
  return count;
}

/// A complex number as (real, imaginary): tvm-ffi has no complex type.
kernix_value complex_of(const TVMFFIAny &array) {
  kernix_value value = value_of(KERNIX_VALUE_COMPLEX);
  for (int i = 0; i < 2; ++i) {
    const kernix_value part = array_item(array, i);
    if (part.kind == KERNIX_VALUE_FLOAT)
      value.as.real[i] = part.as.real[0];
    else if (part.kind == KERNIX_VALUE_INT)
      value.as.real[i] = static_cast<double>(part.as.integer);
    else
      return object_of("list or tuple");
  }
  return value;
}

} // namespace

int to_value(const TVMFFIAny &arg, const kernix_parameter &parameter, core::Arena &arena, kernix_value *value) {
  if (arg.type_index != type_array) {
    *value = plain_value(arg);
    return KERNIX_OK;
  }
  const int64_t size = array_size(arg);
  const int32_t leaves = count_leaves(parameter);
  if (leaves > 0 && parameter.passing == KERNIX_PASS_STRUCT) {
    if (size != leaves)
      return kernix_set_error(KERNIX_ERROR_TYPE, "argument '%s': expected the %d fields of %s, got %lld",
                              parameter.name, leaves, parameter.type, static_cast<long long>(size));
    auto *fields = static_cast<kernix_value *>(
        arena.allocate(static_cast<size_t>(leaves) * sizeof(kernix_value), alignof(kernix_value)));
    for (int32_t i = 0; i < leaves; ++i)
      fields[i] = array_item(arg, i);
    *value = value_of(KERNIX_VALUE_FIELDS);
    value->as.fields = fields;
    return KERNIX_OK;
  }
  *value = parameter.dtype.code == KERNIX_COMPLEX && parameter.passing == KERNIX_PASS_SCALAR && size == 2
               ? complex_of(arg)
               : plain_value(arg);
  return KERNIX_OK;
}

int to_launch_size(const TVMFFIAny &arg, const kernix_function &function, const char *name, int32_t *is_given,
                   int64_t size[3]) {
  size[0] = size[1] = size[2] = 1;
  if (arg.type_index == type_none)
    return KERNIX_OK;
  *is_given = 1;
  const auto refuse = [&](const kernix_value &value) {
    return kernix_set_error(KERNIX_ERROR_TYPE, "%s: %s: expected an int or one to three ints, got %s",
                            function.signature, name, core::value_text(value).c_str());
  };
  if (arg.type_index == type_int) {
    size[0] = arg.value.integer;
    return KERNIX_OK;
  }
  if (arg.type_index != type_array)
    return refuse(plain_value(arg));
  const int64_t count = array_size(arg);
  if (count < 1 || count > 3)
    return kernix_set_error(KERNIX_ERROR_VALUE, "%s: %s: expected an int or one to three ints, got %lld",
                            function.signature, name, static_cast<long long>(count));
  for (int64_t axis = 0; axis < count; ++axis) {
    const kernix_value one = array_item(arg, axis);
    if (one.kind != KERNIX_VALUE_INT)
      return refuse(one);
    size[axis] = one.as.integer;
  }
  return KERNIX_OK;
}

} // namespace kernix::lanes::tvm_ffi
