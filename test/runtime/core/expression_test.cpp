// test/runtime/core/expression_test.cpp - the evaluator on its own: arithmetic, faults, messages.

#include "core/expression.h"

#include "record.h"

#include <gtest/gtest.h>

namespace kernix::test {

namespace {

constexpr int64_t highest = INT64_MAX, lowest = INT64_MIN;

/// SCALAR i is `values[i]`, called a, b, c...
class Letters final : public core::Operands {
public:
  explicit Letters(std::vector<int64_t> values) : values_(std::move(values)) {}
  int load(const kernix_instruction &instruction, int64_t *value) override {
    *value = values_[static_cast<size_t>(instruction.parameter)];
    return KERNIX_OK;
  }
  std::string operand_text(const kernix_instruction &instruction) const override {
    return std::string(1, static_cast<char>('a' + instruction.parameter));
  }
  std::string context() const override { return "f(int a, int b)"; }

private:
  std::vector<int64_t> values_;
};

int64_t apply(kernix_opcode opcode, int64_t a, int64_t b) {
  Letters letters({a, b});
  int64_t result = 0;
  EXPECT_EQ(core::evaluate(expression("a ? b", {scalar(0), scalar(1), op(opcode)}), letters, {"value", "n"}, &result),
            0)
      << kernix_last_error();
  return result;
}

std::string fault(kernix_opcode opcode, int64_t a, int64_t b) {
  Letters letters({a, b});
  int64_t result = 0;
  return error_of(
      core::evaluate(expression("a ? b", {scalar(0), scalar(1), op(opcode)}), letters, {"value", "n"}, &result));
}

TEST(Expression, Arithmetic) {
  EXPECT_EQ(apply(KERNIX_OP_ADD, 7, -3), 4);
  EXPECT_EQ(apply(KERNIX_OP_SUBTRACT, 7, -3), 10);
  EXPECT_EQ(apply(KERNIX_OP_MULTIPLY, 7, -3), -21);
  EXPECT_EQ(apply(KERNIX_OP_MIN, 7, -3), -3);
  EXPECT_EQ(apply(KERNIX_OP_MAX, 7, -3), 7);
}

TEST(Expression, DivisionTruncatesAsInC) {
  EXPECT_EQ(apply(KERNIX_OP_DIVIDE, 7, 2), 3);
  EXPECT_EQ(apply(KERNIX_OP_DIVIDE, -7, 2), -3);
  EXPECT_EQ(apply(KERNIX_OP_REMAINDER, 7, 4), 3);
  EXPECT_EQ(apply(KERNIX_OP_REMAINDER, -7, 4), -3);
  EXPECT_EQ(apply(KERNIX_OP_REMAINDER, lowest, -1), 0);
}

TEST(Expression, CeilDivRoundsUp) {
  EXPECT_EQ(apply(KERNIX_OP_CEIL_DIV, 0, 256), 0);
  EXPECT_EQ(apply(KERNIX_OP_CEIL_DIV, 1, 256), 1);
  EXPECT_EQ(apply(KERNIX_OP_CEIL_DIV, 256, 256), 1);
  EXPECT_EQ(apply(KERNIX_OP_CEIL_DIV, 257, 256), 2);
  EXPECT_EQ(apply(KERNIX_OP_CEIL_DIV, -7, 2), -3);
  EXPECT_EQ(apply(KERNIX_OP_CEIL_DIV, -7, -2), 4);
  EXPECT_EQ(apply(KERNIX_OP_CEIL_DIV, highest, 2), highest / 2 + 1);
}

TEST(Expression, OverflowIsAnErrorThatQuotesTextAndValues) {
  EXPECT_EQ(fault(KERNIX_OP_ADD, highest, 1), "value: f(int a, int b): value of 'n': `a ? b` (a = 9223372036854775807, "
                                              "b = 1): the result does not fit in 64 bits");
  for (auto [opcode, a, b] : {std::tuple{KERNIX_OP_ADD, lowest, int64_t{-1}},
                              {KERNIX_OP_SUBTRACT, lowest, int64_t{1}},
                              {KERNIX_OP_MULTIPLY, highest, int64_t{2}},
                              {KERNIX_OP_DIVIDE, lowest, int64_t{-1}},
                              {KERNIX_OP_CEIL_DIV, lowest, int64_t{-1}}})
    EXPECT_NE(fault(opcode, a, b).find("does not fit in 64 bits"), std::string::npos) << opcode;
}

TEST(Expression, NegateOverflows) {
  Letters letters({lowest});
  int64_t result;
  EXPECT_EQ(error_of(core::evaluate(expression("-a", {scalar(0), op(KERNIX_OP_NEGATE)}), letters, {"grid"}, &result)),
            "value: f(int a, int b): grid: `-a` (a = -9223372036854775808): the result does not fit in 64 bits");
}

TEST(Expression, DivisionByZero) {
  const std::string message = "value: f(int a, int b): value of 'n': `a ? b` (a = 5, b = 0): division by zero";
  EXPECT_EQ(fault(KERNIX_OP_DIVIDE, 5, 0), message);
  EXPECT_EQ(fault(KERNIX_OP_REMAINDER, 5, 0), message);
  EXPECT_EQ(fault(KERNIX_OP_CEIL_DIV, 5, 0), message);
}

TEST(Expression, OperandsAreNamedOnce) {
  Letters letters({0});
  int64_t result;
  EXPECT_EQ(error_of(core::evaluate(expression("a / a", {scalar(0), scalar(0), op(KERNIX_OP_DIVIDE)}), letters,
                                    {"shape", "y", 1}, &result)),
            "value: f(int a, int b): shape of 'y', axis 1: `a / a` (a = 0): division by zero");
}

TEST(Expression, DeepExpressions) {
  std::vector<kernix_instruction> code;
  for (int i = 0; i < 100; ++i)
    code.push_back(constant(i));
  for (int i = 0; i < 99; ++i)
    code.push_back(op(KERNIX_OP_ADD));
  Letters letters({});
  int64_t result = 0;
  EXPECT_EQ(core::evaluate(expression("sum", code), letters, {"grid"}, &result), KERNIX_OK);
  EXPECT_EQ(result, 4950);
}

TEST(Expression, MalformedCodeIsRefused) {
  Letters letters({1});
  int64_t result;
  for (const auto &code : {std::vector{op(KERNIX_OP_ADD)},
                           {scalar(0), scalar(0)},
                           {scalar(0), op(KERNIX_OP_ADD)},
                           {scalar(0), scalar(0), kernix_instruction{99, 0, 0}}})
    EXPECT_EQ(core::evaluate(expression("?", code), letters, {"grid"}, &result), KERNIX_ERROR_VALUE);
}

} // namespace

} // namespace kernix::test
