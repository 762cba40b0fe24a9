// test/runtime/core/call_test.cpp - whole calls: outputs, packing, views, host functions, exceptions.

#include "kernix/error.h"
#include "record.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace kernix::test {

namespace {

kernix_parameter shaped(kernix_parameter p, kernix_shape shape) { return p.shape = shape, p; }
kernix_parameter with_intent(kernix_parameter p, kernix_intent intent) { return p.intent = intent, p; }

TEST(Call, RefusesAnotherAbi) {
  Record record("f()", {});
  record.function.abi_version = 99;
  EXPECT_EQ(error_of(record, {}), std::string("runtime: f was compiled for kernix ABI 99, this runtime has ABI ") +
                                      std::to_string(KERNIX_ABI_VERSION) + ": compile it again");
}

TEST(Call, PointersContainTheByteOffset) {
  Record record("f(const float *x, float *y)", {input("x"), output("y")});
  Array x({4}), y({4});
  x.tensor.byte_offset = 8;
  void *seen = nullptr;
  launches.on_launch = [&](void **args) { seen = *static_cast<void **>(args[0]); };
  EXPECT_EQ(error_of(record, {value(x), value(y)}), "ok");
  EXPECT_EQ(seen, x.data<char>() + 8);
}

TEST(Call, ViewsCarryShapeAndStrides) {
  Record record("f(kernix::TensorView<const float> x, float *y)", {view("x", float32, 2), output("y")});
  kernix_tensor_view seen = {};
  launches.on_launch = [&](void **args) { seen = *static_cast<kernix_tensor_view *>(args[0]); };
  Array x({2, 3}, float32, {-3, 1}), y({1});
  EXPECT_EQ(error_of(record, {value(x), value(y)}), "ok");
  EXPECT_EQ(seen.data, x.tensor.data);
  EXPECT_EQ(seen.ndim, 2);
  EXPECT_EQ(std::vector(seen.shape, seen.shape + 3), (std::vector<int64_t>{2, 3, 0}));
  EXPECT_EQ(std::vector(seen.strides, seen.strides + 3), (std::vector<int64_t>{-3, 1, 0}));
  Array plain({2, 3});
  EXPECT_EQ(error_of(record, {value(plain), value(y)}), "ok");
  EXPECT_EQ(std::vector(seen.strides, seen.strides + 2), (std::vector<int64_t>{3, 1}));
}

TEST(Call, StridesOfViewsCountElements) {
  kernix_parameter x = view("x", float32, 1);
  x.element_ndim = 1;
  x.element_shape[0] = 4;
  Record record("f(kernix::TensorView<const float4> x, float *y)", {x, output("y")});
  kernix_tensor_view seen = {};
  launches.on_launch = [&](void **args) { seen = *static_cast<kernix_tensor_view *>(args[0]); };
  Array y({1});
  EXPECT_EQ(error_of(record, {value(Array({5, 4}, float32, {8, 1})), value(y)}), "ok");
  EXPECT_EQ(seen.ndim, 1);
  EXPECT_EQ(seen.shape[0], 5);
  EXPECT_EQ(seen.strides[0], 2);
  EXPECT_EQ(error_of(record, {value(Array({5, 4})), value(y)}), "ok");
  EXPECT_EQ(seen.strides[0], 1);
}

TEST(Call, AbsentOptionalViewsAreEmpty) {
  kernix_parameter x = view("x", float32, 2), any = parameter("t", "kernix::Tensor", KERNIX_PASS_TENSOR, no_dtype);
  x.flags = any.flags = KERNIX_OPTIONAL;
  Record record("f(...)", {x, any, output("y")});
  launches.on_launch = [&](void **args) {
    const auto &view = *static_cast<kernix_tensor_view *>(args[0]);
    EXPECT_EQ(view.data, nullptr);
    EXPECT_EQ(view.ndim, 2);
    EXPECT_EQ(view.shape[0], 0);
    const auto &tensor = *static_cast<kernix_tensor *>(args[1]);
    EXPECT_EQ(tensor.data, nullptr);
    EXPECT_EQ(tensor.ndim, 1);
    EXPECT_EQ(tensor.shape[0], 0);
  };
  EXPECT_EQ(error_of(record, {absent(), none(), value(Array({1}))}), "ok");
  EXPECT_EQ(launches.count, 1);
}

TEST(Call, UntypedTensors) {
  Record record("f(kernix::Tensor t, float *y)",
                {parameter("t", "kernix::Tensor", KERNIX_PASS_TENSOR, no_dtype), output("y")});
  kernix_tensor seen = {};
  launches.on_launch = [&](void **args) { seen = *static_cast<kernix_tensor *>(args[0]); };
  Array t({2, 3}, int8, {1, 2});
  EXPECT_EQ(error_of(record, {value(t), value(Array({1}))}), "ok");
  EXPECT_EQ(seen.data, t.tensor.data);
  EXPECT_EQ(seen.dtype.code, KERNIX_INT);
  EXPECT_EQ(seen.dtype.bits, 8);
  EXPECT_EQ(std::vector(seen.strides, seen.strides + 2), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(seen.device_type, KERNIX_CPU);
}

TEST(Call, OutputsWithShapeAreAllocatedOrTakenAndReturnedEitherWay) {
  Record record("f(const float *x, float *y)", {input("x"), shaped(output("y"), shape_like(0))});
  Array x({3}), y({3});
  Call call;
  EXPECT_EQ(error_of(call(record, {value(x), absent()})), "ok");
  EXPECT_EQ(call.allocator.parameters, std::vector{1});
  EXPECT_EQ(call.allocator.zeroed, std::vector{0});
  ASSERT_EQ(call.outputs.size(), 1u);
  EXPECT_EQ(call.outputs[0].parameter, 1);
  EXPECT_EQ(call.outputs[0].data, nullptr);
  EXPECT_EQ(error_of(call(record, {value(x), value(y)})), "ok");
  EXPECT_EQ(call.allocator.parameters.size(), 1u);
  EXPECT_EQ(call.outputs.size(), 1u);
  EXPECT_EQ(error_of(call(record, {value(x), none()})), "ok"); // NumPy's out=None
  EXPECT_EQ(call.allocator.parameters.size(), 2u);
}

TEST(Call, OutputsWithoutShapeAreNotReturned) {
  Record record("f(const float *x, float *y)", {input("x"), output("y")});
  Call call;
  Array x({3}), y({3});
  EXPECT_EQ(error_of(call(record, {value(x), value(y)})), "ok");
  EXPECT_TRUE(call.outputs.empty());
}

TEST(Call, OutPtrIsRequiredAndNotReturned) {
  Record record("f(const float *x, float *y)",
                {input("x"), with_intent(shaped(output("y"), shape_like(0)), KERNIX_INTENT_OUT_PTR)});
  Call call;
  Array x({3}), y({3});
  EXPECT_EQ(error_of(call(record, {value(x), absent()})), "type: f(const float *x, float *y): argument 'y' is missing");
  EXPECT_EQ(error_of(call(record, {value(x), value(y)})), "ok");
  EXPECT_TRUE(call.outputs.empty());
}

TEST(Call, NothingIsAllocatedWhenACheckFails) {
  Record record("f(const float *x, float *y, int n)",
                {input("x"), shaped(output("y"), shape_like(0)), attribute("n", int32)});
  Call call;
  Array x({3});
  EXPECT_NE(call(record, {value(x), absent(), real(1)}), KERNIX_OK);
  call.block(4096);
  EXPECT_NE(call(record, {value(x), absent(), integer(1)}), KERNIX_OK);
  EXPECT_TRUE(call.allocator.parameters.empty());
}

TEST(Call, WithoutAllocatorOutputsMustBeGiven) {
  Record record("f(const float *x, float *y)", {input("x"), shaped(output("y"), shape_like(0))});
  Call call;
  call.options.allocate = nullptr;
  EXPECT_EQ(error_of(call(record, {value(Array({3})), absent()})),
            "type: f(const float *x, float *y): argument 'y' must be given: this caller cannot allocate outputs");
}

TEST(Call, ErrorsOfTheAllocatorPass) {
  Record record("f(const float *x, float *y)", {input("x"), shaped(output("y"), shape_like(0))});
  Call call;
  call.options.allocate = [](void *, int32_t, kernix_dtype, int32_t, const int64_t *, int32_t, int32_t, int,
                             kernix_dltensor *) { return kernix_set_error(KERNIX_ERROR_MEMORY, "no memory"); };
  EXPECT_EQ(error_of(call(record, {value(Array({3})), absent()})), "memory: no memory");
}

TEST(Call, OutputsAreAllocatedOnTheInputsDevice) {
  Record record("f(const float *x, float *y)", {input("x"), shaped(output("y"), shape_like(0))});
  record.function.flags |= KERNIX_FOR_CUDA;
  Call call;
  EXPECT_EQ(error_of(call(record, {value(Array({3}).on(KERNIX_CUDA_MANAGED, 2)), absent()})), "ok");
  EXPECT_EQ(call.allocator.device_type, KERNIX_CUDA);
  EXPECT_EQ(call.allocator.device_id, 2);
}

TEST(Call, AllocatorsThatSelectAnotherDevice) {
  Record record("f(const float *x, float *y)", {input("x"), shaped(output("y"), shape_like(0))});
  record.function.flags |= KERNIX_FOR_CUDA;
  for (const int current : {0, 2}) {
    Call call;
    call.options.allocate = [](void *context, int32_t parameter, kernix_dtype dtype, int32_t ndim, const int64_t *shape,
                               int32_t device_type, int32_t device_id, int zeroed, kernix_dltensor *tensor) {
      launches.device = 0; // as torch does, if it has not noticed that another one was selected
      return Allocator::allocate(context, parameter, dtype, ndim, shape, device_type, device_id, zeroed, tensor);
    };
    launches.device = current;
    launches.device_at_launch = -1;
    EXPECT_EQ(error_of(call(record, {value(Array({3}).on(KERNIX_CUDA, 2)), absent()})), "ok");
    EXPECT_EQ(launches.device_at_launch, 2);
    EXPECT_EQ(launches.device, 0);
  }
}

TEST(Call, WithoutInputsOutputsAreOnTheCurrentDevice) {
  Record record("f(float *y, int n)",
                {shaped(output("y"), shape({expression("n", {scalar(1)})})), attribute("n", int32)});
  record.function.flags |= KERNIX_FOR_CUDA;
  launches.device = 3;
  Call call;
  EXPECT_EQ(error_of(call(record, {absent(), integer(5)})), "ok");
  EXPECT_EQ(call.allocator.device_id, 3);
}

TEST(Call, KernelReferencesAndArraysAreAllocatedTensors) {
  kernix_parameter total = parameter("total", "float &", KERNIX_PASS_REFERENCE, float32),
                   histogram = parameter("h", "int *", KERNIX_PASS_ARRAY, int32);
  total.intent = KERNIX_INTENT_OUT_RETURN;
  total.flags = KERNIX_WRITTEN | KERNIX_ZERO_INIT;
  histogram.intent = KERNIX_INTENT_OUT_ARRAY_RETURN;
  histogram.flags = KERNIX_WRITTEN;
  histogram.array_length = 16;
  Record record("f(const float *x, float &total, int *h)", {input("x"), total, histogram});
  std::vector<void *> seen;
  launches.on_launch = [&](void **args) { seen = {*static_cast<void **>(args[1]), *static_cast<void **>(args[2])}; };
  Call call;
  EXPECT_EQ(error_of(call(record, {value(Array({3})), absent(), absent()})), "ok");
  ASSERT_EQ(call.allocator.arrays.size(), 2u);
  EXPECT_EQ(call.allocator.arrays[0].shape, std::vector<int64_t>{});
  EXPECT_EQ(call.allocator.arrays[1].shape, std::vector<int64_t>{16});
  EXPECT_EQ(call.allocator.zeroed, (std::vector{1, 0}));
  EXPECT_EQ(seen, (std::vector<void *>{call.allocator.arrays[0].tensor.data, call.allocator.arrays[1].tensor.data}));
  EXPECT_EQ(call.outputs.size(), 2u);
}

struct alignas(32) Wide {
  double value;
};

TEST(Call, HostResultsArePackedInOrder) {
  kernix_parameter a = parameter("a", "float &", KERNIX_PASS_REFERENCE, float32),
                   w = parameter("w", "Wide &", KERNIX_PASS_REFERENCE, float64),
                   n = parameter("n", "int (&)[3]", KERNIX_PASS_ARRAY, int32);
  a.intent = w.intent = KERNIX_INTENT_OUT_RETURN;
  n.intent = KERNIX_INTENT_OUT_ARRAY_RETURN;
  n.array_length = 3;
  n.size = 12;
  w.size = sizeof(Wide);
  w.alignment = alignof(Wide);
  Record record("char f(float &a, Wide &w, int (&n)[3])", {a, w, n}, KERNIX_HOST_FUNCTION);
  record.function.result = parameter("", "char", KERNIX_PASS_SCALAR, int8);
  record.function.thunk = [](void *const *args, void *result) {
    *static_cast<char *>(result) = 'r';
    *static_cast<float *>(args[0]) = 1.5f;
    static_cast<Wide *>(args[1])->value = 2.5;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(args[1]) % 32, 0u);
    for (int i = 0; i < 3; ++i)
      (*static_cast<int **>(args[2]))[i] = i;
  };
  const size_t needed = kernix_result_storage(&record.function);
  EXPECT_GE(needed, 1 + 4 + 32 + 12u);
  Call call;
  ASSERT_LE(needed, sizeof call.storage);
  EXPECT_EQ(error_of(call(record, {absent(), absent(), absent()})), "ok");
  ASSERT_EQ(call.outputs.size(), 4u);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(call.outputs[static_cast<size_t>(i)].parameter, i - 1);
  EXPECT_EQ(*static_cast<const char *>(call.outputs[0].data), 'r');
  EXPECT_EQ(*static_cast<const float *>(call.outputs[1].data), 1.5f);
  EXPECT_EQ(static_cast<const Wide *>(call.outputs[2].data)->value, 2.5);
  EXPECT_EQ(static_cast<const int *>(call.outputs[3].data)[2], 2);
  EXPECT_LE(static_cast<const char *>(call.outputs[3].data) + 12, call.storage + needed);
  EXPECT_EQ(error_of(record, {real(1), absent(), absent()}),
            "type: char f(float &a, Wide &w, int (&n)[3]): argument 'a' is a result of the call and cannot be given");
}

TEST(Call, ArraysByPointerReceiveAPointer) {
  kernix_parameter n = parameter("n", "int *", KERNIX_PASS_ARRAY, int32);
  n.intent = KERNIX_INTENT_OUT_ARRAY_RETURN;
  n.array_length = 3;
  n.size = 12;
  Record record("void f(int *n)", {n}, KERNIX_HOST_FUNCTION);
  record.function.thunk = [](void *const *args, void *) { (*static_cast<int **>(args[0]))[2] = 5; };
  Call call;
  EXPECT_EQ(error_of(call(record, {absent()})), "ok");
  ASSERT_EQ(call.outputs.size(), 1u);
  EXPECT_EQ(static_cast<const int *>(call.outputs[0].data)[2], 5);
}

std::string thrown(kernix_thunk thunk) {
  Record record("f()", {}, KERNIX_HOST_FUNCTION);
  record.function.thunk = thunk;
  return error_of(record, {});
}

TEST(Call, ExceptionsBecomeErrors) {
  EXPECT_EQ(thrown([](void *const *, void *) { throw std::invalid_argument("bad size"); }), "runtime: f(): bad size");
  EXPECT_EQ(thrown([](void *const *, void *) { throw KernelError("wrong dtype", KERNIX_ERROR_TYPE); }),
            "type: f(): wrong dtype");
  EXPECT_EQ(thrown([](void *const *, void *) { throw 3; }),
            "runtime: f(): threw something that is not a std::exception");
}

TEST(Call, ErrorsOfCudaCallsInHostFunctions) {
  Record record("f(int error)", {attribute("error", int32)}, KERNIX_HOST_FUNCTION);
  record.function.thunk = [](void *const *args, void *) { launches.last_error = *static_cast<int *>(args[0]); };
  EXPECT_EQ(error_of(record, {integer(9)}),
            "runtime: f(int error): a CUDA call in it failed: too many resources requested (error 9)");
  EXPECT_EQ(error_of(record, {integer(0)}), "ok");
  EXPECT_EQ(error_of(record, {integer(600)}), "ok"); // cudaErrorNotReady
  record.function.thunk = [](void *const *, void *) {};
  launches.last_error = 9; // from before the call
  EXPECT_EQ(error_of(record, {integer(0)}), "ok");
}

TEST(Call, WithoutAGpuTheLastErrorSaysNothingOfAHostFunction) {
  Record record("f()", {}, KERNIX_HOST_FUNCTION);
  record.function.thunk = [](void *const *, void *) {};
  static int answer;
  kernix_cuda_api api = recording_cuda();
  api.get_last_error = [] { return answer; };
  record.function.cuda = &api;
  for (const int without_gpu : {35, 100}) {
    answer = without_gpu;
    EXPECT_EQ(error_of(record, {}), "ok");
  }
  answer = 700; // a lost context answers the same each time, too
  EXPECT_EQ(error_of(record, {}), "runtime: f(): a CUDA call in it failed: too many resources requested (error 700)");
}

TEST(Call, HostFunctionsRunOnTheDeviceOfTheirTensors) {
  Record record("f(TensorView<float> x)", {view("x", float32, 1)}, KERNIX_HOST_FUNCTION);
  record.function.flags |= KERNIX_FOR_CUDA;
  static int device;
  record.function.thunk = [](void *const *, void *) { device = launches.device; };
  launches.device = 1;
  EXPECT_EQ(error_of(record, {value(Array({3}).on(KERNIX_CUDA, 2))}), "ok");
  EXPECT_EQ(device, 2);
  EXPECT_EQ(launches.device, 1);
}

TEST(Call, HostFunctionsWithoutTensorsNeedNoDevice) {
  Record record("f(int n)", {attribute("n", int32)}, KERNIX_HOST_FUNCTION);
  record.function.flags |= KERNIX_FOR_CUDA;
  record.function.thunk = [](void *const *, void *) {};
  kernix_cuda_api api = recording_cuda();
  api.get_device = [](int *) { return 35; };
  record.function.cuda = &api;
  EXPECT_EQ(error_of(record, {integer(1)}), "ok");
}

TEST(Call, DeviceFunctionsWithoutThunk) {
  Record record("f()", {}, KERNIX_DEVICE_FUNCTION);
  EXPECT_EQ(error_of(record, {}), "runtime: f(): a device function can be called from the host only on the CPU target");
}

TEST(Call, ManyParameters) {
  std::vector<kernix_parameter> parameters;
  std::vector<kernix_value> values;
  std::vector<std::string> names;
  Array x({1});
  for (int i = 0; i < 60; ++i)
    names.push_back("p" + std::to_string(i));
  for (int i = 0; i < 60; ++i) {
    parameters.push_back(i % 2 ? view(names[static_cast<size_t>(i)].c_str(), float32, 1)
                               : attribute(names[static_cast<size_t>(i)].c_str(), int32));
    values.push_back(i % 2 ? value(x) : integer(i));
  }
  Record record("f(...)", parameters, KERNIX_HOST_FUNCTION);
  record.function.thunk = [](void *const *args, void *) {
    for (int i = 0; i < 60; i += 2)
      EXPECT_EQ(*static_cast<int *>(args[i]), i);
    EXPECT_EQ(static_cast<kernix_tensor_view *>(args[59])->shape[0], 1);
  };
  EXPECT_EQ(error_of(record, values), "ok");
}

} // namespace

} // namespace kernix::test
