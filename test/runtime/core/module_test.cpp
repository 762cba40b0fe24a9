// test/runtime/core/module_test.cpp - grouping of records into operations, ABI numbers, slots.

#include "record.h"

#include <gtest/gtest.h>
#include <string>

namespace kernix::test {

namespace {

struct Module {
  std::vector<const kernix_function *> functions;
  kernix_module_info info = {};

  explicit Module(std::vector<const kernix_function *> list, kernix_target target = KERNIX_TARGET_CPU)
      : functions(std::move(list)) {
    info = {KERNIX_ABI_VERSION, static_cast<uint32_t>(target), "test", functions.data(),
            functions.data() + functions.size()};
  }
  std::string text() {
    const kernix_operation *const *operations;
    int32_t count;
    if (int status = kernix_module_operations(&info, &operations, &count); status != KERNIX_OK)
      return error_of(status);
    std::string text;
    for (int32_t i = 0; i < count; ++i)
      text += std::string(i ? " " : "") + operations[i]->name + ":" + std::to_string(operations[i]->num_functions);
    return text;
  }
};

struct Named : Record {
  Named(const char *name, const char *mangled, std::vector<kernix_parameter> parameters = {})
      : Record(mangled, std::move(parameters)) {
    function.name = name;
    function.mangled_name = mangled;
  }
};

TEST(Module, GroupsVariantsInOrderOfAppearance) {
  Named f1("f", "f1", {input("x")}), g("g", "g1"), f2("f", "f2", {input("x", float64)});
  EXPECT_EQ(Module({&f1.function, nullptr, &g.function, &f2.function}).text(), "f:2 g:1");
}

TEST(Module, RecordsOfSeveralTranslationUnitsCountOnce) {
  Named f("f", "f1"), again("f", "f1");
  EXPECT_EQ(Module({&f.function, &f.function, &again.function}).text(), "f:1");
  again.function.record_hash = 5;
  EXPECT_EQ(Module({&f.function, &again.function}).text(), "runtime: f1 is bound twice, with different attributes");
}

TEST(Module, VariantsHaveTheSameParameterNames) {
  Named f1("f", "f1(x)", {input("x")}), f2("f", "f2(z)", {input("z")});
  EXPECT_EQ(Module({&f1.function, &f2.function}).text(),
            "type: f: variants of one operation must have the same parameter names, but there are f1(x) and f2(z)");
}

TEST(Module, AbiNumbers) {
  Named f("f", "f1");
  Module module({&f.function});
  module.info.abi_version = 1000;
  EXPECT_EQ(module.text(), std::string("runtime: the module was compiled for kernix ABI 1000, this runtime has ABI ") +
                               std::to_string(KERNIX_ABI_VERSION) + ": compile it again");
  f.function.abi_version = 1000;
  EXPECT_EQ(Module({&f.function}).text(),
            std::string("runtime: f was compiled for kernix ABI 1000, this runtime has ABI ") +
                std::to_string(KERNIX_ABI_VERSION) + ": compile it again");
  f.function.abi_version = KERNIX_ABI_VERSION;
  f.function.struct_size = 8;
  EXPECT_EQ(Module({&f.function}).text(),
            "runtime: f: its record has 8 bytes, this runtime expects " + std::to_string(sizeof(kernix_function)));
}

TEST(Module, TargetsAgree) {
  Named f("f", "f()");
  EXPECT_EQ(Module({&f.function}, KERNIX_TARGET_CUDA).text(),
            "runtime: f(): compiled for the CPU, but its module says CUDA");
  f.function.flags |= KERNIX_FOR_CUDA;
  EXPECT_EQ(Module({&f.function}, KERNIX_TARGET_CUDA).text(), "f:1");
}

TEST(Module, Idempotent) {
  Named f("f", "f1");
  Module module({&f.function});
  const kernix_operation *const *first, *const *second;
  int32_t count;
  ASSERT_EQ(kernix_module_operations(&module.info, &first, &count), KERNIX_OK);
  ASSERT_EQ(kernix_module_operations(&module.info, &second, &count), KERNIX_OK);
  EXPECT_EQ(first[0], second[0]);
  EXPECT_EQ(first[0]->module, &module.info);
}

TEST(Module, AnAddressThatWasReusedIsReadAgain) {
  Named f("f", "f1"), g("g", "g1");
  Module module({&f.function});
  EXPECT_EQ(module.text(), "f:1");
  module.functions[0] = &g.function;
  EXPECT_EQ(module.text(), "g:1");
}

TEST(Module, EmptyModule) { EXPECT_EQ(Module({}).text(), ""); }

TEST(Module, Slots) {
  Named f("f", "f1");
  Module module({&f.function});
  kernix_operation_slot slot = {"f", &module.info, nullptr}, missing = {"h", &module.info, nullptr};
  const kernix_operation *operation = kernix_operation_resolve(&slot);
  ASSERT_NE(operation, nullptr);
  EXPECT_EQ(operation->functions[0], &f.function);
  EXPECT_EQ(slot.resolved, operation);
  EXPECT_EQ(kernix_operation_resolve(&slot), operation);
  EXPECT_EQ(kernix_operation_resolve(&missing), nullptr);
  EXPECT_STREQ(kernix_last_error(), "the module has no operation 'h'");
}

} // namespace

} // namespace kernix::test
