// test/runtime/lanes/xla_frame.h - calls of handlers with hand-written frames, in place of XLA's.

#ifndef KERNIX_TEST_XLA_FRAME_H
#define KERNIX_TEST_XLA_FRAME_H

#include "../core/record.h"
#include "kernix/xla.h"
#include "lanes/xla_abi.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace kernix::test {

namespace xla = lanes::xla;

/// Memory that handlers asked XLA for.
struct Scratch {
  int live = 0, most = 0, total = 0;
};
inline Scratch scratch;
inline std::string message; ///< of the last error

inline const xla::Api &recording_api() {
  static const xla::Api api = [] {
    xla::Api made = {};
    made.struct_size = sizeof made;
    made.make_error = [](xla::ErrorArguments *arguments) {
      message = arguments->message;
      return reinterpret_cast<XLA_FFI_Error *>(&message);
    };
    made.destroy_error = [](xla::DestroyArguments *) {};
    made.get_stream = [](xla::StreamArguments *) -> XLA_FFI_Error * { return nullptr; };
    made.get_device = [](xla::DeviceArguments *) -> XLA_FFI_Error * { return nullptr; };
    made.allocate = [](xla::AllocateArguments *arguments) -> XLA_FFI_Error * {
      ++scratch.total;
      scratch.most = std::max(scratch.most, ++scratch.live);
      arguments->data = std::aligned_alloc(64, 256);
      return nullptr;
    };
    made.free = [](xla::FreeArguments *arguments) -> XLA_FFI_Error * {
      --scratch.live;
      std::free(arguments->data);
      return nullptr;
    };
    return made;
  }();
  return api;
}

/// Operands, results and attributes (sorted by name) of one call.
struct Frame {
  std::deque<xla::Buffer> buffers;
  std::deque<std::vector<int64_t>> shapes;
  std::vector<xla::Buffer *> operands, results;
  std::deque<xla::Text> names;
  std::deque<xla::Array> arrays;
  std::deque<xla::Scalar> scalars;
  std::deque<std::vector<char>> bytes;
  std::vector<xla::Text *> name_pointers;
  std::vector<void *> values;
  std::vector<int32_t> types;

  xla::Buffer *add(void *data, std::vector<int64_t> shape, int32_t type = xla::type_f32) {
    shapes.push_back(std::move(shape));
    buffers.push_back(
        {sizeof(xla::Buffer), nullptr, type, data, static_cast<int64_t>(shapes.back().size()), shapes.back().data()});
    return &buffers.back();
  }
  void set(const char *name, const std::vector<int64_t> &value) { set(name, xla::type_s64, value); }
  template <class T> void set(const char *name, int32_t type, const std::vector<T> &value) {
    arrays.push_back({type, value.size(), keep(value.data(), value.size() * sizeof(T))});
    add_attribute(name, xla::attribute_array, &arrays.back());
  }
  template <class T> void set(const char *name, int32_t type, T value) {
    scalars.push_back({type, keep(&value, sizeof value)});
    add_attribute(name, xla::attribute_scalar, &scalars.back());
  }
  /// A call as XLA makes it. False after an error.
  template <class Handler> bool run(Handler handler) {
    XLA_FFI_CallFrame frame = {};
    frame.struct_size = sizeof frame;
    frame.api = &recording_api();
    frame.stage = xla::stage_execute;
    frame.operands = {sizeof frame.operands, nullptr, static_cast<int64_t>(operands.size()), nullptr, operands.data()};
    frame.results = {sizeof frame.results, nullptr, static_cast<int64_t>(results.size()), nullptr, results.data()};
    frame.attributes = {sizeof frame.attributes, nullptr,      static_cast<int64_t>(values.size()), types.data(),
                        name_pointers.data(),    values.data()};
    return handler(&frame) == nullptr;
  }

private:
  const void *keep(const void *data, size_t size) {
    const char *from = static_cast<const char *>(data);
    return bytes.emplace_back(from, from + size).data();
  }
  void add_attribute(const char *name, int32_t type, void *value) {
    names.push_back({name, std::strlen(name)});
    name_pointers.push_back(&names.back());
    values.push_back(value);
    types.push_back(type);
  }
};

/// One function as an operation of a module for the CPU.
struct Operation {
  std::vector<const kernix_function *> functions;
  kernix_module_info module = {};
  kernix_operation operation = {};
  kernix_operation_slot slot = {};

  explicit Operation(std::vector<const kernix_function *> list) : functions(std::move(list)) {
    operation = {"f", static_cast<int32_t>(functions.size()), functions.data(), &module};
    slot = {"f", &module, &operation};
  }
  Operation(const Operation &) = delete;
  Operation &operator=(const Operation &) = delete;

  /// The handler that an object has, which takes the long way.
  auto of_object() {
    return [this](XLA_FFI_CallFrame *frame) { return kernix_handle_xla_call(&slot, frame); };
  }
  /// The one that is registered under a name.
  kernix_handler_for_xla of_target(const char *name) {
    kernix_handler_for_xla handler = nullptr;
    int32_t is_replaced;
    kernix_target_for_xla(name, &operation, 0, &handler, &is_replaced);
    return handler;
  }
};

} // namespace kernix::test

#endif // KERNIX_TEST_XLA_FRAME_H
