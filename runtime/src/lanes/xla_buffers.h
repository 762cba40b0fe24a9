// runtime/src/lanes/xla_buffers.h - which parameter each operand and result of an XLA call stands for.

#ifndef KERNIX_LANES_XLA_BUFFERS_H
#define KERNIX_LANES_XLA_BUFFERS_H

#include "core/arena.h"
#include "kernix/abi.h"
#include "lanes/xla_abi.h"
#include "lanes/xla_attributes.h"

#include <memory>
#include <span>
#include <vector>

namespace kernix::lanes::xla {

/// Where the memory of an XLA call is.
struct Device {
  int32_t type;
  int32_t id;
  void *stream;
};

/// Numbers the tensors that are read (operands) and that are written (results) in the order of the parameters, in
/// arrays by parameter; others are left alone. With or without those that are optional. Gives how many there are.
struct Counts {
  int64_t operands, results;
};
Counts number_by_role(const kernix_function &function, bool with_optional, int32_t *operand_of, int32_t *result_of);

/// Whether the caller gave a result the memory of an operand, by input_output_aliases; XLA shares it for no other
/// reason. What is added to then begins with what the operand holds, not with zeros.
bool is_in_place_of_an_operand(const Buffer &result, const Buffers &operands);

/// The operands and results of one call, by parameter. By role, if the call does not say otherwise: what is read is an
/// operand, what is written a result, what is both (inout_ptr) an operand and a result that lie in the same memory.
class CallBuffers {
public:
  CallBuffers(const kernix_function &function, const XLA_FFI_CallFrame &frame, const Device &device);

  ~CallBuffers();
  CallBuffers(const CallBuffers &) = delete;
  CallBuffers &operator=(const CallBuffers &) = delete;

  int assign(const CallAttributes &attributes);

  /// Elements of the batch; 1 without one.
  int64_t batch_size() const { return batch_size_; }
  /// How many elements that follow each other differ by constant strides: those of the innermost axes.
  int64_t row_size() const { return row_size_; }
  /// From now on fill() is for so many elements at once: 1, or a row.
  void set_elements_at_once(int64_t count) { at_once_ = count; }
  /// Bytes from one element of a row to the next, by parameter. Those of scratch memory are known when it is allocated.
  const int64_t *strides() { return strides_.data(); }
  /// Values of tensors for an element of the batch, the first one of several. Results that a call allocates are left to
  /// allocate().
  int fill(int64_t element, const kernix_function &function, kernix_value *values);
  /// A kernix_allocate that hands out the results, and scratch memory for outputs that nobody asked for; the context is
  /// the CallBuffers.
  static int allocate(void *context, int32_t parameter, kernix_dtype dtype, int32_t ndim, const int64_t *shape,
                      int32_t device_type, int32_t device_id, int zeroed, kernix_dltensor *tensor);

private:
  int assign_by_role();
  int assign_list(std::span<const int64_t> parameters, const Buffers &buffers, const char *what,
                  core::SmallArray<int32_t, 24> &to);
  int assign_batch(std::span<const int64_t> batch);
  int fail_count(const char *what, int64_t expected, int64_t got, const char *more) const;
  void make_tensor(const Buffer &buffer, uint64_t axes, int64_t element, kernix_dltensor *tensor) const;
  void release_scratch();
  /// Of all elements that a call is for.
  int fill_with_zeros(const kernix_dltensor &tensor) const;
  bool varies_in_row(uint64_t operand) const;
  /// For what is added to.
  int clear_result(const Buffer &result, const kernix_dltensor &tensor) const;
  int allocate_scratch(int32_t index, kernix_dtype dtype, int32_t ndim, const int64_t *shape, kernix_dltensor *tensor);
  int fill_result(int32_t index, int64_t element, const kernix_function &function, kernix_value *value);

  const kernix_function &function_; ///< the variant whose roles these are
  const XLA_FFI_CallFrame &frame_;
  const Device device_;
  const kernix_function *called_ = nullptr;
  core::SmallArray<int32_t, 24> operand_of_, result_of_; ///< by parameter, -1: none
  core::SmallArray<kernix_dltensor, 24> tensors_;
  core::SmallArray<int64_t, 24> strides_;
  std::span<const int64_t> batch_;
  int64_t batch_size_ = 1, row_size_ = 1, at_once_ = 1;
  int64_t element_ = 0;
  struct Scratch {
    int64_t shape[KERNIX_MAX_RANK];
    size_t size;
    void *data;
  };
  std::vector<std::unique_ptr<Scratch>> scratch_; ///< of one element: released in the order of the stream
};

} // namespace kernix::lanes::xla

#endif // KERNIX_LANES_XLA_BUFFERS_H
