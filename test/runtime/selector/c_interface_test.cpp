// test/runtime/selector/c_interface_test.cpp - what C callers can get wrong: an error code and a message, no crash.

#include "kernix/selector_abi.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

namespace kernix::test {

namespace {

class SelectorInterface : public testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(kernix_selector_create({KERNIX_CPU, 0}, &selector), KERNIX_OK); }
  void TearDown() override { kernix_selector_release(selector); }

  kernix_selector *selector = nullptr;
  const kernix_dtype half = {KERNIX_FLOAT, 16, 1};
  int32_t out = -1;
};

#define EXPECT_BAD(call, message)                                                                                      \
  EXPECT_EQ(call, KERNIX_ERROR_VALUE);                                                                                 \
  EXPECT_STREQ(kernix_last_error(), message)

TEST_F(SelectorInterface, NullPointers) {
  const kernix_capability capability = {KERNIX_KERNEL_FLOAT16, 1, 0, 1, 1};
  kernix_capability read;
  kernix_performance performance;
  EXPECT_BAD(kernix_selector_create({KERNIX_CPU, 0}, nullptr), "selector: expected no null pointer");
  EXPECT_BAD(kernix_selector_register(nullptr, "f", 1, &capability), "selector: expected no null pointer");
  EXPECT_BAD(kernix_selector_register(selector, nullptr, 1, &capability), "operation: expected a name, got null");
  EXPECT_BAD(kernix_selector_register(selector, "f", 1, nullptr), "capability: expected no null pointer");
  EXPECT_BAD(kernix_selector_select(selector, "f", 1, nullptr, 2, KERNIX_KERNEL_AUTO, &out, nullptr),
             "input dtypes: expected a list, got null or a negative count");
  EXPECT_BAD(kernix_selector_select(selector, "f", 1, &half, -1, KERNIX_KERNEL_AUTO, &out, nullptr),
             "input dtypes: expected a list, got null or a negative count");
  EXPECT_BAD(kernix_selector_select(selector, "f", 1, &half, 1, KERNIX_KERNEL_AUTO, nullptr, nullptr),
             "dtype: expected no null pointer");
  EXPECT_BAD(kernix_selector_is_available(selector, "f", 1, 0, nullptr), "is_available: expected no null pointer");
  EXPECT_BAD(kernix_selector_capability(nullptr, "f", 1, 0, &read), "selector: expected no null pointer");
  EXPECT_BAD(kernix_selector_performance(nullptr, "f", 1, 0, &performance), "selector: expected no null pointer");
  EXPECT_BAD(kernix_selector_update_performance(nullptr, "f", 1, 0, 1), "selector: expected no null pointer");
  EXPECT_BAD(kernix_selector_visit_performance(selector, nullptr, nullptr), "visit: expected no null pointer");
  EXPECT_BAD(kernix_registry_selector({KERNIX_CPU, 0}, nullptr), "selector: expected no null pointer");
  EXPECT_BAD(kernix_registry_register_defaults({KERNIX_CPU, 0}, nullptr, 0), "selector: expected no null pointer");
  EXPECT_BAD(kernix_registry_register_operation(nullptr, KERNIX_CPU), "operation: expected no null pointer");
  EXPECT_BAD(kernix_registry_visit(nullptr, nullptr), "visit: expected no null pointer");
  EXPECT_BAD(kernix_device_parse(nullptr, nullptr), "text: expected no null pointer");
  kernix_selector_release(nullptr);
  kernix_selector_retain(nullptr);
}

TEST_F(SelectorInterface, NumbersThatAreNoEnumerators) {
  for (int32_t wrong : {-1, 5, 1 << 30}) {
    kernix_capability capability = {wrong, 1, 0, 1, 1};
    EXPECT_EQ(kernix_selector_register(selector, "f", 1, &capability), KERNIX_ERROR_VALUE);
    EXPECT_EQ(kernix_selector_is_available(selector, "f", 1, wrong, &out), KERNIX_ERROR_VALUE);
    EXPECT_EQ(kernix_selector_select(selector, "f", 1, &half, 1, wrong, &out, nullptr), KERNIX_ERROR_VALUE);
    EXPECT_EQ(kernix_selector_update_performance(selector, "f", 1, wrong, 1), KERNIX_ERROR_VALUE);
    EXPECT_EQ(kernix_selector_set_policy(selector, "f", 1, wrong), KERNIX_ERROR_VALUE);
    kernix_performance performance;
    EXPECT_EQ(kernix_selector_performance(selector, "f", 1, wrong, &performance), KERNIX_ERROR_VALUE);
  }
  EXPECT_BAD(kernix_selector_is_available(selector, "f", 1, 5, &out), "kernel dtype: expected 0 to 4, got 5");
  const kernix_operation operation = {"f", 0, nullptr, nullptr};
  EXPECT_BAD(kernix_registry_register_operation(&operation, KERNIX_CUDA_HOST),
             "device type: expected that of the CPU or CUDA, got 3");
  for (kernix_device wrong : {kernix_device{KERNIX_CPU, 1}, {KERNIX_CUDA, -1}, {0, 0}, {KERNIX_CUDA_HOST, 0}}) {
    kernix_selector *made = nullptr;
    EXPECT_EQ(kernix_selector_create(wrong, &made), KERNIX_ERROR_VALUE);
    EXPECT_EQ(kernix_registry_selector(wrong, &made), KERNIX_ERROR_VALUE);
    EXPECT_EQ(made, nullptr);
  }
}

TEST_F(SelectorInterface, DtypesThatDoNotExist) {
  for (kernix_dtype wrong : {kernix_dtype{KERNIX_FLOAT, 8, 1},
                             {KERNIX_BFLOAT, 32, 1},
                             {KERNIX_FLOAT, 32, 4},
                             {KERNIX_INT, 4, 1},
                             {KERNIX_NO_DTYPE, 0, 1},
                             {KERNIX_BOOL, 1, 1},
                             {3, 64, 1}})
    EXPECT_EQ(kernix_selector_select(selector, "f", 1, &wrong, 1, KERNIX_KERNEL_AUTO, &out, nullptr),
              KERNIX_ERROR_VALUE);
  EXPECT_EQ(kernix_kernel_dtype_of(&half, 1, &out), KERNIX_OK);
  EXPECT_EQ(out, KERNIX_KERNEL_FLOAT16);
}

TEST_F(SelectorInterface, Times) {
  EXPECT_BAD(kernix_selector_update_performance(selector, "f", 1, 0, -1),
             "execution time: expected a finite number that is not negative, got -1");
  EXPECT_EQ(kernix_selector_update_performance(selector, "f", 1, 0, std::nanf("")), KERNIX_ERROR_VALUE);
  kernix_performance performance;
  EXPECT_EQ(kernix_selector_performance(selector, "f", 1, 0, &performance), KERNIX_ERROR_KEY);
  EXPECT_STREQ(kernix_last_error(), "nothing was measured of 'f' with that dtype");
}

TEST_F(SelectorInterface, NamesHaveALength) {
  const kernix_capability capability = {KERNIX_KERNEL_FLOAT16, 1, 0, 1, 1};
  EXPECT_EQ(kernix_selector_register(selector, "blend and more", 5, &capability), KERNIX_OK);
  EXPECT_EQ(kernix_selector_is_available(selector, "blend", 5, KERNIX_KERNEL_FLOAT16, &out), KERNIX_OK);
  EXPECT_EQ(out, 1);
  EXPECT_EQ(kernix_selector_is_available(selector, "blen", 4, KERNIX_KERNEL_FLOAT16, &out), KERNIX_OK);
  EXPECT_EQ(out, 0);
}

TEST_F(SelectorInterface, EachThreadHasItsOwnMessage) {
  EXPECT_EQ(kernix_selector_set_policy(selector, "f", 1, 7), KERNIX_ERROR_VALUE);
  std::thread([&] { EXPECT_EQ(kernix_selector_set_policy(selector, "f", 1, 8), KERNIX_ERROR_VALUE); }).join();
  EXPECT_STREQ(kernix_last_error(), "policy: expected 0 to 2, got 7");
}

TEST_F(SelectorInterface, VisitorsMayCallBack) {
  kernix_selector_update_performance(selector, "f", 1, KERNIX_KERNEL_FLOAT16, 2);
  const auto visit = [](void *context, const char *, int32_t, const kernix_performance *) {
    auto *self = static_cast<kernix_selector *>(context);
    const kernix_capability capability = {KERNIX_KERNEL_FLOAT16, 1, 0, 1, 1};
    EXPECT_EQ(kernix_selector_register(self, "made meanwhile", 14, &capability), KERNIX_OK);
    EXPECT_EQ(kernix_selector_update_performance(self, "made meanwhile", 14, KERNIX_KERNEL_FLOAT16, 1), KERNIX_OK);
  };
  EXPECT_EQ(kernix_selector_visit_performance(selector, visit, selector), KERNIX_OK);
  kernix_performance performance;
  EXPECT_EQ(kernix_selector_performance(selector, "made meanwhile", 14, KERNIX_KERNEL_FLOAT16, &performance),
            KERNIX_OK);
  EXPECT_EQ(performance.count, 1);
}

TEST_F(SelectorInterface, VisitsWhatWasMeasured) {
  kernix_selector_update_performance(selector, "f_fp16", 6, KERNIX_KERNEL_FLOAT16, 2);
  kernix_selector_update_performance(selector, "g", 1, KERNIX_KERNEL_FLOAT32, 3);
  std::string text;
  const auto visit = [](void *context, const char *operation, int32_t dtype, const kernix_performance *performance) {
    *static_cast<std::string *>(context) +=
        std::string(operation) + ":" + std::to_string(dtype) + ":" + std::to_string(performance->count) + " ";
  };
  EXPECT_EQ(kernix_selector_visit_performance(selector, visit, &text), KERNIX_OK);
  EXPECT_EQ(text, "f:1:1 g:0:1 ");
}

} // namespace

} // namespace kernix::test
