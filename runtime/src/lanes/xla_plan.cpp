// runtime/src/lanes/xla_plan.cpp

#include "lanes/xla_plan.h"

#include "core/call_user.h"
#include "core/frame.h"
#include "core/parameter.h"
#include "core/scalar.h"
#include "core/view.h"
#include "lanes/xla_attributes.h"
#include "lanes/xla_buffers.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace kernix::lanes::xla {

using State = core::Argument::State;

namespace {

constexpr int32_t max_parameters = 24;
constexpr size_t max_object_bytes = 2048;
constexpr size_t object_alignment = 16;

/// XLA's number of a dtype; 0: it has none.
int32_t type_of(kernix_dtype dtype) {
  for (int32_t type = type_pred; type <= type_c128; ++type)
    if (core::same_dtype(dtype_of(type), dtype))
      return type;
  return 0;
}

bool is_half(kernix_dtype dtype) {
  return dtype.bits == 16 && (dtype.code == KERNIX_FLOAT || dtype.code == KERNIX_BFLOAT);
}

/// As an attribute, or a part of one.
int32_t attribute_type_of(kernix_dtype dtype) {
  if (is_half(dtype))
    return type_u16;
  if (dtype.code == KERNIX_COMPLEX)
    dtype = {KERNIX_FLOAT, static_cast<uint8_t>(dtype.bits / 2), 1};
  return type_of(dtype);
}

/// The sizes that numbers have are known, so that these are single instructions.
bool is_same_number(const void *a, const void *b, size_t size) {
  switch (size) {
  case 1:
    return std::memcmp(a, b, 1) == 0;
  case 2:
    return std::memcmp(a, b, 2) == 0;
  case 4:
    return std::memcmp(a, b, 4) == 0;
  case 8:
    return std::memcmp(a, b, 8) == 0;
  default:
    return std::memcmp(a, b, 16) == 0;
  }
}

/// Equal names are short, and a call of memcmp is long.
bool is_same(const Text &text, std::string_view name) {
  if (text.size != name.size())
    return false;
  for (size_t i = 0; i < text.size; ++i)
    if (text.data[i] != name[i])
      return false;
  return true;
}

} // namespace

/// A call that was checked.
struct Memo {
  struct Seen {
    int32_t type;
    int64_t rank;
    int64_t dims[KERNIX_MAX_RANK];
  };

  const Plan *plan = nullptr; ///< null: nothing is remembered
  bool is_in_use = false;     ///< the function is running: it may have led to another call on this thread
  core::LaunchSizes sizes;
  void *stream = nullptr; ///< of the CPU
  uint32_t given = 0;     ///< bit k: numbers_[k]
  void *args[max_parameters];
  Seen seen[max_parameters];
  alignas(object_alignment) char objects[max_object_bytes];
};

namespace {

/// Calls of one thread, by function and place in the program: attributes lie at one address there.
class Memos {
public:
  static Memo &at(const Plan *plan, const void *attributes) {
    if (!current)
      current = owner().get();
    const auto key = reinterpret_cast<uintptr_t>(plan) / 64 + reinterpret_cast<uintptr_t>(attributes) / 16;
    std::unique_ptr<Memo> &memo = current->memos_[(key ^ key / 32) % count];
    if (!memo)
      memo = std::make_unique<Memo>();
    return *memo;
  }
  ~Memos() { current = nullptr; }

private:
  static constexpr size_t count = 32;

  static std::unique_ptr<Memos> &owner() {
    thread_local std::unique_ptr<Memos> memos = std::make_unique<Memos>();
    return memos;
  }

  static thread_local Memos *current
      __attribute__((tls_model("initial-exec"))); ///< without asking whether there is one
  std::array<std::unique_ptr<Memo>, count> memos_;
};
constinit thread_local Memos *Memos::current = nullptr;

/// While a call runs.
class InUse {
public:
  explicit InUse(Memo &memo) : memo_(memo) { memo_.is_in_use = true; }
  ~InUse() { memo_.is_in_use = false; }
  InUse(const InUse &) = delete;
  InUse &operator=(const InUse &) = delete;

private:
  Memo &memo_;
};

} // namespace

std::unique_ptr<const Plan> Plan::make(const kernix_operation &operation, int32_t variant) {
  const kernix_function &function = *operation.functions[variant];
  const bool is_kernel = function.kind == KERNIX_KERNEL;
  const bool is_callable = is_kernel ? function.cuda && function.cuda->launch_kernel : function.thunk != nullptr;
  if (function.abi_version != KERNIX_ABI_VERSION || (function.flags & KERNIX_FOR_CUDA) ||
      function.derivative != KERNIX_NO_DERIVATIVE || function.result.passing != KERNIX_PASS_VOID || !is_callable ||
      function.num_parameters > max_parameters)
    return nullptr;
  std::unique_ptr<Plan> plan(new Plan(function));
  std::array<int32_t, max_parameters> operand_of, result_of;
  operand_of.fill(-1);
  result_of.fill(-1);
  const Counts counts = number_by_role(function, true, operand_of.data(), result_of.data());
  plan->num_operands_ = counts.operands;
  plan->num_results_ = counts.results;
  for (int32_t i = 0; i < function.num_parameters; ++i) {
    const auto at = static_cast<size_t>(i);
    bool is_taken = false;
    switch (core::treatment(function, function.parameters[i])) {
    case core::Treatment::Tensor:
      is_taken = plan->add_tensor(i, operand_of[at], result_of[at]);
      break;
    case core::Treatment::Scalar:
      is_taken = plan->add_number(i);
      break;
    case core::Treatment::Stream:
      plan->streams_.push_back(i);
      is_taken = true;
      break;
    default:
      break;
    }
    if (!is_taken)
      return nullptr;
  }
  if (operation.num_functions > 1) {
    Number &number = plan->numbers_.emplace_back();
    number = {"kernix.variant", -1, type_s64, false, false, false, sizeof(int64_t), 0, {}};
    const int64_t value = variant;
    std::memcpy(number.initial, &value, sizeof value);
  }
  std::sort(plan->numbers_.begin(), plan->numbers_.end(),
            [](const Number &a, const Number &b) { return a.name < b.name; });
  return plan->object_bytes_ <= max_object_bytes ? std::move(plan) : nullptr;
}

size_t Plan::take(size_t size) {
  const size_t offset = object_bytes_;
  object_bytes_ += (size + object_alignment - 1) / object_alignment * object_alignment;
  return offset;
}

bool Plan::add_tensor(int32_t index, int32_t operand, int32_t result) {
  const kernix_parameter &target = function_.parameters[index];
  constexpr uint32_t others = KERNIX_DIFF_VIEW | KERNIX_CARRIED | KERNIX_HOST_MEMORY;
  if (operand < 0 && result < 0)
    return false;
  if ((target.flags & others) || target.view_hooks || core::is_shadow(target))
    return false;
  const bool is_allocated = operand < 0 && core::is_allocated(core::Treatment::Tensor, target);
  const bool takes_any = target.dtype.code == KERNIX_NO_DTYPE;
  const int32_t type = takes_any ? 0 : type_of(target.dtype);
  if (takes_any ? is_allocated : type == 0)
    return false;
  size_t size = sizeof(char *);
  if (target.passing != KERNIX_PASS_POINTER)
    size = target.passing == KERNIX_PASS_TENSOR ? sizeof(kernix_tensor) : sizeof(kernix_tensor_view);
  const bool is_zeroed = operand < 0 && (target.flags & KERNIX_ZERO_INIT);
  const uintptr_t misaligned = target.element_alignment > 1 ? static_cast<uintptr_t>(target.element_alignment) - 1 : 0;
  tensors_.push_back({index, operand, result, type, misaligned, is_allocated, is_zeroed, take(size)});
  return true;
}

bool Plan::add_number(int32_t index) {
  const kernix_parameter &target = function_.parameters[index];
  const size_t size = target.dtype.bits / 8;
  const int32_t type = attribute_type_of(target.dtype);
  const bool is_odd = size != 1 && size != 2 && size != 4 && size != 8 && size != 16;
  if (target.passing != KERNIX_PASS_SCALAR || !is_attribute(function_, target) || type == 0 || is_odd ||
      static_cast<size_t>(target.size) != size)
    return false;
  Number &number = numbers_.emplace_back();
  number = {target.name, index,      type, target.dtype.code == KERNIX_COMPLEX, false, target.value.code != nullptr,
            size,        take(size), {}};
  if (!number.is_computed && (target.flags & KERNIX_HAS_DEFAULT)) {
    number.has_default =
        core::is_accepted(core::convert_scalar(core::default_scalar(target), target.dtype, number.initial));
    return number.has_default;
  }
  return true;
}

bool Plan::call(const XLA_FFI_CallFrame &frame, int *status) const {
  if (frame.operands.size != num_operands_ || frame.results.size != num_results_)
    return false;
  Memo &memo = Memos::at(this, frame.attributes.values);
  if (memo.is_in_use)
    return false;
  if (memo.plan != this || !remembers(frame, memo)) {
    memo.plan = nullptr;
    if (!check(frame, memo))
      return false;
    memo.plan = this;
  }
  *status = run(frame, memo);
  return true;
}

/// What is true of addresses, which are others in each call.
inline bool Plan::has_memory(const XLA_FFI_CallFrame &frame, const Tensor &tensor, const Buffer &buffer) const {
  if (!buffer.data || (reinterpret_cast<uintptr_t>(buffer.data) & tensor.misaligned))
    return false;
  return tensor.operand < 0 || tensor.result < 0 || frame.results.buffers[tensor.result]->data == buffer.data;
}

/// visit(k, type, data) for each of numbers_; data is null where it is not given. False: attributes are not as
/// expected, or visit() says so.
template <class Visit>
[[gnu::always_inline]] inline bool Plan::visit_numbers(const Attributes &attributes, Visit visit) const {
  int64_t at = 0;
  for (size_t k = 0; k < numbers_.size(); ++k) {
    const Number &number = numbers_[k];
    if (at >= attributes.size || !is_same(*attributes.names[at], number.name)) {
      if (!visit(k, 0, nullptr))
        return false;
      continue;
    }
    const void *data = nullptr;
    int32_t type = 0;
    if (attributes.types[at] == attribute_scalar && !number.is_complex) {
      const Scalar &scalar = *static_cast<const Scalar *>(attributes.values[at]);
      data = scalar.value;
      type = scalar.dtype;
    } else if (attributes.types[at] == attribute_array && number.is_complex) {
      const Array &array = *static_cast<const Array *>(attributes.values[at]);
      data = array.data;
      type = array.size == 2 ? array.dtype : 0;
    }
    // A uint64 may come as the int64 of the same bits. What is computed, a call that gives it is compared with.
    const bool fits = type == number.type || (number.type == type_u64 && type == type_s64);
    if (!fits || number.is_computed || !visit(k, type, data))
      return false;
    ++at;
  }
  return at == attributes.size;
}

/// Takes the addresses of a call that is otherwise the remembered one.
[[gnu::always_inline]] inline bool Plan::remembers(const XLA_FFI_CallFrame &frame, Memo &memo) const {
  for (size_t k = 0; k < tensors_.size(); ++k) {
    const Tensor &tensor = tensors_[k];
    const Memo::Seen &seen = memo.seen[k];
    const Buffer &buffer = buffer_of(frame, tensor);
    if (buffer.dtype != seen.type || buffer.rank != seen.rank || !has_memory(frame, tensor, buffer))
      return false;
    for (int64_t d = 0; d < seen.rank; ++d)
      if (buffer.dims[d] != seen.dims[d])
        return false;
    void *&data = *reinterpret_cast<void **>(memo.objects + tensor.object);
    if (data != buffer.data) // what is not written need not be waited for
      data = buffer.data;
  }
  return visit_numbers(frame.attributes, [&](size_t k, int32_t, const void *data) {
    const Number &number = numbers_[k];
    if ((data != nullptr) != ((memo.given >> k & 1) != 0))
      return false;
    const void *known = number.parameter < 0 ? number.initial : memo.objects + number.object;
    return !data || is_same_number(data, known, number.size);
  });
}

/// Everything of a call. False: it is for the long way.
bool Plan::check(const XLA_FFI_CallFrame &frame, Memo &memo) const {
  for (size_t k = 0; k < tensors_.size(); ++k)
    if (!check_tensor(frame, k, memo))
      return false;
  memo.given = 0;
  const bool has_numbers = visit_numbers(frame.attributes, [&](size_t k, int32_t type, const void *data) {
    const Number &number = numbers_[k];
    if (number.parameter < 0)
      return data && std::memcmp(data, number.initial, number.size) == 0;
    char *const object = memo.objects + number.object;
    memo.args[number.parameter] = object;
    if (data) {
      std::memcpy(object, data, number.size);
      if (type == type_pred)
        *object = *object != 0 ? 1 : 0;
      memo.given |= 1u << k;
    } else if (number.has_default) {
      std::memcpy(object, number.initial, number.size);
    }
    return data || number.has_default || number.is_computed;
  });
  if (!has_numbers)
    return false;
  for (const int32_t index : streams_)
    memo.args[index] = &memo.stream;
  return resolve(frame, memo);
}

bool Plan::check_tensor(const XLA_FFI_CallFrame &frame, size_t index, Memo &memo) const {
  const Tensor &tensor = tensors_[index];
  const kernix_parameter &target = function_.parameters[tensor.parameter];
  const Buffer &buffer = buffer_of(frame, tensor);
  if (tensor.type ? buffer.dtype != tensor.type : dtype_of(buffer.dtype).lanes != 1)
    return false;
  const int64_t axes = buffer.rank - target.element_ndim;
  if (buffer.rank > KERNIX_MAX_RANK || (target.rank >= 0 ? axes != target.rank : axes < 0))
    return false;
  if (!std::equal(target.element_shape, target.element_shape + target.element_ndim, buffer.dims + axes) ||
      !has_memory(frame, tensor, buffer))
    return false;
  Memo::Seen &seen = memo.seen[index];
  seen.type = buffer.dtype;
  seen.rank = buffer.rank;
  std::copy_n(buffer.dims, buffer.rank, seen.dims);
  char *const object = memo.objects + tensor.object;
  memo.args[tensor.parameter] = object;
  if (target.passing == KERNIX_PASS_TENSOR_VIEW) {
    auto &view = *reinterpret_cast<kernix_tensor_view *>(object);
    core::fill_row_major(view, buffer.data, buffer.dims, static_cast<int32_t>(axes));
  } else if (target.passing == KERNIX_PASS_TENSOR) {
    auto &any = *reinterpret_cast<kernix_tensor *>(object);
    core::fill_row_major(any, buffer.data, buffer.dims, static_cast<int32_t>(buffer.rank));
    any.dtype = dtype_of(buffer.dtype);
    any.device_type = KERNIX_CPU;
  } else {
    std::memcpy(object, &buffer.data, sizeof buffer.data);
  }
  return true;
}

/// Values, shapes and launch sizes, which follow from sizes and numbers.
bool Plan::resolve(const XLA_FFI_CallFrame &frame, Memo &memo) const {
  core::Frame resolved(function_, nullptr, nullptr, core::Purpose::Call);
  for (const Tensor &tensor : tensors_) {
    core::Argument &argument = resolved.argument(tensor.parameter);
    const Buffer &buffer = buffer_of(frame, tensor);
    argument.state = tensor.is_allocated ? State::Pending : State::Given;
    argument.is_given = !tensor.is_allocated;
    argument.shape = buffer.dims;
    argument.ndim = static_cast<int32_t>(buffer.rank) - function_.parameters[tensor.parameter].element_ndim;
  }
  for (const Number &number : numbers_) {
    if (number.parameter < 0)
      continue;
    const kernix_dtype dtype = function_.parameters[number.parameter].dtype;
    core::Argument &argument = resolved.argument(number.parameter);
    argument.state = number.is_computed ? State::Pending : State::Given;
    argument.object = memo.args[number.parameter];
    if (!number.is_computed && (dtype.code == KERNIX_INT || dtype.code == KERNIX_UINT || dtype.code == KERNIX_BOOL))
      argument.fits_int64 = core::load_integer(dtype, argument.object, &argument.integer);
  }
  if (resolved.resolve() != KERNIX_OK || !has_allocated_shapes(frame, resolved))
    return false;
  memo.sizes = {};
  return function_.kind != KERNIX_KERNEL || (core::resolve_launch(resolved, &memo.sizes) == KERNIX_OK &&
                                             core::prepare_shared_memory(resolved, memo.sizes) == KERNIX_OK);
}

bool Plan::has_allocated_shapes(const XLA_FFI_CallFrame &frame, const core::Frame &resolved) const {
  return std::all_of(tensors_.begin(), tensors_.end(), [&](const Tensor &tensor) {
    if (!tensor.is_allocated)
      return true;
    const Buffer &buffer = buffer_of(frame, tensor);
    const core::Argument &argument = resolved.argument(tensor.parameter);
    const int32_t ndim = argument.ndim + function_.parameters[tensor.parameter].element_ndim;
    return ndim == buffer.rank && std::equal(argument.shape, argument.shape + ndim, buffer.dims);
  });
}

int Plan::run(const XLA_FFI_CallFrame &frame, Memo &memo) const {
  for (const Tensor &tensor : tensors_) {
    if (!tensor.is_zeroed)
      continue;
    const Buffer &buffer = buffer_of(frame, tensor);
    size_t bytes = dtype_of(buffer.dtype).bits / 8;
    for (int64_t d = 0; d < buffer.rank; ++d)
      bytes *= static_cast<size_t>(buffer.dims[d]);
    std::memset(buffer.data, 0, bytes);
  }
  const InUse in_use(memo);
  int status = KERNIX_OK;
  if (function_.kind != KERNIX_KERNEL)
    status = core::call_user(function_, [&] { function_.thunk(memo.args, nullptr); });
  else if (!memo.sizes.is_empty)
    status = core::launch(function_, memo.sizes, memo.args, nullptr);
  return status == KERNIX_OK ? core::synchronise_if_asked(function_, nullptr) : status;
}

} // namespace kernix::lanes::xla
