// kernix/call.h - calls operations of a compiled object from C++, without Python.
//
//   kernix::Module module("saxpy.cpu.so");
//   module["saxpy"](kernix::array(x, {n}), kernix::array(y, {n}), 2.0f);
//
// A thin layer over part 3 of kernix/abi.h: arguments are the visible parameters in order, trailing ones may be left
// out, kernix::absent leaves out one in between, and kernix::none says that there is none: of an optional parameter, or
// of a gradient that is not wanted. Errors are exceptions. Missing outputs are allocated on the CPU only.

#ifndef KERNIX_CALL_H
#define KERNIX_CALL_H

#include "kernix/abi.h"
#include "kernix/error.h"
#include "kernix/tensor.h"

#include <complex>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernix/hide_macros.h"

namespace kernix {

/// Leaves a parameter to its default, to its computed value, or to allocation.
struct Absent {};
inline constexpr Absent absent;

/// Python's None: a gradient that is not wanted, a value that the derivative does not read, an optional parameter.
struct Nothing {};
inline constexpr Nothing none;

/// A tensor argument over the caller's memory.
struct Array {
  Tensor tensor;
  bool is_read_only = false;
};

/// Row-major array of T on the CPU; a vector type adds its width as the last axis.
template <class T>
Array array(T *data, std::initializer_list<int64_t> sizes, int device_type = KERNIX_CPU, int device_id = 0) {
  std::vector<int64_t> shape(sizes);
  if (ElementOf<T>::count > 1)
    shape.push_back(ElementOf<T>::count);
  Tensor tensor(const_cast<std::remove_const_t<T> *>(data), to_dtype(ElementOf<T>::dtype), shape.data(),
                static_cast<int>(shape.size()));
  tensor.raw().device_type = device_type;
  tensor.raw().device_id = device_id;
  return {tensor, std::is_const_v<T>};
}

/// One argument. Borrows what it is made from, so it lives no longer than the call's expression.
class Value {
public:
  Value(Absent) {}
  Value(Nothing) { value_.kind = KERNIX_VALUE_NONE; }
  // A template, so that no pointer becomes a bool.
  template <class T, std::enable_if_t<std::is_same_v<T, bool>, char> = 0> Value(T value) {
    set(KERNIX_VALUE_BOOL).integer = value;
  }
  template <class T,
            std::enable_if_t<!std::is_same_v<T, bool> && (std::is_integral_v<T> || std::is_enum_v<T>), int> = 0>
  Value(T value) {
    const auto wide = static_cast<uint64_t>(value);
    if (std::is_unsigned_v<T> && wide > INT64_MAX)
      set(KERNIX_VALUE_UINT).unsigned_integer = wide;
    else
      set(KERNIX_VALUE_INT).integer = static_cast<int64_t>(wide);
  }
  Value(double value) { set(KERNIX_VALUE_FLOAT).real[0] = value; }
  Value(float value) : Value(static_cast<double>(value)) {}
  template <class T> Value(const std::complex<T> &value) {
    auto &as = set(KERNIX_VALUE_COMPLEX);
    as.real[0] = static_cast<double>(value.real());
    as.real[1] = static_cast<double>(value.imag());
  }
  Value(const char *text) { set(KERNIX_VALUE_STRING).string = {text, std::strlen(text)}; }
  Value(const std::string &text) { set(KERNIX_VALUE_STRING).string = {text.data(), text.size()}; }
  Value(const Tensor &tensor) {
    const kernix_tensor &raw = tensor.raw();
    tensor_ = {raw.data,
               raw.device_type,
               raw.device_id,
               raw.ndim,
               raw.dtype,
               const_cast<int64_t *>(raw.shape),
               const_cast<int64_t *>(raw.strides),
               0};
    value_.kind = KERNIX_VALUE_TENSOR;
  }
  Value(const Array &array) : Value(array.tensor) { value_.flags = array.is_read_only ? KERNIX_VALUE_READ_ONLY : 0; }

  /// The borrowed C value; valid as long as this object.
  kernix_value get() const {
    kernix_value value = value_;
    if (value.kind == KERNIX_VALUE_TENSOR)
      value.as.tensor = &tensor_;
    return value;
  }

private:
  auto set(int32_t kind) -> decltype(kernix_value::as) & {
    value_.kind = kind;
    return value_.as;
  }

  kernix_value value_ = {};
  kernix_dltensor tensor_ = {};
};

/// What a call gives back: the function's own result, then outputs in parameter order. Owns outputs that it allocated.
class Results {
public:
  int size() const { return static_cast<int>(outputs_.size()); }

  /// A scalar, struct or array element `index` of result `i`.
  template <class T> T get(int i = 0, int index = 0) const {
    const void *data = at(i).data;
    if (!data)
      throw KernelError("Results: result " + std::to_string(i) + " is a tensor", KERNIX_ERROR_TYPE);
    const kernix_parameter &type = parameter(i);
    if (static_cast<size_t>(type.size) < sizeof(T) * (static_cast<size_t>(index) + 1))
      throw KernelError("Results: result " + std::to_string(i) + " is of type " + type.type, KERNIX_ERROR_TYPE);
    T value;
    std::memcpy(&value, static_cast<const T *>(data) + index, sizeof value);
    return value;
  }

  /// A tensor, given or allocated.
  Tensor tensor(int i = 0) const {
    if (at(i).data)
      throw KernelError("Results: result " + std::to_string(i) + " is no tensor", KERNIX_ERROR_TYPE);
    return tensors_[static_cast<size_t>(at(i).parameter)];
  }

private:
  friend class Operation;

  const kernix_output &at(int i) const {
    if (i < 0 || i >= size())
      throw KernelError("Results: there are " + std::to_string(size()) + ", asked for " + std::to_string(i),
                        KERNIX_ERROR_VALUE);
    return outputs_[static_cast<size_t>(i)];
  }
  const kernix_parameter &parameter(int i) const {
    return at(i).parameter < 0 ? function_->result : function_->parameters[at(i).parameter];
  }
  static int allocate(void *context, int32_t index, kernix_dtype dtype, int32_t ndim, const int64_t *shape,
                      int32_t device_type, int32_t, int zeroed, kernix_dltensor *tensor) {
    auto &self = *static_cast<Results *>(context);
    if (index < 0) { // scratch memory: kernix has its own
      tensor->data = nullptr;
      return KERNIX_OK;
    }
    if (device_type != KERNIX_CPU)
      return kernix_set_error(KERNIX_ERROR_TYPE,
                              "%s: argument '%s' must be given: outputs are allocated on the CPU only",
                              self.function_->signature, self.function_->parameters[index].name);
    Tensor output(nullptr, to_dtype(dtype), shape, ndim);
    const size_t size = (output.nbytes() + 63) / 64 * 64;
    void *const data = std::aligned_alloc(64, size ? size : 64);
    if (!data)
      return kernix_set_error(KERNIX_ERROR_MEMORY, "%s: %zu bytes are not available", self.function_->signature, size);
    self.memory_.emplace_back(data, &std::free);
    if (zeroed)
      std::memset(data, 0, size);
    output.raw().data = data;
    Tensor &kept = self.tensors_[static_cast<size_t>(index)] = output;
    *tensor = {data, device_type, 0, ndim, dtype, kept.raw().shape, kept.raw().strides, 0};
    return KERNIX_OK;
  }

  const kernix_function *function_ = nullptr;
  std::vector<kernix_output> outputs_;
  std::vector<Tensor> tensors_; // one per parameter
  std::vector<std::shared_ptr<void>> memory_;
  std::unique_ptr<max_align_t[]> storage_;
};

/// Launch sizes of one call; zero: as the kernel declares.
struct Launch {
  int64_t block[3] = {0, 1, 1};
  int64_t grid[3] = {0, 1, 1};
  int64_t shared_bytes = -1;
  void *stream = nullptr;
};

/// An operation of a module; valid as long as the process.
class Operation {
public:
  explicit Operation(const kernix_operation *operation) : operation_(operation) {}

  const char *name() const { return operation_->name; }
  const kernix_operation &raw() const { return *operation_; }
  /// The same operation with launch sizes or a stream of the caller's.
  Operation with(const Launch &launch) const {
    Operation result = *this;
    result.launch_ = launch;
    return result;
  }

  template <class... Args> Results operator()(const Args &...args) const {
    const Value list[] = {Value(args)..., Value(absent)};
    return call(list, sizeof...(Args));
  }

private:
  Results call(const Value *list, size_t count) const {
    const kernix_function &first = *operation_->functions[0];
    std::vector<kernix_value> values(static_cast<size_t>(first.num_parameters), kernix_value{});
    size_t next = 0;
    for (int32_t i = 0; i < first.num_parameters && next < count; ++i)
      if (is_visible(first.parameters[i]))
        values[static_cast<size_t>(i)] = list[next++].get();
    if (next != count)
      throw KernelError(std::string(first.signature) + ": expected at most " + std::to_string(next) +
                            " arguments, got " + std::to_string(count),
                        KERNIX_ERROR_TYPE);
    Results results;
    check(kernix_select(operation_, values.data(), first.num_parameters, &results.function_));
    results.tensors_.resize(values.size());
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i].kind == KERNIX_VALUE_TENSOR)
        results.tensors_[i] = copy(*values[i].as.tensor);
    const kernix_function &function = *results.function_;
    results.storage_ = std::make_unique<max_align_t[]>(kernix_result_storage(&function) / sizeof(max_align_t) + 1);
    results.outputs_.resize(values.size() + 1);
    const kernix_call_options options = make_options(results);
    int32_t num_outputs = 0;
    check(kernix_call(&function, values.data(), first.num_parameters, &options, results.storage_.get(),
                      results.outputs_.data(), &num_outputs));
    results.outputs_.resize(static_cast<size_t>(num_outputs));
    return results;
  }

  static void check(int status) {
    if (status != KERNIX_OK)
      throw KernelError(kernix_last_error(), status);
  }
  static bool is_visible(const kernix_parameter &parameter) {
    return parameter.role != KERNIX_STREAM && parameter.intent != KERNIX_INTENT_OUT_RETURN &&
           parameter.intent != KERNIX_INTENT_OUT_ARRAY_RETURN;
  }
  static Tensor copy(const kernix_dltensor &given) {
    Tensor tensor(given.data, to_dtype(given.dtype), given.shape, given.ndim);
    std::memcpy(tensor.raw().strides, given.strides, static_cast<size_t>(given.ndim) * sizeof(int64_t));
    tensor.raw().device_type = given.device_type;
    tensor.raw().device_id = given.device_id;
    return tensor;
  }
  kernix_call_options make_options(Results &results) const {
    kernix_call_options options = {};
    options.has_block = launch_.block[0] != 0;
    options.has_grid = launch_.grid[0] != 0;
    options.has_shared_bytes = launch_.shared_bytes >= 0;
    options.has_stream = launch_.stream != nullptr;
    std::memcpy(options.block, launch_.block, sizeof options.block);
    std::memcpy(options.grid, launch_.grid, sizeof options.grid);
    options.shared_bytes = launch_.shared_bytes;
    options.stream = launch_.stream;
    options.allocate = &Results::allocate;
    options.allocate_context = &results;
    return options;
  }

  const kernix_operation *operation_;
  Launch launch_;
};

/// A compiled object. It stays loaded until the process ends: its operations do.
class Module {
public:
  explicit Module(const std::string &path) {
    void *const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      throw KernelError(std::string("cannot load ") + path + ": " + dlerror());
    const auto *info = static_cast<const kernix_module_info *>(dlsym(handle, "kernix_module_info"));
    if (!info)
      throw KernelError(path + " was not compiled with kernix", KERNIX_ERROR_VALUE);
    if (int status = kernix_module_operations(info, &operations_, &count_); status != KERNIX_OK)
      throw KernelError(path + ": " + kernix_last_error(), status);
  }
  /// For objects that are linked rather than loaded.
  explicit Module(const kernix_module_info &info) {
    if (int status = kernix_module_operations(&info, &operations_, &count_); status != KERNIX_OK)
      throw KernelError(kernix_last_error(), status);
  }

  Operation operator[](std::string_view name) const {
    std::string known;
    for (int32_t i = 0; i < count_; ++i) {
      if (operations_[i]->name == name)
        return Operation(operations_[i]);
      known += (i ? ", " : "") + std::string(operations_[i]->name);
    }
    throw KernelError("no operation '" + std::string(name) + "'; there are: " + known, KERNIX_ERROR_KEY);
  }
  int size() const { return count_; }

private:
  const kernix_operation *const *operations_ = nullptr;
  int32_t count_ = 0;
};

} // namespace kernix

#include "kernix/restore_macros.h"

#endif // KERNIX_CALL_H
