// runtime/src/core/frame.h - one call in preparation: the arguments of a function, checked and converted.
//
// Steps, in this order: bind() takes what the caller gave, resolve() computes what it left out and compares what it
// gave although it is computed, allocate() asks the caller for missing outputs, place() builds the C++ objects. Nothing
// is written to the caller's memory by any of them. Errors name the signature, the argument, what was expected and what
// came.

#ifndef KERNIX_CORE_FRAME_H
#define KERNIX_CORE_FRAME_H

#include "core/arena.h"
#include "core/expression.h"
#include "core/parameter.h"
#include "core/scalar.h"
#include "kernix/abi.h"

#include <string>
#include <utility>

namespace kernix::core {

struct Argument {
  enum class State : uint8_t {
    Missing,   ///< required and not given; an error, except where only shapes are asked for
    Given,     ///< by the caller, or by its default
    Null,      ///< optional and not given
    Computed,  ///< `value` or an allocated output's shape: done
    Pending,   ///< likewise, not done yet
    InProgress ///< likewise, being computed: meeting it again is a cycle
  };
  State state = State::Missing;
  bool is_given = false;                   ///< the caller passed a value
  bool is_marked = false;                  ///< a gradient that overlaps another: see kernix_launch_facts
  bool is_in_scratch = false;              ///< a gradient with replicas or notes: likewise
  bool has_only_sizes = false;             ///< an output that f has, of which its derivative is given none
  bool is_in_float = false;                ///< a 16-bit gradient that is summed in float: see scratch_gradients.h
  bool fits_int64 = true;                  ///< of `integer`
  int32_t ndim = 0;                        ///< axes of elements
  const int64_t *shape = nullptr;          ///< sizes of these axes, then of the element's own
  const kernix_dltensor *tensor = nullptr; ///< null until allocated
  int64_t integer = 0;                     ///< value of integer and bool scalars
  void *object = nullptr;                  ///< what the function is passed: address of the C++ object
  void *result = nullptr;                  ///< of references and arrays that host functions fill: their memory
  int64_t own_shape[KERNIX_MAX_RANK];      ///< uninitialised until `shape` points here
  kernix_dltensor own_tensor;              ///< uninitialised until `tensor` points here
};

/// What a call needs checked: everything, or only what shapes depend on.
enum class Purpose { Call, Shapes };

class Frame final : public Operands {
public:
  Frame(const kernix_function &function, const kernix_value *values, const kernix_call_options *options,
        Purpose purpose)
      : function_(function), values_(values), options_(options), purpose_(purpose),
        arguments_(static_cast<size_t>(function.num_parameters)) {}

  int bind();
  int resolve();
  int resolve_shape(int32_t index);
  /// Shape that the attribute of a tensor parameter declares, element axes included.
  int output_shape(int32_t index, int64_t *shape, int32_t *ndim);
  int allocate();
  int place(void *storage);

  const kernix_function &function() const { return function_; }
  const kernix_parameter &parameter(int32_t index) const { return function_.parameters[index]; }
  Argument &argument(int32_t index) { return arguments_[static_cast<size_t>(index)]; }
  const Argument &argument(int32_t index) const { return arguments_[static_cast<size_t>(index)]; }
  const kernix_call_options *options() const { return options_; }

  /// Device of the tensors. Without any: the CPU, or CUDA's current device (`device_id` is -1 until it is known).
  int32_t device_type() const { return is_cuda() ? KERNIX_CUDA : KERNIX_CPU; }
  int32_t device_id() const { return device_id_; }
  void set_device_id(int32_t id) { device_id_ = id; }
  bool is_cuda() const { return (function_.flags & KERNIX_FOR_CUDA) != 0; }

  /// Elements of a bound or resolved tensor (see resolve_shape); vectors and structs count as one.
  int64_t numel(int32_t index) const;
  /// Written tensors exist, and none of them has an element.
  bool all_outputs_are_empty();
  /// The first tensor that the function writes (in f_bwd: that f writes), or -1.
  int32_t first_output() const;
  /// Whether the launch is sized after this parameter: an output of f, in derivatives too.
  bool is_primal_output(int32_t index) const;
  /// The parameter's, or that of the value whose shadow it is.
  kernix_dtype dtype_of(int32_t index) const;
  /// The argument whose sizes the parameter has: f_bwd may be called without the value of an output, and then knows it
  /// from the cotangent.
  const Argument &sizes_of(int32_t index) const;
  Argument &sizes_of(int32_t index) { return const_cast<Argument &>(std::as_const(*this).sizes_of(index)); }
  /// Whether a value may be None, for all that is known before the launch facts are: its sizes are those of its
  /// gradient.
  bool may_lack_value(int32_t index) const;
  /// Whether f has an output that its derivative is not given, nor a shadow to know its sizes from.
  bool is_output_without_value(int32_t index) const;
  /// In the forward derivative of a backward one: the gradient of an optional tensor that is given. As the backward one
  /// does, the call makes it unasked.
  bool is_gradient_of_given(int32_t index) const;
  /// Whether what was given must not be written to.
  bool is_read_only(int32_t index) const { return (values_[index].flags & KERNIX_VALUE_READ_ONLY) != 0; }
  /// What f_bwd is passed for a value that it does not read and was not given: null would say that f had none.
  const kernix_dltensor *stand_in(int32_t index) const;
  /// Some output was allocated without zeroing and has elements: a launch must happen.
  bool has_uninitialised_output() const;

  void set_block(const int64_t block[3]) { block_ = block; }

  /// Sets "<signature>: argument '<name>': expected <expected>, got <got>".
  int fail(int status, int32_t index, const std::string &expected, const std::string &got) const;
  /// Of an output that a derivative is not given.
  int fail_unknown_sizes(int32_t index) const;
  /// Sets "<signature>: <message>".
  int fail(int status, const std::string &message) const;

  int load(const kernix_instruction &instruction, int64_t *value) override;
  std::string operand_text(const kernix_instruction &instruction) const override;
  std::string context() const override { return function_.signature; }

private:
  int bind_absent(int32_t index, Treatment treatment);
  int bind_default(int32_t index, Treatment treatment);
  int bind_absent_shadow(int32_t index, Treatment treatment);
  int check_shadows() const;
  int bind_tensor(int32_t index, Treatment treatment);
  int bind_scalar(int32_t index);
  int bind_struct(int32_t index);
  int bind_string(int32_t index);
  int bind_stream(int32_t index);

  int check_element(int32_t index, const kernix_dltensor &tensor) const;
  int check_device(int32_t index, Treatment treatment, const kernix_dltensor &tensor);
  int check_memory(int32_t index, const kernix_dltensor &tensor) const;
  int check_strides(int32_t index, const kernix_dltensor &tensor) const;
  int check_cell(int32_t index, const kernix_dltensor &tensor) const;

  int resolve_integer(int32_t index);
  int compute_shape(int32_t index, int64_t *shape, int32_t *ndim);
  int compare_shape(int32_t index);
  int compare_integer(int32_t index);
  int fail_missing(int32_t index) const;
  int fail_cycle(int32_t index) const;
  int fail_scalar(const std::string &name, kernix_dtype dtype, Conversion outcome, const kernix_value &value) const;
  int fail_tensor_kind(int32_t index) const;

  void place_tensor(int32_t index);
  char *address_of(int32_t index) const;
  kernix_tensor_view *view_of(int32_t index);
  void place_check(const kernix_parameter &parameter, kernix_view_check *check);
  void place_view(int32_t index, kernix_tensor_view *view) const;
  void place_any(int32_t index, kernix_tensor *tensor) const;

  const kernix_function &function_;
  const kernix_value *values_;
  const kernix_call_options *options_;
  const Purpose purpose_;
  int32_t device_id_ = -1;
  int32_t device_owner_ = -1; ///< first tensor argument, for messages
  const int64_t *block_ = nullptr;
  uint64_t call_number_ = 0; ///< 0: nobody has asked yet
  SmallArray<Argument, 24> arguments_;
  Arena arena_;
};

/// Bytes that place() needs for the results of `function`.
size_t result_storage_size(const kernix_function &function);

} // namespace kernix::core

#endif // KERNIX_CORE_FRAME_H
