// runtime/src/lanes/xla_plan.cpp

#include "lanes/xla_plan.h"

#include "core/call_user.h"
#include "core/frame.h"
#include "core/parameter.h"
#include "core/scalar.h"
#include "core/view.h"
#include "lanes/xla_attributes.h"
#include "lanes/xla_buffers.h"
#include "selector/call_times.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

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

template <class T> bool is_same_bits(const void *a, const void *b) {
  T one, other;
  std::memcpy(&one, a, sizeof one);
  std::memcpy(&other, b, sizeof other);
  return one == other;
}

/// The sizes that numbers have are known, so that these are single instructions. Usual ones first.
bool is_same_number(const void *a, const void *b, size_t size) {
  if (size == 4)
    return is_same_bits<uint32_t>(a, b);
  if (size == 8)
    return is_same_bits<uint64_t>(a, b);
  return std::memcmp(a, b, size) == 0;
}

/// Of addresses, which are others in each call.
bool is_memory(const Buffer &buffer, uintptr_t misaligned) {
  return buffer.data && !(reinterpret_cast<uintptr_t>(buffer.data) & misaligned);
}

struct Value {
  int32_t type; ///< 0: none that a number has
  const void *data;
};

/// Of a scalar, or of the array of two that a complex number comes as.
Value value_of(int32_t kind, const void *value) {
  if (kind == attribute_scalar) {
    const Scalar &scalar = *static_cast<const Scalar *>(value);
    return {scalar.dtype, scalar.value};
  }
  const Array &array = *static_cast<const Array *>(value);
  return {array.size == 2 ? array.dtype : 0, array.data};
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

/// A call that was checked. Flat, since it is compared with each call that comes.
struct Memo {
  struct KnownTensor {
    int32_t type;    ///< XLA's
    int32_t same_as; ///< of a result: the operand that it must lie with, and nothing else counts; -1: none
    int64_t rank;
    void **data;          ///< in `objects`
    uintptr_t misaligned; ///< bits of an address that must be 0
    int64_t dims[KERNIX_MAX_RANK];

    bool takes(const Buffer &buffer) const;
  };
  struct KnownNumber {
    std::string_view name;
    int32_t kind, type; ///< of the attribute; XLA's, of its value
    size_t size;
    const void *value;
  };

  /// Whether a call of the same plan differs in nothing but addresses, which are taken.
  bool takes(const XLA_FFI_CallFrame &frame);

  const Plan *plan = nullptr; ///< null: nothing is remembered
  bool is_in_use = false;     ///< the function is running: it may have led to another call on this thread
  int64_t num_numbers = 0;
  void *stream = nullptr; ///< of the CPU
  void *args[max_parameters];
  KnownTensor operands[max_parameters], results[max_parameters];
  KnownNumber numbers[max_parameters + 1]; ///< those that are given
  core::LaunchSizes sizes;
  alignas(object_alignment) char objects[max_object_bytes];
};

inline bool Memo::KnownTensor::takes(const Buffer &buffer) const {
  if (buffer.dtype != type || buffer.rank != rank)
    return false;
  for (int64_t d = 0; d < rank; ++d)
    if (buffer.dims[d] != dims[d])
      return false;
  if (*data == buffer.data) // which was looked at before
    return true;
  if (!is_memory(buffer, misaligned))
    return false;
  *data = buffer.data;
  return true;
}

[[gnu::always_inline]] inline bool Memo::takes(const XLA_FFI_CallFrame &frame) {
  for (int64_t k = 0; k < frame.operands.size; ++k)
    if (!operands[k].takes(*frame.operands.buffers[k]))
      return false;
  for (int64_t k = 0; k < frame.results.size; ++k) {
    const KnownTensor &known = results[k];
    const Buffer &buffer = *frame.results.buffers[k];
    if (known.same_as < 0 ? !known.takes(buffer) : frame.operands.buffers[known.same_as]->data != buffer.data)
      return false;
  }
  const Attributes &attributes = frame.attributes;
  if (attributes.size != num_numbers)
    return false;
  for (int64_t k = 0; k < num_numbers; ++k) {
    const KnownNumber &known = numbers[k];
    if (attributes.types[k] != known.kind || !is_same(*attributes.names[k], known.name))
      return false;
    const auto [type, data] = value_of(known.kind, attributes.values[k]);
    if (type != known.type || !is_same_number(data, known.value, known.size))
      return false;
  }
  return true;
}

namespace {

/// Calls of one thread, by function and place in the program: attributes lie at one address there.
class Memos {
public:
  /// Null: nothing is remembered there.
  static Memo *find(const Plan *plan, const void *attributes) {
    return current ? current->memos_[place(plan, attributes)].get() : nullptr;
  }
  static Memo &make(const Plan *plan, const void *attributes) {
    current = owner().get();
    std::unique_ptr<Memo> &memo = current->memos_[place(plan, attributes)];
    if (!memo)
      memo = std::make_unique<Memo>();
    return *memo;
  }
  ~Memos() { current = nullptr; }

private:
  static constexpr size_t count = 64;

  static size_t place(const Plan *plan, const void *attributes) {
    const auto key = reinterpret_cast<uintptr_t>(plan) / 64 + reinterpret_cast<uintptr_t>(attributes) / 16;
    return (key ^ key / count) % count;
  }

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
    number = {"kernix.variant", -1, type_s64, false, false, false, sizeof(int64_t), plan->take(sizeof(int64_t)), {}};
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
  has_zeroed_ = has_zeroed_ || is_zeroed;
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
  Memo *memo = Memos::find(this, frame.attributes.values);
  if (memo && memo->is_in_use)
    return false;
  if (!memo || memo->plan != this || !memo->takes(frame)) {
    memo = remember(frame);
    if (!memo)
      return false;
  }
  *status = run(frame, *memo);
  return true;
}

/// Null: it is for the long way.
[[gnu::noinline]] Memo *Plan::remember(const XLA_FFI_CallFrame &frame) const noexcept {
  try {
    Memo &memo = Memos::make(this, frame.attributes.values);
    memo.plan = nullptr;
    if (!check(frame, memo))
      return nullptr;
    memo.plan = this;
    return &memo;
  } catch (const std::bad_alloc &) { // the long way says so
    return nullptr;
  }
}

/// Everything of a call. False: it is for the long way.
bool Plan::check(const XLA_FFI_CallFrame &frame, Memo &memo) const {
  for (const Tensor &tensor : tensors_)
    if (!check_tensor(frame, tensor, memo))
      return false;
  if (!read_numbers(frame.attributes, memo))
    return false;
  for (const int32_t index : streams_)
    memo.args[index] = &memo.stream;
  return resolve(frame, memo);
}

/// In XLA's order, which is that of numbers_.
bool Plan::read_numbers(const Attributes &attributes, Memo &memo) const {
  memo.num_numbers = 0;
  for (const Number &number : numbers_) {
    char *const object = memo.objects + number.object;
    if (number.parameter >= 0)
      memo.args[number.parameter] = object;
    const int64_t at = memo.num_numbers;
    if (at >= attributes.size || !is_same(*attributes.names[at], number.name)) {
      if (!number.has_default && !number.is_computed)
        return false;
      std::memcpy(object, number.initial, number.size);
      continue;
    }
    // What is computed, a call that gives it is compared with.
    const int32_t kind = number.is_complex ? attribute_array : attribute_scalar;
    if (attributes.types[at] != kind || number.is_computed)
      return false;
    const auto [type, data] = value_of(kind, attributes.values[at]);
    const bool is_variant = number.parameter < 0;
    // A uint64 may come as the int64 of the same bits.
    if (type != number.type && !(number.type == type_u64 && type == type_s64))
      return false;
    if (is_variant && !is_same_number(data, number.initial, number.size))
      return false;
    std::memcpy(object, data, number.size);
    if (type == type_pred)
      *object = *object != 0 ? 1 : 0;
    memo.numbers[memo.num_numbers++] = {number.name, kind, type, number.size, object};
  }
  return memo.num_numbers == attributes.size;
}

bool Plan::check_tensor(const XLA_FFI_CallFrame &frame, const Tensor &tensor, Memo &memo) const {
  const kernix_parameter &target = function_.parameters[tensor.parameter];
  const Buffer &buffer = buffer_of(frame, tensor);
  if (tensor.type ? buffer.dtype != tensor.type : dtype_of(buffer.dtype).lanes != 1)
    return false;
  const int64_t axes = buffer.rank - target.element_ndim;
  if (buffer.rank > KERNIX_MAX_RANK || (target.rank >= 0 ? axes != target.rank : axes < 0))
    return false;
  if (!std::equal(target.element_shape, target.element_shape + target.element_ndim, buffer.dims + axes) ||
      !is_memory(buffer, tensor.misaligned))
    return false;
  char *const object = memo.objects + tensor.object;
  Memo::KnownTensor &known = tensor.operand >= 0 ? memo.operands[tensor.operand] : memo.results[tensor.result];
  known = {buffer.dtype, -1, buffer.rank, reinterpret_cast<void **>(object), tensor.misaligned, {}};
  std::copy_n(buffer.dims, buffer.rank, known.dims);
  if (tensor.operand >= 0 && tensor.result >= 0) {
    if (frame.results.buffers[tensor.result]->data != buffer.data)
      return false;
    memo.results[tensor.result].same_as = tensor.operand;
  }
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

void Plan::fill_with_zeros(const XLA_FFI_CallFrame &frame) const {
  for (const Tensor &tensor : tensors_) {
    if (!tensor.is_zeroed)
      continue;
    const Buffer &buffer = buffer_of(frame, tensor);
    if (is_in_place_of_an_operand(buffer, frame.operands))
      continue;
    size_t bytes = dtype_of(buffer.dtype).bits / 8;
    for (int64_t d = 0; d < buffer.rank; ++d)
      bytes *= static_cast<size_t>(buffer.dims[d]);
    std::memset(buffer.data, 0, bytes);
  }
}

[[gnu::always_inline]] inline int Plan::run(const XLA_FFI_CallFrame &frame, Memo &memo) const {
  if (has_zeroed_)
    fill_with_zeros(frame);
  const InUse in_use(memo);
  const bool is_kernel = function_.kind == KERNIX_KERNEL;
  int status = KERNIX_OK;
  if (!is_kernel || !memo.sizes.is_empty) {
    selector::CallTimer timer(function_, 0, nullptr);
    status = is_kernel ? core::launch(function_, memo.sizes, memo.args, nullptr)
                       : core::call_user(function_, [&] { function_.thunk(memo.args, nullptr); });
    if (status == KERNIX_OK)
      timer.stop();
  }
  return status == KERNIX_OK ? core::synchronise_if_asked(function_, nullptr) : status;
}

} // namespace kernix::lanes::xla
