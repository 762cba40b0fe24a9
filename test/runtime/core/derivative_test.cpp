// test/runtime/core/derivative_test.cpp - calls of derivatives: shadows, overlap, launch facts.

#include "record.h"

#include <gtest/gtest.h>

#include <numeric>

namespace kernix::test {

namespace {

/// The shadow of parameter `of`, a tensor of its shape.
kernix_parameter shadow(const char *name, int32_t of, uint32_t flags, kernix_parameter like) {
  kernix_parameter p = like;
  p.name = name;
  p.flags = flags | (like.flags & KERNIX_OPTIONAL);
  p.shadow_of = of;
  p.shape = shape_like(of);
  const bool is_written = (flags & KERNIX_GRADIENT) || ((flags & KERNIX_TANGENT) && p.access != KERNIX_ACCESS_IN);
  p.role = is_written ? KERNIX_RET : KERNIX_ARG;
  p.flags |= is_written ? KERNIX_WRITTEN : 0;
  if ((flags & KERNIX_GRADIENT) || ((flags & KERNIX_TANGENT) && !is_written))
    p.flags |= KERNIX_ZERO_INIT;
  return p;
}

kernix_parameter with_access(kernix_parameter p, kernix_access access) {
  p.access = access;
  return p;
}

kernix_parameter primal_output(kernix_parameter p, int32_t index, bool is_optional = true) {
  p.role = KERNIX_ARG;
  p.flags = KERNIX_PRIMAL_OUTPUT | KERNIX_LAUNCH_OUTPUT | (is_optional ? KERNIX_OPTIONAL : 0);
  p.shadow = index + 1;
  return p;
}

/// f_bwd(x, x_grad, y, y_grad, a, a_grad) of f(const float *x, float *y, float a), with facts.
struct Backward : testing::Test {
  kernix_launch_facts facts = {7, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0}; // threadIdx.x, blockIdx.x
  Record record{"f_bwd(x, x_grad, y, y_grad, a, a_grad)", parameters()};
  Call call;
  Array x{{300}}, gx{{300}}, y{{300}}, gy{{300}}, ga{{1}};
  std::vector<void *> seen;

  static std::vector<kernix_parameter> parameters() {
    kernix_parameter x = with_access(input("x"), KERNIX_ACCESS_IN);
    x.shadow = 1;
    x.primal_parameter = 0;
    kernix_parameter y = with_access(output("y"), KERNIX_ACCESS_OUT);
    kernix_parameter a = attribute("a", float32);
    a.shadow = 5;
    kernix_parameter ga = shadow("a_grad", 4, KERNIX_GRADIENT, with_access(output("a"), KERNIX_ACCESS_IN));
    ga.shape = shape({expression("1", {constant(1)})});
    ga.primal_parameter = 2;
    kernix_parameter gx = shadow("x_grad", 0, KERNIX_GRADIENT, x);
    gx.primal_parameter = 0;
    return {x, gx, primal_output(y, 2), shadow("y_grad", 2, KERNIX_COTANGENT, y), a, ga};
  }

  void SetUp() override {
    static uint64_t hash = 100;
    facts.record_hash = record.function.record_hash = ++hash; // facts are remembered by record
    record.function.derivative = KERNIX_BACKWARD_DERIVATIVE;
    record.function.primal = "f";
    record.function.facts = &facts;
    launches.on_launch = [this](void **args) {
      seen.clear();
      for (int i = 0; i < 6; ++i)
        seen.push_back(i == 4 ? nullptr : *static_cast<void **>(args[i]));
    };
  }
  std::string run(const std::vector<kernix_value> &values) {
    launches.count = 0;
    const int status = call(record, values);
    return status == KERNIX_OK ? (launches.count ? "launched" : "no launch") : error_of(status);
  }
};

TEST_F(Backward, PassesValuesAndShadows) {
  EXPECT_EQ(run({value(x), value(gx), value(y), value(gy), real(2), value(ga)}), "launched");
  EXPECT_EQ(seen, (std::vector<void *>{x.tensor.data, gx.tensor.data, y.tensor.data, gy.tensor.data, nullptr,
                                       ga.tensor.data}));
  EXPECT_EQ(launches.grid.x, 2u); // one thread per element of f's output
}

TEST_F(Backward, GradientsThatAreLeftOutAreAllocatedZeroed) {
  EXPECT_EQ(run({value(x), absent(), value(y), value(gy), real(2), absent()}), "launched");
  EXPECT_EQ(call.allocator.parameters, (std::vector<int32_t>{1, 5}));
  EXPECT_EQ(call.allocator.zeroed, (std::vector<int>{1, 1}));
  EXPECT_EQ(call.allocator.arrays[0].shape, (std::vector<int64_t>{300}));
  EXPECT_EQ(call.allocator.arrays[1].shape, (std::vector<int64_t>{1}));
  ASSERT_EQ(call.outputs.size(), 2u);
  EXPECT_EQ(call.outputs[0].parameter, 1);
  EXPECT_EQ(call.outputs[1].parameter, 5);
}

TEST_F(Backward, NoneIsAGradientThatIsNotWanted) {
  EXPECT_EQ(run({value(x), none(), value(y), value(gy), real(2), none()}), "launched");
  EXPECT_EQ(seen[1], nullptr);
  EXPECT_EQ(seen[5], nullptr);
  EXPECT_TRUE(call.allocator.arrays.empty());
}

TEST_F(Backward, AnOutputsValueMayBeLeftOut) {
  EXPECT_EQ(run({value(x), value(gx), none(), value(gy), real(2), value(ga)}), "launched");
  EXPECT_EQ(seen[2], gy.tensor.data); // null would say that f had none
  EXPECT_EQ(launches.grid.x, 2u);     // sized by the cotangent
}

TEST_F(Backward, AnInputsValueMayBeLeftOutWhereItIsNotRead) {
  const std::string start = "type: f_bwd(x, x_grad, y, y_grad, a, a_grad): argument 'x': expected a tensor";
  EXPECT_EQ(run({none(), value(gx), value(y), value(gy), real(2), value(ga)}),
            start + ", whose elements the derivative reads, got None");
  facts.unread_values = 1;
  record.function.record_hash = facts.record_hash += 1000;
  EXPECT_EQ(run({none(), value(gx), value(y), value(gy), real(2), value(ga)}), "launched");
  EXPECT_EQ(seen[0], gx.tensor.data);
  EXPECT_EQ(run({none(), absent(), value(y), value(gy), real(2), value(ga)}), start + " of float32, got None");
  EXPECT_EQ(run({absent(), value(gx), value(y), value(gy), real(2), value(ga)}),
            "type: f_bwd(x, x_grad, y, y_grad, a, a_grad): argument 'x' is missing");
}

TEST_F(Backward, TellsWhatItReads) {
  uint8_t is_read[6] = {};
  EXPECT_EQ(kernix_read_values(&record.function, -1, nullptr, is_read), KERNIX_OK);
  EXPECT_EQ(std::vector<uint8_t>(is_read, is_read + 6), std::vector<uint8_t>(6, 1));
  facts.unread_values = 1;
  record.function.record_hash = facts.record_hash += 1000;
  EXPECT_EQ(kernix_read_values(&record.function, -1, nullptr, is_read), KERNIX_OK);
  EXPECT_EQ(std::vector<uint8_t>(is_read, is_read + 6), (std::vector<uint8_t>{0, 1, 1, 1, 1, 1}));
  facts.record_hash += 1;
  record.function.record_hash += 2;
  EXPECT_EQ(kernix_read_values(&record.function, -1, nullptr, is_read), KERNIX_ERROR_RUNTIME);
}

TEST_F(Backward, TellsWhatItReadsOnTheDeviceThatIsNamed) {
  uint8_t is_read[6] = {};
  EXPECT_EQ(kernix_read_values(&record.function, 2, nullptr, is_read), KERNIX_OK);
  EXPECT_EQ(launches.device_at_read, 2);
  EXPECT_EQ(launches.device, 0);
  EXPECT_EQ(kernix_read_values(&record.function, -1, nullptr, is_read), KERNIX_OK);
  EXPECT_EQ(launches.device_at_read, 0);
}

TEST_F(Backward, ACotangentMayNot) {
  EXPECT_EQ(run({value(x), value(gx), value(y), absent(), real(2), value(ga)}),
            "type: f_bwd(x, x_grad, y, y_grad, a, a_grad): argument 'y_grad' is missing");
  EXPECT_EQ(run({value(x), value(gx), value(y), none(), real(2), value(ga)}),
            "type: f_bwd(x, x_grad, y, y_grad, a, a_grad): argument 'y_grad': expected a tensor of float32, got None");
}

TEST_F(Backward, ShadowsHaveTheShapeAndDtypeOfTheirValue) {
  Array shorter({299}), wider({300}, float64);
  EXPECT_EQ(run({value(x), value(shorter), value(y), value(gy), real(2), value(ga)}),
            "value: f_bwd(x, x_grad, y, y_grad, a, a_grad): argument 'x_grad': expected shape (300,), that of 'x', got "
            "(299,)");
  EXPECT_EQ(run({value(x), value(wider), value(y), value(gy), real(2), value(ga)}),
            "type: f_bwd(x, x_grad, y, y_grad, a, a_grad): argument 'x_grad': expected a tensor of float32, got one of "
            "float64");
  EXPECT_EQ(run({value(x), value(gx), value(y), value(shorter), real(2), value(ga)}),
            "value: f_bwd(x, x_grad, y, y_grad, a, a_grad): argument 'y_grad': expected shape (300,), that of 'y', got "
            "(299,)");
}

TEST_F(Backward, TheGradientOfAScalarHasOneElementOfAnyRank) {
  Array scalar(std::vector<int64_t>{}), matrix({1, 1}), two({2});
  EXPECT_EQ(run({value(x), value(gx), value(y), value(gy), real(2), value(scalar)}), "launched");
  EXPECT_EQ(run({value(x), value(gx), value(y), value(gy), real(2), value(matrix)}), "launched");
  EXPECT_NE(run({value(x), value(gx), value(y), value(gy), real(2), value(two)}).find("expected shape (1,)"),
            std::string::npos);
}

TEST_F(Backward, RefusesMemoryThatIsWrittenAndSharedByAnother) {
  const std::string start = "value: f_bwd(x, x_grad, y, y_grad, a, a_grad): ";
  const std::string end = ": the derivative needs memory of its own for it";
  EXPECT_EQ(run({value(x), value(x), value(y), value(gy), real(2), value(ga)}),
            start + "'x_grad', a gradient, overlaps 'x', an input" + end);
  EXPECT_EQ(run({value(x), value(gy), value(y), value(gy), real(2), value(ga)}),
            start + "'y_grad', a cotangent, overlaps 'x_grad', a gradient" + end);
  EXPECT_EQ(run({value(x), value(gx), value(x), value(gy), real(2), value(ga)}),
            start + "'y', an output, overlaps 'x', an input" + end);
}

TEST_F(Backward, MarksGradientsThatOverlapEachOther) {
  facts.plain_gradients = 1; // of x alone
  Array last({1});
  const auto is_marked = [&](int i) { return reinterpret_cast<uintptr_t>(seen[i]) % 2 == 1; };
  last.tensor.data = gx.data<float>() + 299;
  EXPECT_EQ(run({value(x), value(gx), value(y), value(gy), real(2), value(last)}), "launched");
  EXPECT_EQ(seen[1], gx.data<char>() + 1);
  EXPECT_FALSE(is_marked(5));
  last.tensor.data = gx.data<float>() + 300;
  EXPECT_EQ(run({value(x), value(gx), value(y), value(gy), real(2), value(last)}), "launched");
  EXPECT_EQ(seen[1], gx.tensor.data);
  last.tensor.data = gx.data<char>() + 2; // half an element
  EXPECT_NE(run({value(x), value(gx), value(y), value(gy), real(2), value(last)}), "launched");
  record.function.facts = nullptr; // written by hand: who knows how it adds
  last.tensor.data = gx.data<float>() + 299;
  EXPECT_EQ(run({value(x), value(gx), value(y), value(gy), real(2), value(last)}),
            "value: f_bwd(x, x_grad, y, y_grad, a, a_grad): 'a_grad', a gradient, overlaps 'x_grad', a gradient: the "
            "derivative needs memory of its own for it");
}

TEST_F(Backward, SumsInAFixedOrderWhereTheFactsSaySo) {
  const std::vector<kernix_value> values = {value(x), value(gx), value(y), value(gy), real(2), value(ga)};
  const std::string refused = "runtime: f_bwd(x, x_grad, y, y_grad, a, a_grad): deterministic sums are asked for, and ";
  const auto run_in_order = [&](const std::vector<kernix_value> &row) {
    std::vector<kernix_output> outputs(row.size() + 1);
    int32_t count = 0;
    launches.count = 0;
    const int status = kernix_call_in_fixed_order(&record.function, row.data(), static_cast<int32_t>(row.size()),
                                                  &call.options, call.storage, outputs.data(), &count);
    EXPECT_EQ(status == KERNIX_OK, launches.count == 1);
    return status == KERNIX_OK ? "launched" : error_of(status);
  };
  EXPECT_EQ(run_in_order(values), refused + "gradients of this build may be added in any order; load the source with "
                                            "kernix.load(..., deterministic=True), which refuses what cannot be added "
                                            "in one order");
  const auto set = [&](uint32_t order, uint32_t ids, uint32_t plain) {
    facts.fixed_order = order, facts.proof_ids = ids, facts.plain_gradients = plain;
    facts.record_hash = record.function.record_hash = facts.record_hash + 1000;
  };
  const std::string unusual = refused + "with these sizes threads may add to an element of a gradient in any order";
  set(KERNIX_FIXED_ORDER, 9, 1);
  EXPECT_EQ(run_in_order(values), "launched");
  set(KERNIX_FIXED_ORDER, 1, 1); // of several blocks nothing is known
  EXPECT_EQ(run_in_order(values), unusual);
  set(KERNIX_FIXED_ORDER_ALWAYS, 0, 1);
  EXPECT_EQ(run_in_order(values), "launched");
  // Where threads decide the order of one gradient, it must not be asked for.
  facts.unordered_gradients = 1;
  for (const uint32_t order : {KERNIX_FIXED_ORDER, KERNIX_FIXED_ORDER_ALWAYS}) {
    set(order, 9, 1);
    EXPECT_EQ(run_in_order(values), refused + "sums to 'x_grad' in this build may be added in any order; load the "
                                              "source with kernix.load(..., deterministic=True), which refuses what "
                                              "cannot be added in one order");
    EXPECT_EQ(run_in_order({value(x), none(), value(y), value(gy), real(2), value(ga)}), "launched");
  }
  facts.unordered_gradients = 0;
  Array last({1});
  last.tensor.data = gx.data<float>() + 299;
  for (const uint32_t order : {KERNIX_FIXED_ORDER, KERNIX_FIXED_ORDER_ALWAYS}) {
    set(order, 9, 9); // gradients that overlap
    EXPECT_EQ(run_in_order({value(x), value(gx), value(y), value(gy), real(2), value(last)}),
              refused + "gradients that overlap each other are added to in any order");
  }
  set(KERNIX_FIXED_ORDER, 9, 1);
  call.block(1024).grid(1 << 20);
  EXPECT_EQ(run_in_order(values), unusual);
  record.function.facts = nullptr;
  EXPECT_EQ(run_in_order(values), refused + "it is written by hand, and nothing is known of how it adds to gradients");
  EXPECT_EQ(run(values), "launched");
}

TEST_F(Backward, InputsAndCotangentsMayShareMemory) {
  EXPECT_EQ(run({value(x), value(gx), value(y), value(x), real(2), value(ga)}), "launched");
  EXPECT_EQ(run({value(x), value(gx), value(gy), value(gy), real(2), value(ga)}), "launched");
}

TEST_F(Backward, RefusesAnExtentThatTheStoresDoNotDependOn) {
  call.block(32, 2).grid(2);
  EXPECT_EQ(
      run({value(x), value(gx), value(y), value(gy), real(2), value(ga)}),
      "value: f_bwd(x, x_grad, y, y_grad, a, a_grad): what f stores does not depend on threadIdx.y, and the block "
      "has 2: several threads would store the same element and its gradient would be counted as often; launch "
      "both with an extent of 1 there");
  call.block(32).grid(2, 3);
  EXPECT_NE(run({value(x), value(gx), value(y), value(gy), real(2), value(ga)}).find("blockIdx.y, and the grid has 3"),
            std::string::npos);
  EXPECT_EQ(launches.count, 0);
}

TEST_F(Backward, RefusesAnExtentAboveTheBitsThatTheStoresDependOn) {
  facts.store_bits = 5 | 1 << 15; // threadIdx.x % 32, blockIdx.x % 2
  call.block(32).grid(2);
  EXPECT_EQ(run({value(x), value(gx), value(y), value(gy), real(2), value(ga)}), "launched");
  call.block(33).grid(2);
  EXPECT_EQ(
      run({value(x), value(gx), value(y), value(gy), real(2), value(ga)}),
      "value: f_bwd(x, x_grad, y, y_grad, a, a_grad): what f stores depends on no more than threadIdx.x % 32, and "
      "the block has 33: several threads would store the same element and its gradient would be counted as "
      "often; launch both with an extent of 32 at most there, or guard the store so that one thread does it");
  call.block(32).grid(3);
  EXPECT_NE(
      run({value(x), value(gx), value(y), value(gy), real(2), value(ga)}).find("blockIdx.x % 2, and the grid has 3"),
      std::string::npos);
  EXPECT_EQ(launches.count, 0);
}

TEST_F(Backward, LeavesProofsToTheKernel) {
  facts.store_ids = 9 + 2;
  facts.proof_ids = 9;
  call.block(32, 2).grid(2);
  EXPECT_EQ(run({value(x), value(gx), value(y), value(gy), real(2), value(ga)}), "launched");
}

TEST_F(Backward, ReadsTheFactsOnce) {
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(run({value(x), value(gx), value(y), value(gy), real(2), value(ga)}), "launched");
  EXPECT_EQ(launches.symbol_reads, 1);
}

TEST_F(Backward, ReadsNoFactsWhileTheStreamIsCaptured) {
  launches.is_capturing = 1;
  EXPECT_EQ(run({value(x), value(gx), value(y), value(gy), real(2), value(ga)}),
            "runtime: f_bwd(x, x_grad, y, y_grad, a, a_grad): the first call on a device must not be captured into a "
            "CUDA graph: call it once before");
  launches.is_capturing = 0;
  EXPECT_EQ(run({value(x), value(gx), value(y), value(gy), real(2), value(ga)}), "launched");
  launches.is_capturing = 1;
  EXPECT_EQ(run({value(x), value(gx), value(y), value(gy), real(2), value(ga)}), "launched");
}

TEST_F(Backward, RefusesDeviceCodeOfAnotherRecord) {
  facts.record_hash += 1000;
  EXPECT_NE(run({value(x), value(gx), value(y), value(gy), real(2), value(ga)}).find("from another declaration"),
            std::string::npos);
}

TEST_F(Backward, RefusesFactsThatCannotBeRead) {
  launches.symbol_error = 1;
  EXPECT_EQ(
      run({value(x), value(gx), value(y), value(gy), real(2), value(ga)}),
      "runtime: f_bwd(x, x_grad, y, y_grad, a, a_grad): the facts about its launch cannot be read from the device: "
      "does the source differ by __CUDA_ARCH__ between host and device?");
}

TEST_F(Backward, MultipliesDynamicSharedMemory) {
  facts.dynamic_shared_factor = 2;
  call.shared_bytes(1000);
  EXPECT_EQ(run({value(x), value(gx), value(y), value(gy), real(2), value(ga)}), "launched");
  EXPECT_EQ(launches.shared_bytes, 2000u);
  call.shared_bytes(1001);
  EXPECT_EQ(run({value(x), value(gx), value(y), value(gy), real(2), value(ga)}), "launched");
  EXPECT_EQ(launches.shared_bytes, 2016u);
}

TEST(BackwardOfViews, KnowsAnOutputsSizesFromItsCotangent) {
  kernix_parameter x = with_access(view("x", float32, -1), KERNIX_ACCESS_IN);
  kernix_parameter y = with_access(view("y", float32, -1), KERNIX_ACCESS_OUT);
  Record record("f_bwd", {x, shadow("x_grad", 0, KERNIX_GRADIENT, x), primal_output(y, 2),
                          shadow("y_grad", 2, KERNIX_COTANGENT, y)});
  record.function.derivative = KERNIX_BACKWARD_DERIVATIVE;
  Array a({2, 3}), ga({2, 3}), gy({2, 3}, float32, {1, 2});
  kernix_tensor_view seen = {};
  launches.on_launch = [&](void **args) { std::memcpy(&seen, args[2], sizeof seen); };
  Call call;
  ASSERT_EQ(error_of(call(record, {value(a), value(ga), none(), value(gy)})), "ok");
  EXPECT_EQ(seen.data, nullptr);
  EXPECT_EQ(seen.ndim, 2);
  EXPECT_EQ(seen.shape[1], 3);
}

TEST(BackwardOfViews, RefusesAGradientWithSharedElements) {
  kernix_parameter x = with_access(view("x", float32, -1), KERNIX_ACCESS_IN);
  kernix_parameter y = with_access(view("y", float32, -1), KERNIX_ACCESS_OUT);
  Record record("f_bwd", {x, shadow("x_grad", 0, KERNIX_GRADIENT, x), primal_output(y, 2),
                          shadow("y_grad", 2, KERNIX_COTANGENT, y)});
  record.function.derivative = KERNIX_BACKWARD_DERIVATIVE;
  Array a({2, 3}), expanded({2, 3}, float32, {0, 1}), windows({2, 3}, float32, {1, 1}),
      transposed({2, 3}, float32, {1, 2});
  Array gy({2, 3}, float32, {0, 0});
  EXPECT_EQ(error_of(record, {value(a), value(expanded), none(), value(gy)}),
            "value: f_bwd: argument 'x_grad': expected a tensor whose elements have an address each (it is written), "
            "got shape (2, 3) with strides (0, 1)");
  EXPECT_NE(error_of(record, {value(a), value(windows), none(), value(gy)}).find("an address each"), std::string::npos);
  EXPECT_EQ(error_of(record, {value(a), value(transposed), none(), value(gy)}), "ok"); // gy may be expanded
}

TEST(BackwardOfOptional, HasNoGradientWhereThereIsNoValue) {
  kernix_parameter x = with_access(input("x"), KERNIX_ACCESS_IN);
  x.flags = KERNIX_OPTIONAL;
  kernix_parameter y = with_access(output("y"), KERNIX_ACCESS_OUT);
  Record record("f_bwd", {x, shadow("x_grad", 0, KERNIX_GRADIENT, x), primal_output(y, 2),
                          shadow("y_grad", 2, KERNIX_COTANGENT, y)});
  record.function.derivative = KERNIX_BACKWARD_DERIVATIVE;
  Array gx({3}), gy({3});
  Call call;
  EXPECT_EQ(error_of(call(record, {none(), absent(), none(), value(gy)})), "ok");
  EXPECT_TRUE(call.allocator.arrays.empty());
  EXPECT_EQ(error_of(record, {none(), value(gx), none(), value(gy)}),
            "type: f_bwd: argument 'x_grad' is given without 'x', which is optional: the function takes it as absent");
}

TEST(BackwardOfOptional, TakesAnOutputWithoutValueAsAbsent) {
  kernix_parameter x = with_access(input("x"), KERNIX_ACCESS_IN);
  kernix_parameter y = with_access(output("y"), KERNIX_ACCESS_OUT);
  y.flags |= KERNIX_OPTIONAL;
  Record record("f_bwd", {x, shadow("x_grad", 0, KERNIX_GRADIENT, x), primal_output(y, 2),
                          shadow("y_grad", 2, KERNIX_COTANGENT, y)});
  record.function.derivative = KERNIX_BACKWARD_DERIVATIVE;
  Array a({3}), gx({3}), gy({3});
  EXPECT_NE(error_of(record, {value(a), value(gx), none(), value(gy)}).find("is given without 'y'"), std::string::npos);
}

TEST(BackwardOfTensors, GivesAShadowTheDtypeOfItsValue) {
  kernix_parameter x = with_access(parameter("x", "kernix::Tensor", KERNIX_PASS_TENSOR, no_dtype), KERNIX_ACCESS_IN);
  kernix_parameter y = with_access(parameter("y", "kernix::Tensor", KERNIX_PASS_TENSOR, no_dtype), KERNIX_ACCESS_OUT);
  Record record("f_bwd", {x, shadow("x_grad", 0, KERNIX_GRADIENT, x), primal_output(y, 2),
                          shadow("y_grad", 2, KERNIX_COTANGENT, y)});
  record.function.derivative = KERNIX_BACKWARD_DERIVATIVE;
  Array a({3}, float64), ga({3}), gy({3}, float64);
  EXPECT_EQ(error_of(record, {value(a), value(ga), none(), value(gy)}),
            "type: f_bwd: argument 'x_grad': expected a tensor of float64 like 'x', got one of float32");
  Call call;
  ASSERT_EQ(error_of(call(record, {value(a), absent(), none(), value(gy)})), "ok");
  EXPECT_EQ(call.allocator.arrays[0].tensor.dtype.bits, 64);
}

TEST(BackwardOfInOut, NeedsTheValueFromBeforeAndTheCotangent) {
  kernix_parameter y = with_access(output("y"), KERNIX_ACCESS_INOUT);
  kernix_parameter gy = shadow("y_grad", 0, KERNIX_GRADIENT | KERNIX_COTANGENT, y);
  gy.intent = KERNIX_INTENT_INOUT_PTR;
  Record record("f_bwd", {primal_output(y, 0, /*is_optional=*/false), gy});
  record.function.derivative = KERNIX_BACKWARD_DERIVATIVE;
  Array before({3}), cotangent({3});
  EXPECT_EQ(error_of(record, {value(before), value(cotangent)}), "ok");
  EXPECT_EQ(error_of(record, {none(), value(cotangent)}),
            "type: f_bwd: argument 'y': expected a tensor of float32, got None");
  EXPECT_EQ(error_of(record, {value(before), absent()}), "type: f_bwd: argument 'y_grad' is missing");
  EXPECT_NE(error_of(record, {value(before), value(before)}).find("overlaps"), std::string::npos);
}

/// f_fwd(x, x_tangent, y, y_tangent)
struct Forward : testing::Test {
  Record record{"f_fwd", parameters()};
  Call call;

  static std::vector<kernix_parameter> parameters() {
    kernix_parameter x = with_access(input("x"), KERNIX_ACCESS_IN);
    kernix_parameter y = with_access(output("y"), KERNIX_ACCESS_OUT);
    kernix_parameter dx = shadow("x_tangent", 0, KERNIX_TANGENT, x);
    dx.flags |= KERNIX_OPTIONAL;
    kernix_parameter dy = shadow("y_tangent", 2, KERNIX_TANGENT, y);
    y.flags |= KERNIX_LAUNCH_OUTPUT;
    return {x, dx, y, dy};
  }
  void SetUp() override { record.function.derivative = KERNIX_FORWARD_DERIVATIVE; }
};

TEST_F(Forward, TangentsThatAreLeftOutAreZeros) {
  Array x({5}), y({5});
  EXPECT_EQ(error_of(call(record, {value(x), absent(), value(y), absent()})), "ok");
  EXPECT_EQ(call.allocator.parameters, (std::vector<int32_t>{1, 3}));
  EXPECT_EQ(call.allocator.zeroed, (std::vector<int>{1, 1}));
  ASSERT_EQ(call.outputs.size(), 1u); // that of the output
  EXPECT_EQ(call.outputs[0].parameter, 3);
}

TEST_F(Forward, RefusesOutputsThatOverlap) {
  Array x({5}), y({5}), dy({5});
  EXPECT_NE(error_of(record, {value(x), value(dy), value(y), value(dy)}).find("overlaps"), std::string::npos);
  EXPECT_NE(error_of(record, {value(x), absent(), value(x), value(dy)}).find("overlaps"), std::string::npos);
}

} // namespace

} // namespace kernix::test
