// runtime/src/lanes/xla_plan.h - calls on the CPU as they nearly always are, prepared when a target is registered.
//
// What a call must look like is written down once: operands and results by role, attributes in XLA's order. A call that
// looks otherwise, be it right or wrong, is left to the long way, which takes everything and says what is wrong. Each
// thread remembers calls that it has checked: sizes, numbers, launch and C++ objects of one that has all of these in
// common are known.

#ifndef KERNIX_LANES_XLA_PLAN_H
#define KERNIX_LANES_XLA_PLAN_H

#include "kernix/abi.h"
#include "lanes/xla_abi.h"

#include <memory>
#include <string_view>
#include <vector>

namespace kernix::core {
class Frame;
}

namespace kernix::lanes::xla {

struct Memo;

class Plan {
public:
  /// Null: calls of this variant always go the long way.
  static std::unique_ptr<const Plan> make(const kernix_operation &operation, int32_t variant);

  /// True: the call was made, and *status is how it ended. False: it is not for this plan, and nothing has happened.
  bool call(const XLA_FFI_CallFrame &frame, int *status) const;

private:
  struct Tensor {
    int32_t parameter;
    int32_t operand, result; ///< -1: none
    int32_t type;            ///< XLA's; 0: any
    uintptr_t misaligned;    ///< bits of an address that must be 0
    bool is_allocated;       ///< with a shape that the function declares
    bool is_zeroed;
    size_t object; ///< its place among a call's C++ objects, which begin with the pointer
  };
  /// An attribute. They are in the order of XLA's.
  struct Number {
    std::string_view name;
    int32_t parameter; ///< -1: the variant's number
    int32_t type;      ///< XLA's; of complex numbers that of their parts
    bool is_complex, has_default, is_computed;
    size_t size;
    size_t object;
    alignas(16) char initial[16]; ///< default; the variant's number
  };

  explicit Plan(const kernix_function &function) : function_(function) {}

  bool add_tensor(int32_t index, int32_t operand, int32_t result);
  bool add_number(int32_t index);
  size_t take(size_t size);

  const Buffer &buffer_of(const XLA_FFI_CallFrame &frame, const Tensor &tensor) const {
    return tensor.operand >= 0 ? *frame.operands.buffers[tensor.operand] : *frame.results.buffers[tensor.result];
  }
  Memo *remember(const XLA_FFI_CallFrame &frame) const noexcept;
  bool check(const XLA_FFI_CallFrame &frame, Memo &memo) const;
  bool check_tensor(const XLA_FFI_CallFrame &frame, const Tensor &tensor, Memo &memo) const;
  bool read_numbers(const Attributes &attributes, Memo &memo) const;
  bool resolve(const XLA_FFI_CallFrame &frame, Memo &memo) const;
  bool has_allocated_shapes(const XLA_FFI_CallFrame &frame, const core::Frame &resolved) const;
  void fill_with_zeros(const XLA_FFI_CallFrame &frame) const;
  int run(const XLA_FFI_CallFrame &frame, Memo &memo) const;

  const kernix_function &function_;
  std::vector<Tensor> tensors_;
  std::vector<Number> numbers_;
  std::vector<int32_t> streams_; ///< parameters
  int64_t num_operands_ = 0, num_results_ = 0;
  size_t object_bytes_ = 0;
  bool has_zeroed_ = false;
};

} // namespace kernix::lanes::xla

#endif // KERNIX_LANES_XLA_PLAN_H
