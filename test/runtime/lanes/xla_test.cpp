// test/runtime/lanes/xla_test.cpp - handlers called with hand-written frames, in place of XLA's.
//
// Only what the real jaxlib cannot show: what is allocated and freed. Calls are tested by test/python/test_jax.py.

#include "../core/record.h"
#include "lanes/xla_abi.h"

#include <gtest/gtest.h>

namespace kernix::test {

namespace {

namespace xla = lanes::xla;

/// Memory that handlers asked XLA for.
struct Scratch {
  int live = 0, most = 0, total = 0;
};
Scratch scratch;
std::string message;

const xla::Api &recording_api() {
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

/// Operands, results and attributes (arrays of int64, sorted by name) of one call.
struct Frame {
  std::deque<xla::Buffer> buffers;
  std::deque<std::vector<int64_t>> shapes;
  std::vector<xla::Buffer *> operands, results;
  std::deque<xla::Text> names;
  std::deque<xla::Array> arrays;
  std::vector<xla::Text *> name_pointers;
  std::vector<void *> values;
  std::vector<int32_t> types;

  xla::Buffer *add(Array &array, std::vector<int64_t> shape) {
    shapes.push_back(std::move(shape));
    buffers.push_back({sizeof(xla::Buffer), nullptr, xla::type_f32, array.data<void>(),
                       static_cast<int64_t>(shapes.back().size()), shapes.back().data()});
    return &buffers.back();
  }
  void set(const char *name, const std::vector<int64_t> &value) {
    name_pointers.push_back(&names.emplace_back(name, std::strlen(name)));
    values.push_back(&arrays.emplace_back(xla::type_s64, value.size(), value.data()));
    types.push_back(xla::attribute_array);
  }
  bool run(const Record &record) {
    const kernix_function *functions[] = {&record.function};
    const kernix_operation operation = {"f", 1, functions, nullptr};
    kernix_operation_slot slot = {"f", nullptr, &operation};
    XLA_FFI_CallFrame frame = {};
    frame.struct_size = sizeof frame;
    frame.api = &recording_api();
    frame.stage = xla::stage_execute;
    frame.operands = {sizeof frame.operands, nullptr, static_cast<int64_t>(operands.size()), nullptr, operands.data()};
    frame.results = {sizeof frame.results, nullptr, static_cast<int64_t>(results.size()), nullptr, results.data()};
    frame.attributes = {sizeof frame.attributes, nullptr,      static_cast<int64_t>(values.size()), types.data(),
                        name_pointers.data(),    values.data()};
    return kernix_handle_xla_call(&slot, &frame) == nullptr;
  }
};

TEST(Xla, ScratchMemoryIsReleasedByEachElementOfABatch) {
  kernix_parameter y = output("y"), z = output("z");
  y.shape = z.shape = shape_like(0);
  Record record("f(const float *x, float *y, float *z)", {input("x"), y, z});
  record.function.flags |= KERNIX_FOR_CUDA;
  scratch = {};
  Array x({5, 3}), first({5, 3});
  Frame frame;
  frame.operands = {frame.add(x, {5, 3})};
  frame.results = {frame.add(first, {5, 3})};
  const std::vector<int64_t> batch = {5, 1}, operand = {0}, result = {1};
  frame.set("kernix.batch", batch);
  frame.set("kernix.operands", operand);
  frame.set("kernix.results", result); // of z nothing is wanted
  EXPECT_TRUE(frame.run(record)) << message;
  EXPECT_EQ(launches.count, 5);
  EXPECT_EQ(scratch.total, 5);
  EXPECT_EQ(scratch.most, 1);
  EXPECT_EQ(scratch.live, 0);
}

} // namespace

} // namespace kernix::test
