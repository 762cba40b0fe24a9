// test/runtime/core/record.h - hand-written records, values and a recording CUDA API, in place of compiled objects.

#ifndef KERNIX_TEST_RECORD_H
#define KERNIX_TEST_RECORD_H

#include "kernix/abi.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kernix::test {

inline constexpr kernix_dtype float32 = {KERNIX_FLOAT, 32, 1};
inline constexpr kernix_dtype float64 = {KERNIX_FLOAT, 64, 1};
inline constexpr kernix_dtype float16 = {KERNIX_FLOAT, 16, 1};
inline constexpr kernix_dtype bfloat16 = {KERNIX_BFLOAT, 16, 1};
inline constexpr kernix_dtype int8 = {KERNIX_INT, 8, 1};
inline constexpr kernix_dtype int32 = {KERNIX_INT, 32, 1};
inline constexpr kernix_dtype int64 = {KERNIX_INT, 64, 1};
inline constexpr kernix_dtype uint8 = {KERNIX_UINT, 8, 1};
inline constexpr kernix_dtype uint64 = {KERNIX_UINT, 64, 1};
inline constexpr kernix_dtype boolean = {KERNIX_BOOL, 8, 1};
inline constexpr kernix_dtype complex64 = {KERNIX_COMPLEX, 64, 1};
inline constexpr kernix_dtype no_dtype = {KERNIX_NO_DTYPE, 0, 0};

// ---- expressions ----

inline kernix_instruction constant(int64_t value) { return {KERNIX_OP_CONSTANT, 0, value}; }
inline kernix_instruction scalar(int32_t parameter) { return {KERNIX_OP_SCALAR, parameter, 0}; }
inline kernix_instruction size(int32_t parameter, int64_t axis) { return {KERNIX_OP_SIZE, parameter, axis}; }
inline kernix_instruction rank(int32_t parameter) { return {KERNIX_OP_RANK, parameter, 0}; }
inline kernix_instruction numel(int32_t parameter) { return {KERNIX_OP_NUMEL, parameter, 0}; }
inline kernix_instruction block(int64_t axis) { return {KERNIX_OP_BLOCK, 0, axis}; }
inline kernix_instruction op(kernix_opcode opcode) { return {opcode, 0, 0}; }

/// Lives as long as the test program, like the constants of an object.
inline kernix_expression expression(const char *text, std::vector<kernix_instruction> code) {
  static auto *const codes = new std::deque<std::vector<kernix_instruction>>;
  codes->push_back(std::move(code));
  return {codes->back().data(), static_cast<int32_t>(codes->back().size()), text};
}

inline kernix_shape shape(std::vector<kernix_expression> axes) {
  static auto *const shapes = new std::deque<std::vector<kernix_expression>>;
  shapes->push_back(std::move(axes));
  return {1, -1, static_cast<int32_t>(shapes->back().size()), shapes->back().data()};
}
inline kernix_shape shape_like(int32_t parameter) { return {1, parameter, 0, nullptr}; }

// ---- parameters ----

inline kernix_parameter parameter(const char *name, const char *type, kernix_passing passing, kernix_dtype dtype) {
  kernix_parameter p = {};
  p.name = name;
  p.type = type;
  p.passing = passing;
  p.dtype = dtype;
  p.rank = -1;
  p.shape.like = -1;
  p.shadow_of = p.shadow = p.primal_parameter = -1;
  p.element_alignment = p.alignment = p.size = dtype.code == KERNIX_NO_DTYPE ? 1 : dtype.bits / 8;
  return p;
}
inline kernix_parameter input(const char *name, kernix_dtype dtype = float32) {
  return parameter(name, "const float *", KERNIX_PASS_POINTER, dtype);
}
inline kernix_parameter output(const char *name, kernix_dtype dtype = float32) {
  kernix_parameter p = parameter(name, "float *", KERNIX_PASS_POINTER, dtype);
  p.role = KERNIX_RET;
  p.flags = KERNIX_WRITTEN;
  return p;
}
inline kernix_parameter view(const char *name, kernix_dtype dtype, int32_t rank) {
  kernix_parameter p = parameter(name, "kernix::TensorView<const float>", KERNIX_PASS_TENSOR_VIEW, dtype);
  p.rank = rank;
  return p;
}
inline kernix_parameter attribute(const char *name, kernix_dtype dtype) {
  kernix_parameter p = parameter(name, "int", KERNIX_PASS_SCALAR, dtype);
  p.role = KERNIX_ATTR;
  return p;
}

// ---- functions ----

/// What the last launch was asked to do; `on_launch` may read the arguments.
struct Launches {
  int count = 0;
  kernix_dim3 grid = {}, block = {};
  size_t shared_bytes = 0;
  void *stream = nullptr;
  int result = 0;
  int device = 0; ///< current device
  int device_at_launch = -1;
  int last_error = 0;
  int opt_in_limit = 100 * 1024;
  size_t static_shared_bytes = 1024;
  std::vector<int> opt_ins; ///< sizes asked for
  int symbol_reads = 0;
  int device_at_read = -1;
  int symbol_error = 0;
  int is_capturing = 0; ///< of every stream
  std::function<void(void **)> on_launch;
};
inline Launches launches;

inline const kernix_cuda_api &recording_cuda() {
  static const kernix_cuda_api api = {
      [](const void *, kernix_dim3 grid, kernix_dim3 block, void **args, size_t shared_bytes, void *stream) {
        ++launches.count;
        launches.grid = grid;
        launches.block = block;
        launches.shared_bytes = shared_bytes;
        launches.stream = stream;
        launches.device_at_launch = launches.device;
        if (launches.on_launch)
          launches.on_launch(args);
        return launches.result;
      },
      [](int *device) { return *device = launches.device, 0; },
      [](int device) { return launches.device = device, 0; },
      [](int *value, int attribute, int) { return *value = attribute == 97 ? launches.opt_in_limit : 2048, 0; },
      [](const void *, int, int value) { return launches.opt_ins.push_back(value), 0; },
      [](void *attributes, const void *) {
        const size_t sizes[3] = {launches.static_shared_bytes, 64, 16};
        const int numbers[5] = {512, 40, 90, 90, 1};
        std::memcpy(attributes, sizes, sizeof sizes);
        std::memcpy(static_cast<char *>(attributes) + sizeof sizes, numbers, sizeof numbers);
        return 0;
      },
      [] { return std::exchange(launches.last_error, 0); },
      [](void *) { return 0; },
      [](int *blocks, const void *, int, size_t) { return *blocks = 4, 0; },
      [](int) { return "too many resources requested"; },
      nullptr,
      [](void *to, const void *symbol, size_t size) {
        ++launches.symbol_reads;
        launches.device_at_read = launches.device;
        return std::memcpy(to, symbol, size), launches.symbol_error;
      },
      [](void *, int *status) { return *status = launches.is_capturing, 0; },
      [](void **data, size_t size, void *) { return *data = std::malloc(size), 0; },
      [](void *data, void *) { return std::free(data), 0; },
  };
  return api;
}

/// A kernel record on the CPU target. Keep it in place while `function` is used.
struct Record {
  kernix_function function = {};
  std::vector<kernix_parameter> parameters;
  kernix_launch launch = {};

  Record(const char *signature, std::vector<kernix_parameter> list, kernix_function_kind kind = KERNIX_KERNEL)
      : parameters(std::move(list)) {
    function.abi_version = KERNIX_ABI_VERSION;
    function.struct_size = sizeof(kernix_function);
    function.name = function.qualified_name = function.mangled_name = "f";
    function.signature = signature;
    function.doc = function.json = "";
    function.kind = kind;
    function.flags = kind == KERNIX_KERNEL ? KERNIX_USES_ONLY_X : 0;
    function.num_parameters = static_cast<int32_t>(parameters.size());
    function.parameters = parameters.data();
    function.launch = &launch;
    function.cuda = &recording_cuda();
    static auto *const stubs = new std::deque<char>;
    function.stub = &stubs->emplace_back(); // no other record's address: the runtime remembers kernels
    launches = {};                          // what another test left behind
  }
  Record(const Record &) = delete;
  Record &operator=(const Record &) = delete;
};

// ---- values ----

/// A tensor over memory of its own (aligned to 64 bytes), on the CPU unless told otherwise.
struct Array {
  std::vector<int64_t> shape, strides;
  std::vector<char> memory;
  kernix_dltensor tensor = {};

  explicit Array(std::vector<int64_t> sizes, kernix_dtype dtype = float32, std::vector<int64_t> steps = {})
      : shape(std::move(sizes)), strides(std::move(steps)) {
    size_t count = 1;
    for (int64_t one : shape)
      count *= static_cast<size_t>(one);
    memory.resize(count * dtype.bits / 8 + 128);
    tensor.data = count ? memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64) : nullptr;
    tensor.device_type = KERNIX_CPU;
    tensor.ndim = static_cast<int32_t>(shape.size());
    tensor.dtype = dtype;
    tensor.shape = shape.data();
    tensor.strides = strides.empty() ? nullptr : strides.data();
  }
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;

  Array &on(int32_t device_type, int32_t device_id) {
    tensor.device_type = device_type;
    tensor.device_id = device_id;
    return *this;
  }
  template <class T> T *data() { return static_cast<T *>(tensor.data); }
};

inline kernix_value make_value(int32_t kind) {
  kernix_value v = {};
  v.kind = kind;
  return v;
}
inline kernix_value absent() { return make_value(KERNIX_VALUE_ABSENT); }
inline kernix_value none() { return make_value(KERNIX_VALUE_NONE); }
inline kernix_value value(const Array &array) {
  kernix_value v = make_value(KERNIX_VALUE_TENSOR);
  v.as.tensor = &array.tensor;
  return v;
}
inline kernix_value read_only(const Array &array) {
  kernix_value v = value(array);
  v.flags = KERNIX_VALUE_READ_ONLY;
  return v;
}
inline kernix_value integer(int64_t i) {
  kernix_value v = make_value(KERNIX_VALUE_INT);
  v.as.integer = i;
  return v;
}
inline kernix_value unsigned_integer(uint64_t i) {
  kernix_value v = make_value(KERNIX_VALUE_UINT);
  v.as.unsigned_integer = i;
  return v;
}
inline kernix_value truth(bool b) {
  kernix_value v = make_value(KERNIX_VALUE_BOOL);
  v.as.integer = b;
  return v;
}
inline kernix_value real(double d) {
  kernix_value v = make_value(KERNIX_VALUE_FLOAT);
  v.as.real[0] = d;
  return v;
}
inline kernix_value complex(double re, double im) {
  kernix_value v = make_value(KERNIX_VALUE_COMPLEX);
  v.as.real[0] = re;
  v.as.real[1] = im;
  return v;
}
inline kernix_value string(const char *text, size_t size) {
  kernix_value v = make_value(KERNIX_VALUE_STRING);
  v.as.string = {text, size};
  return v;
}
inline kernix_value string(const char *text) { return string(text, std::strlen(text)); }
inline kernix_value fields(const std::vector<kernix_value> &leaves) {
  kernix_value v = make_value(KERNIX_VALUE_FIELDS);
  v.as.fields = leaves.data();
  return v;
}
inline kernix_value object(const char *type) {
  kernix_value v = make_value(KERNIX_VALUE_OTHER);
  v.as.type_name = type;
  return v;
}

/// Allocates outputs as an Array each, and remembers how it was asked.
struct Allocator {
  std::deque<Array> arrays;
  std::vector<int32_t> parameters;
  std::vector<int> zeroed;
  int32_t device_type = -1, device_id = -1;

  static int allocate(void *context, int32_t parameter, kernix_dtype dtype, int32_t ndim, const int64_t *shape,
                      int32_t device_type, int32_t device_id, int zeroed, kernix_dltensor *tensor) {
    auto &self = *static_cast<Allocator *>(context);
    self.arrays.emplace_back(std::vector<int64_t>(shape, shape + ndim), dtype).on(device_type, device_id);
    self.parameters.push_back(parameter);
    self.zeroed.push_back(zeroed);
    self.device_type = device_type;
    self.device_id = device_id;
    *tensor = self.arrays.back().tensor;
    return KERNIX_OK;
  }
};

/// Calls with what a Python caller would pass; keeps outputs and result storage.
struct Call {
  kernix_call_options options = {};
  Allocator allocator;
  alignas(64) char storage[512] = {};
  std::vector<kernix_output> outputs;

  Call() {
    options.allocate = &Allocator::allocate;
    options.allocate_context = &allocator;
    for (int axis = 0; axis < 3; ++axis)
      options.block[axis] = options.grid[axis] = 1;
  }
  Call &block(int64_t x, int64_t y = 1, int64_t z = 1) {
    options.has_block = 1;
    options.block[0] = x, options.block[1] = y, options.block[2] = z;
    return *this;
  }
  Call &grid(int64_t x, int64_t y = 1, int64_t z = 1) {
    options.has_grid = 1;
    options.grid[0] = x, options.grid[1] = y, options.grid[2] = z;
    return *this;
  }
  Call &shared_bytes(int64_t bytes) {
    options.has_shared_bytes = 1;
    options.shared_bytes = bytes;
    return *this;
  }
  int operator()(const Record &record, const std::vector<kernix_value> &values) {
    outputs.resize(record.parameters.size() + 1);
    int32_t count = 0;
    const int status = kernix_call(&record.function, values.data(), static_cast<int32_t>(values.size()), &options,
                                   storage, outputs.data(), &count);
    outputs.resize(static_cast<size_t>(count));
    return status;
  }
};

/// The error of a call that must fail: "<status>: <message>"; "ok" if it did not.
inline std::string error_of(int status) {
  static const char *const names[] = {"ok", "runtime", "type", "value", "memory", "key"};
  return status == KERNIX_OK ? names[0] : std::string(names[status]) + ": " + kernix_last_error();
}
inline std::string error_of(const Record &record, const std::vector<kernix_value> &values) {
  Call call;
  return error_of(call(record, values));
}

} // namespace kernix::test

#endif // KERNIX_TEST_RECORD_H
