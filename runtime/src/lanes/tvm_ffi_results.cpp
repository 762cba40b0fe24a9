// runtime/src/lanes/tvm_ffi_results.cpp - allocates outputs through tvm-ffi and packs results.
//
// tvm-ffi has no complex numbers and no tuples: a complex number is an array of two floats, a struct the array of its
// fields, several results an array of results.

#include "lanes/tvm_ffi_results.h"

#include "core/half.h"
#include "core/parameter.h"

#include <cstring>
#include <vector>

namespace kernix::lanes::tvm_ffi {

namespace {

template <class T> T load(const void *data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

TVMFFIAny integer_of(int64_t integer) { return {type_int, 0, {integer}}; }
TVMFFIAny real_of(double real) {
  TVMFFIAny any = {type_float, 0, {0}};
  any.value.real = real;
  return any;
}
TVMFFIAny object_of(int32_t type_index, void *object) {
  TVMFFIAny any = {type_index, 0, {0}};
  any.value.pointer = object;
  return any;
}

int fail_pack(const kernix_function &function, const char *what) {
  return kernix_set_error(KERNIX_ERROR_RUNTIME, "%s: its result cannot be returned through tvm-ffi: %s",
                          function.signature, what);
}

/// Owned values on their way into an array.
class Values {
public:
  explicit Values(const kernix_function &function) : function_(function) {}
  ~Values() {
    for (const TVMFFIAny &any : values_)
      if (any.type_index >= type_first_object)
        api().release(any.value.pointer);
  }
  Values(const Values &) = delete;
  Values &operator=(const Values &) = delete;

  void push(const TVMFFIAny &any) { values_.push_back(any); }
  /// An array object of all values.
  int to_array(TVMFFIAny *result) {
    static void *const make_array = global_function("ffi.Array");
    *result = {};
    if (!make_array || api().call(make_array, values_.data(), static_cast<int32_t>(values_.size()), result) != 0)
      return fail_pack(function_, "tvm-ffi made no array");
    return KERNIX_OK;
  }

private:
  const kernix_function &function_;
  std::vector<TVMFFIAny> values_;
};

int unsigned_of(const kernix_function &function, uint64_t value, TVMFFIAny *result) {
  if (value <= INT64_MAX) {
    *result = integer_of(static_cast<int64_t>(value));
    return KERNIX_OK;
  }
  const uint64_t words[2] = {value, 0};
  const ByteArray bytes = {reinterpret_cast<const char *>(words), sizeof words};
  if (!api().big_int_from_words || api().big_int_from_words(&bytes, result) != 0)
    return fail_pack(function, "an integer above 2**63 - 1 needs tvm-ffi 0.1.14");
  return KERNIX_OK;
}

int scalar_of(const kernix_function &function, kernix_dtype dtype, const void *data, TVMFFIAny *result) {
  switch (dtype.code) {
  case KERNIX_BOOL:
    *result = {type_bool, 0, {load<bool>(data)}};
    return KERNIX_OK;
  case KERNIX_INT:
    *result = integer_of(dtype.bits == 8    ? load<int8_t>(data)
                         : dtype.bits == 16 ? load<int16_t>(data)
                         : dtype.bits == 32 ? load<int32_t>(data)
                                            : load<int64_t>(data));
    return KERNIX_OK;
  case KERNIX_UINT:
    return unsigned_of(function,
                       dtype.bits == 8    ? load<uint8_t>(data)
                       : dtype.bits == 16 ? load<uint16_t>(data)
                       : dtype.bits == 32 ? load<uint32_t>(data)
                                          : load<uint64_t>(data),
                       result);
  case KERNIX_FLOAT:
    *result = real_of(dtype.bits == 16   ? core::from_float16(load<uint16_t>(data))
                      : dtype.bits == 32 ? load<float>(data)
                                         : load<double>(data));
    return KERNIX_OK;
  case KERNIX_BFLOAT:
    *result = real_of(core::from_bfloat16(load<uint16_t>(data)));
    return KERNIX_OK;
  case KERNIX_COMPLEX: {
    const kernix_dtype part = {KERNIX_FLOAT, static_cast<uint8_t>(dtype.bits / 2), 1};
    Values parts(function);
    for (int i = 0; i < 2; ++i) {
      TVMFFIAny one;
      scalar_of(function, part, static_cast<const char *>(data) + i * (dtype.bits / 16), &one);
      parts.push(one);
    }
    return parts.to_array(result);
  }
  default:
    return fail_pack(function, "it has no dtype");
  }
}

int elements_of(const kernix_function &function, kernix_dtype dtype, const void *data, int64_t count,
                TVMFFIAny *result) {
  Values elements(function);
  for (int64_t i = 0; i < count; ++i) {
    TVMFFIAny one;
    if (int status = scalar_of(function, dtype, static_cast<const char *>(data) + i * (dtype.bits / 8), &one);
        status != KERNIX_OK)
      return status;
    elements.push(one);
  }
  return elements.to_array(result);
}

int struct_of(const kernix_function &function, const kernix_parameter &parameter, const void *data, TVMFFIAny *result) {
  Values fields(function);
  for (int32_t i = 0; i < parameter.num_fields; ++i) {
    const kernix_field &field = parameter.fields[i];
    for (int32_t k = 0; k < field.count; ++k) {
      TVMFFIAny one;
      if (int status = scalar_of(function, field.dtype,
                                 static_cast<const char *>(data) + field.offset + k * (field.dtype.bits / 8), &one);
          status != KERNIX_OK)
        return status;
      fields.push(one);
    }
  }
  return fields.to_array(result);
}

int string_of(const kernix_function &function, const kernix_parameter &parameter, const void *data, TVMFFIAny *result) {
  const bool is_c_string = parameter.passing == KERNIX_PASS_C_STRING;
  const char *const text = load<const char *>(static_cast<const char *>(data) + (is_c_string ? 0 : sizeof(size_t)));
  if (!text) {
    *result = {};
    return KERNIX_OK;
  }
  const ByteArray bytes = {text, is_c_string ? std::strlen(text) : load<size_t>(data)};
  return api().make_string(&bytes, result) == 0 ? KERNIX_OK : fail_pack(function, "tvm-ffi made no string");
}

/// A value that the call left in its result storage.
int stored_of(const kernix_function &function, const kernix_parameter &parameter, const void *data, TVMFFIAny *result) {
  if (parameter.passing == KERNIX_PASS_C_STRING || parameter.passing == KERNIX_PASS_STRING_VIEW)
    return string_of(function, parameter, data, result);
  if (parameter.array_length > 0) {
    int64_t scalars = parameter.array_length;
    for (int32_t d = 0; d < parameter.element_ndim; ++d)
      scalars *= parameter.element_shape[d];
    return elements_of(function, parameter.dtype, data, scalars, result);
  }
  return core::has_fields(parameter) ? struct_of(function, parameter, data, result)
                                     : scalar_of(function, parameter.dtype, data, result);
}

int output_of(const kernix_function &function, const kernix_output &output, AllocatedTensors &tensors,
              const TVMFFIAny *const *given, TVMFFIAny *result) {
  if (output.parameter < 0)
    return stored_of(function, function.result, output.data, result);
  if (output.data)
    return stored_of(function, function.parameters[output.parameter], output.data, result);
  if (void *object = tensors.take(output.parameter)) {
    *result = object_of(type_tensor, object);
    return KERNIX_OK;
  }
  // Given by the caller: the same object. A bare DLTensor pointer has no owner that could be returned.
  *result = {};
  const TVMFFIAny *argument = given[output.parameter];
  if (argument && argument->type_index == type_tensor) {
    api().retain(argument->value.pointer);
    *result = *argument;
  }
  return KERNIX_OK;
}

} // namespace

AllocatedTensors::AllocatedTensors(const kernix_function &function, void *stream)
    : function_(function), stream_(stream), tensors_(static_cast<size_t>(function.num_parameters)) {
  for (int32_t i = 0; i < function.num_parameters; ++i)
    tensors_[static_cast<size_t>(i)] = nullptr;
}

AllocatedTensors::~AllocatedTensors() {
  for (int32_t i = 0; i < function_.num_parameters; ++i)
    if (void *object = tensors_[static_cast<size_t>(i)])
      api().release(object);
  for (void *object : scratch_)
    api().release(object);
}

void *AllocatedTensors::take(int32_t parameter) {
  void *object = tensors_[static_cast<size_t>(parameter)];
  tensors_[static_cast<size_t>(parameter)] = nullptr;
  return object;
}

int AllocatedTensors::fill_with_zeros(const kernix_dltensor &tensor) const {
  size_t size = tensor.dtype.bits / 8;
  for (int32_t d = 0; d < tensor.ndim; ++d)
    size *= static_cast<size_t>(tensor.shape[d]);
  if (size == 0)
    return KERNIX_OK;
  char *data = static_cast<char *>(tensor.data) + tensor.byte_offset;
  if (tensor.device_type == KERNIX_CPU) {
    std::memset(data, 0, size);
    return KERNIX_OK;
  }
  if (!function_.cuda || !function_.cuda->memset_async || function_.cuda->memset_async(data, 0, size, stream_) != 0)
    return kernix_set_error(KERNIX_ERROR_RUNTIME, "%s: an output could not be set to zero", function_.signature);
  return KERNIX_OK;
}

int AllocatedTensors::allocate(void *context, int32_t parameter, kernix_dtype dtype, int32_t ndim, const int64_t *shape,
                               int32_t device_type, int32_t device_id, int zeroed, kernix_dltensor *tensor) {
  auto &self = *static_cast<AllocatedTensors *>(context);
  int64_t sizes[KERNIX_MAX_RANK];
  std::memcpy(sizes, shape, static_cast<size_t>(ndim) * sizeof(int64_t));
  kernix_dltensor prototype = {nullptr, device_type, device_id, ndim, dtype, sizes, nullptr, 0};
  void *object = nullptr;
  const bool is_done = api().allocate_tensor(&prototype, &object) == 0 && object;
  if (parameter < 0) { // scratch memory: the runtime has its own where this is none
    if (is_done) {
      self.scratch_.push_back(object);
      *tensor = *fields_of<kernix_dltensor>(object);
    }
    return KERNIX_OK;
  }
  if (!is_done)
    return kernix_set_error(KERNIX_ERROR_TYPE,
                            "%s: argument '%s' must be given: tvm-ffi allocates outputs only for calls with a torch "
                            "tensor among the arguments",
                            self.function_.signature, self.function_.parameters[parameter].name);
  self.tensors_[static_cast<size_t>(parameter)] = object;
  *tensor = *fields_of<kernix_dltensor>(object);
  return zeroed ? self.fill_with_zeros(*tensor) : KERNIX_OK;
}

int pack_results(const kernix_function &function, const kernix_output *outputs, int32_t num_outputs,
                 AllocatedTensors &tensors, const TVMFFIAny *const *given, TVMFFIAny *result) {
  *result = {};
  if (num_outputs == 0)
    return KERNIX_OK;
  if (num_outputs == 1)
    return output_of(function, outputs[0], tensors, given, result);
  Values values(function);
  for (int32_t i = 0; i < num_outputs; ++i) {
    TVMFFIAny one = {};
    if (int status = output_of(function, outputs[i], tensors, given, &one); status != KERNIX_OK)
      return status;
    values.push(one);
  }
  return values.to_array(result);
}

} // namespace kernix::lanes::tvm_ffi
