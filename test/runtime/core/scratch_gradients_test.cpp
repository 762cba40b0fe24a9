// test/runtime/core/scratch_gradients_test.cpp - what f_bwd gets in place of a gradient, and what becomes of it.

#include "core/half.h"
#include "record.h"

#include <gtest/gtest.h>

namespace kernix::test {

namespace {

/// f_bwd(x, x_grad, y, y_grad) of f(const T *x, T *y), for a gradient of any dtype and any way to keep it.
struct ScratchGradients : testing::Test {
  kernix_cuda_api cuda = recording_cuda();
  kernix_launch_facts facts = {};
  Call call;
  char *passed = nullptr; ///< in place of the gradient
  std::function<void()> body;

  ScratchGradients() {
    cuda.memset_async = [](void *data, int value, size_t size, void *) { return std::memset(data, value, size), 0; };
    facts.store_ids = 9; // threadIdx.x, blockIdx.x
  }

  /// Runs `body` as the kernel.
  std::string run(kernix_dtype dtype, Array &gradient, int32_t replicas = 0, int32_t notes = 0) {
    kernix_parameter x = input("x", dtype), gx = output("x_grad", dtype), y = output("y", dtype),
                     gy = input("y_grad", dtype);
    x.access = gx.access = KERNIX_ACCESS_IN;
    y.access = gy.access = KERNIX_ACCESS_OUT;
    x.shadow = 1;
    y.shadow = 3;
    gx.shadow_of = 0;
    gy.shadow_of = 2;
    x.primal_parameter = gx.primal_parameter = 0;
    y.primal_parameter = gy.primal_parameter = 1;
    gx.shape = shape_like(0);
    gy.shape = shape_like(2);
    gx.flags |= KERNIX_GRADIENT | KERNIX_ZERO_INIT;
    gx.replicas = replicas;
    gx.notes = notes;
    y.role = KERNIX_ARG;
    y.flags = KERNIX_PRIMAL_OUTPUT | KERNIX_LAUNCH_OUTPUT | KERNIX_OPTIONAL;
    gy.flags = KERNIX_COTANGENT;
    Record record("f_bwd(x, x_grad, y, y_grad)", {x, gx, y, gy});
    static uint64_t hash = 100000;
    facts.record_hash = record.function.record_hash = ++hash; // facts are remembered by record
    record.function.derivative = KERNIX_BACKWARD_DERIVATIVE;
    record.function.primal = "f";
    record.function.facts = &facts;
    record.function.cuda = &cuda;
    launches.on_launch = [this](void **args) {
      passed = *static_cast<char **>(args[1]);
      body();
    };
    const std::vector<int64_t> &sizes = gradient.shape;
    Array values(sizes, dtype), out(sizes, dtype), cotangent(sizes, dtype);
    return error_of(call(record, {value(values), value(gradient), value(out), value(cotangent)}));
  }

  bool is_marked() const { return reinterpret_cast<uintptr_t>(passed) % 2 == 1; }
  /// What the marked pointer leads to.
  template <class T> T *scratch(int64_t offset = 0) const { return reinterpret_cast<T *>(passed - 1) + offset; }
};

TEST_F(ScratchGradients, NumbersOf16BitsAreSummedInFloatAndRoundedOnce) {
  facts.float_gradients = 1;
  for (const kernix_dtype dtype : {float16, bfloat16}) {
    const auto to = [&](double number) {
      return dtype.code == KERNIX_FLOAT ? core::to_float16(number) : core::to_bfloat16(number);
    };
    Array gradient({3}, dtype);
    const uint16_t before[] = {to(1), to(2), to(4096)};
    std::memcpy(gradient.tensor.data, before, sizeof before);
    body = [&] {
      ASSERT_TRUE(is_marked());
      EXPECT_EQ(scratch<float>()[0] + scratch<float>()[1] + scratch<float>()[2], 0.0F);
      for (int k = 0; k < 4096; ++k)
        scratch<float>()[0] += 1; // 16 bits would stop at 2048 or 256
      scratch<float>()[2] += 0.25F;
    };
    EXPECT_EQ(run(dtype, gradient), "ok");
    EXPECT_EQ(gradient.data<uint16_t>()[0], to(4097));
    EXPECT_EQ(gradient.data<uint16_t>()[1], to(2));
    EXPECT_EQ(gradient.data<uint16_t>()[2], to(4096.25));
  }
}

TEST_F(ScratchGradients, WiderNumbersAreNot) {
  facts.float_gradients = 1;
  Array gradient({3}, float32);
  body = [&] { EXPECT_EQ(passed, static_cast<char *>(gradient.tensor.data)); };
  EXPECT_EQ(run(float32, gradient), "ok");
}

TEST_F(ScratchGradients, NorAreGradientsOfWhichNothingIsSaid) {
  facts.float_gradients = 2; // of y, which has none
  Array gradient({3}, float16);
  body = [&] { EXPECT_EQ(passed, static_cast<char *>(gradient.tensor.data)); };
  EXPECT_EQ(run(float16, gradient), "ok");
}

TEST_F(ScratchGradients, WithoutElementsThereIsNothingToKeep) {
  facts.float_gradients = 1;
  Array gradient({0}, float16);
  body = [&] { EXPECT_FALSE(is_marked()); };
  EXPECT_EQ(run(float16, gradient), "ok");
}

TEST_F(ScratchGradients, ReplicasOfASectorLieSideBySide) {
  facts.scratch_gradients = 1;
  Array gradient({6}, float64);
  for (int k = 0; k < 6; ++k)
    gradient.data<double>()[k] = 10 * k;
  constexpr int of_sector = KERNIX_SECTOR_BYTES / sizeof(double);
  body = [&] {
    ASSERT_TRUE(is_marked());
    for (int copy = 0; copy < 3; ++copy) {
      scratch<double>()[copy * of_sector + 1] += copy + 1;                 // element 1
      scratch<double>()[3 * of_sector + copy * of_sector + 1] += copy + 4; // element 5
    }
  };
  EXPECT_EQ(run(float64, gradient, /*replicas=*/3), "ok");
  EXPECT_EQ(std::vector<double>(gradient.data<double>(), gradient.data<double>() + 6),
            (std::vector<double>{0, 10 + 1 + 2 + 3, 20, 30, 40, 50 + 4 + 5 + 6}));
}

TEST_F(ScratchGradients, ReplicasOf16BitsAreFloats) {
  facts.scratch_gradients = facts.float_gradients = 1;
  Array gradient({1}, float16);
  gradient.data<uint16_t>()[0] = core::to_float16(1);
  body = [&] {
    ASSERT_TRUE(is_marked());
    scratch<float>()[0] += 0.00048828125F; // each too little for a float16 beside 1
    scratch<float>()[KERNIX_SECTOR_BYTES / sizeof(float)] += 0.00048828125F;
  };
  EXPECT_EQ(run(float16, gradient, /*replicas=*/2), "ok");
  EXPECT_EQ(gradient.data<uint16_t>()[0], core::to_float16(1.0009765625));
}

TEST_F(ScratchGradients, NotesAreAddedToTheirElements) {
  facts.scratch_gradients = 1;
  Array gradient({4}, float32);
  gradient.data<float>()[1] = 5;
  call.block(2).grid(3);
  body = [&] {
    ASSERT_TRUE(is_marked());
    auto &notes = *scratch<kernix_notes>();
    EXPECT_EQ(notes.gradient, gradient.tensor.data);
    constexpr int threads = 6, of_thread = 2;
    for (int k = 0; k < threads * of_thread; ++k)
      EXPECT_EQ(notes.notes[k].element, nullptr);
    notes.notes[0] = {gradient.data<float>() + 1, {.of_float = 2}};
    notes.notes[threads * of_thread - 1] = {gradient.data<float>() + 3, {.of_float = 7}};
    notes.notes[4] = {gradient.data<float>() + 1, {.of_float = 3}};
  };
  EXPECT_EQ(run(float32, gradient, 0, /*notes=*/2), "ok");
  EXPECT_EQ(std::vector<float>(gradient.data<float>(), gradient.data<float>() + 4), (std::vector<float>{0, 10, 0, 7}));
}

TEST_F(ScratchGradients, MemoryThatCannotBeHad) {
  facts.scratch_gradients = 1;
  Array gradient({2}, float32);
  body = [] { FAIL() << "launched"; };
  cuda.malloc_async = [](void **, size_t, void *) { return 2; };
  call.options.allocate = nullptr;
  EXPECT_EQ(
      run(float32, gradient, /*replicas=*/4),
      "memory: f_bwd(x, x_grad, y, y_grad): the 128 bytes of scratch memory for the gradient of 'x_grad' could not be "
      "allocated");
  call.block(1024).grid(INT32_MAX, 65535, 65535);
  facts.store_ids = 63;
  EXPECT_EQ(run(float32, gradient, 0, /*notes=*/INT32_MAX),
            "memory: f_bwd(x, x_grad, y, y_grad): the scratch memory for the gradient of 'x_grad' would be too large");
}

} // namespace

} // namespace kernix::test
