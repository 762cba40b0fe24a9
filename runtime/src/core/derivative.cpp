// runtime/src/core/derivative.cpp - shadows: what leaving them out means, and that they belong to a value; overlap.

#include "core/derivative.h"

#include "core/extent.h"
#include "core/text.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace kernix::core {

using State = Argument::State;

bool Frame::is_primal_output(int32_t index) const {
  const kernix_parameter &target = parameter(index);
  if (!is_tensor(treatment(function_, target)))
    return false;
  if (function_.derivative != KERNIX_NO_DERIVATIVE)
    return (target.flags & KERNIX_LAUNCH_OUTPUT) != 0;
  return is_written(target);
}

const Argument &Frame::sizes_of(int32_t index) const {
  const kernix_parameter &target = parameter(index);
  const Argument &own = argument(index);
  const bool is_without_value =
      own.state == State::Null && target.shadow >= 0 &&
      ((target.flags & KERNIX_PRIMAL_OUTPUT) || function_.derivative == KERNIX_BACKWARD_DERIVATIVE) &&
      argument(target.shadow).state != State::Null;
  return is_without_value ? argument(target.shadow) : own;
}

bool Frame::may_lack_value(int32_t index) const {
  const kernix_parameter &target = parameter(index);
  if (function_.derivative != KERNIX_BACKWARD_DERIVATIVE || !function_.facts || target.shadow < 0)
    return false;
  // What f has allocated and changed is left out where an operator of torch is called, whose schema has no None for it.
  const bool is_left_out = values_[index].kind == KERNIX_VALUE_NONE ||
                           (values_[index].kind == KERNIX_VALUE_ABSENT && (target.flags & KERNIX_PRIMAL_OUTPUT));
  return (parameter(target.shadow).flags & KERNIX_GRADIENT) != 0 &&
         values_[target.shadow].kind == KERNIX_VALUE_TENSOR && is_left_out;
}

bool Frame::is_output_without_value(int32_t index) const {
  const kernix_parameter &target = parameter(index);
  return (target.flags & KERNIX_NEVER_NULL) && !is_shadow(target) && target.shadow < 0 &&
         function_.derivative != KERNIX_NO_DERIVATIVE;
}

bool Frame::is_gradient_of_given(int32_t index) const {
  const kernix_parameter &target = parameter(index);
  constexpr uint32_t of_optional = KERNIX_OPTIONAL | KERNIX_ZERO_INIT;
  if (function_.derivative != KERNIX_FORWARD_DERIVATIVE || values_[index].kind != KERNIX_VALUE_ABSENT ||
      (target.flags & of_optional) != of_optional || !is_allocated(treatment(function_, target), target))
    return false;
  const int32_t value = target.shape.like;
  return value >= 0 && value < index && (parameter(value).flags & KERNIX_OPTIONAL) && !is_written(parameter(value)) &&
         argument(value).state != State::Null;
}

const kernix_dltensor *Frame::stand_in(int32_t index) const {
  const kernix_parameter &target = parameter(index);
  if (argument(index).state != State::Null || target.shadow < 0 || !is_tensor(treatment(function_, target)))
    return nullptr;
  // An f_bwd, or the f_fwd of one, of whose outputs the shadow is the cotangent.
  const bool is_forward = function_.derivative == KERNIX_FORWARD_DERIVATIVE;
  const bool is_output = (target.flags & KERNIX_PRIMAL_OUTPUT) && !(parameter(target.shadow).flags & KERNIX_TANGENT);
  const bool may_be_unread = function_.facts || (target.flags & KERNIX_ONLY_TESTED);
  if (is_forward ? !is_output : function_.derivative != KERNIX_BACKWARD_DERIVATIVE || !may_be_unread)
    return nullptr;
  return argument(target.shadow).tensor;
}

kernix_dtype Frame::dtype_of(int32_t index) const {
  const kernix_parameter &target = parameter(index);
  const int32_t shape_of = target.shape.declared ? target.shape.like : -1;
  const int32_t model = target.shadow_of >= 0 ? target.shadow_of : shape_of;
  if (target.dtype.code != KERNIX_NO_DTYPE || model < 0)
    return target.dtype;
  return argument(model).tensor ? argument(model).tensor->dtype : dtype_of(model);
}

int Frame::bind_absent_shadow(int32_t index, Treatment kind) {
  const kernix_parameter &target = parameter(index);
  Argument &argument = this->argument(index);
  const bool is_none = values_[index].kind == KERNIX_VALUE_NONE;
  if (kind == Treatment::Struct) { // only a tangent is left out: zeros
    if (!(target.flags & KERNIX_TANGENT))
      return fail_missing(index);
    const size_t size = static_cast<size_t>(target.size);
    argument.object = arena_.allocate(size, static_cast<size_t>(target.alignment));
    std::memset(argument.object, 0, size);
    argument.state = State::Given;
    return KERNIX_OK;
  }
  // An optional tensor that is not given has no gradient. (The value comes before its shadow.)
  const bool has_no_value = target.shadow_of >= 0 && this->argument(target.shadow_of).state == State::Null;
  if (has_no_value && (target.flags & KERNIX_OPTIONAL)) {
    argument.state = State::Null;
    return KERNIX_OK;
  }
  if (target.flags & KERNIX_COTANGENT)
    return is_none ? fail_tensor_kind(index) : fail_missing(index);
  if (is_none && (target.flags & KERNIX_GRADIENT) && !(target.flags & KERNIX_NEVER_NULL))
    argument.state = State::Null; // not wanted
  else if (is_allocated(kind, target))
    argument.state = State::Pending;
  else
    return fail_missing(index);
  return KERNIX_OK;
}

/// Shadows have to have the value that they belong to.
int Frame::check_shadows() const {
  for (int32_t i = 0; i < function_.num_parameters; ++i) {
    const kernix_parameter &target = parameter(i);
    if (!is_shadow(target) || target.shadow_of < 0)
      continue;
    if (argument(i).tensor && target.dtype.code == KERNIX_NO_DTYPE &&
        !same_dtype(argument(i).tensor->dtype, dtype_of(i)) && dtype_of(i).code != KERNIX_NO_DTYPE)
      return fail(KERNIX_ERROR_TYPE, i,
                  "a tensor of " + dtype_text(dtype_of(i)) + " like '" + parameter(target.shadow_of).name + "'",
                  "one of " + dtype_text(argument(i).tensor->dtype));
    if (!(target.flags & KERNIX_OPTIONAL))
      continue;
    const bool has_value = argument(target.shadow_of).state != State::Null;
    const bool is_given = argument(i).is_given;
    const bool is_only_cotangent = (target.flags & (KERNIX_COTANGENT | KERNIX_GRADIENT)) == KERNIX_COTANGENT;
    if (is_only_cotangent && stand_in(target.shadow_of))
      continue; // f wrote it: f_bwd does not read what
    const std::string value = std::string("'") + parameter(target.shadow_of).name + "'";
    if (!has_value && is_given)
      return fail(KERNIX_ERROR_TYPE, std::string("argument '") + target.name + "' is given without " + value +
                                         ", which is optional: the function takes it as absent");
  }
  return KERNIX_OK;
}

namespace {

struct ParameterExtent : Extent {
  int32_t index;
};

/// Whether two elements may have one address. Exact for what slicing, transposing and expanding make.
bool may_overlap_itself(const kernix_dltensor &tensor) {
  if (!tensor.strides)
    return false;
  std::vector<std::pair<int64_t, int64_t>> axes; // stride, size
  for (int32_t d = 0; d < tensor.ndim; ++d)
    if (tensor.shape[d] > 1)
      axes.emplace_back(std::abs(tensor.strides[d]), tensor.shape[d]);
  std::sort(axes.begin(), axes.end());
  int64_t reach = 0;
  for (const auto &[stride, size] : axes) {
    if (stride <= reach)
      return true;
    reach += stride * (size - 1);
  }
  return false;
}

/// What a parameter is, for messages and rules.
enum class Kind { Input, Output, Gradient, Cotangent };

Kind kind_of(const Frame &frame, int32_t index) {
  const kernix_parameter &parameter = frame.parameter(index);
  if (parameter.flags & KERNIX_GRADIENT)
    return Kind::Gradient;
  if (parameter.flags & KERNIX_COTANGENT)
    return Kind::Cotangent;
  if (frame.function().derivative != KERNIX_BACKWARD_DERIVATIVE)
    return is_written(parameter) ? Kind::Output : Kind::Input;
  // A value from before the call that nobody can have written to, as XLA's are, is one that is read.
  return (parameter.flags & KERNIX_PRIMAL_OUTPUT) && !frame.is_read_only(index) ? Kind::Output : Kind::Input;
}

const char *name_of(Kind kind) {
  switch (kind) {
  case Kind::Input:
    return "an input";
  case Kind::Output:
    return "an output";
  case Kind::Gradient:
    return "a gradient";
  case Kind::Cotangent:
    return "a cotangent";
  }
  return "";
}

/// Two inputs, two cotangents, and inputs and cotangents may share memory: nothing is written to them.
bool may_share(Kind a, Kind b) {
  const auto is_read = [](Kind kind) { return kind == Kind::Input || kind == Kind::Cotangent; };
  // f_bwd reads neither its outputs nor writes them; that f did so where a cotangent now lies is no harm.
  const auto is_pair = [&](Kind first, Kind second) {
    return (a == first && b == second) || (a == second && b == first);
  };
  return (is_read(a) && is_read(b)) || is_pair(Kind::Output, Kind::Cotangent);
}

/// Gradients that are only added to may share elements: the kernel then adds to all of them by atomic operations. Views
/// that carry theirs add in their own way, or assign.
bool may_overlap(const Frame &frame, const ParameterExtent &a, const ParameterExtent &b) {
  const auto is_only_added_to = [&](int32_t index) {
    return (frame.parameter(index).flags & (KERNIX_GRADIENT | KERNIX_COTANGENT | KERNIX_CARRIED)) == KERNIX_GRADIENT;
  };
  const kernix_dtype first = frame.argument(a.index).tensor->dtype, second = frame.argument(b.index).tensor->dtype;
  return frame.function().kind == KERNIX_KERNEL && frame.function().facts && is_only_added_to(a.index) &&
         is_only_added_to(b.index) && first.code == second.code && first.bits == second.bits &&
         (a.begin - b.begin) % (first.bits / 8u) == 0;
}

} // namespace

int check_overlap(Frame &frame) {
  const kernix_function &function = frame.function();
  std::vector<ParameterExtent> extents;
  for (int32_t i = 0; i < function.num_parameters; ++i) {
    const Argument &argument = frame.argument(i);
    if (!argument.is_given || !argument.tensor || frame.numel(i) == 0)
      continue;
    extents.push_back({extent_of(*argument.tensor), i});
    const Kind kind = kind_of(frame, i);
    const bool is_written_here = kind == Kind::Gradient || (kind == Kind::Output && is_written(frame.parameter(i)));
    if (is_written_here && may_overlap_itself(*argument.tensor))
      return frame.fail(KERNIX_ERROR_VALUE, i, "a tensor whose elements have an address each (it is written)",
                        "shape " + tuple_text(argument.tensor->shape, argument.tensor->ndim) + " with strides " +
                            tuple_text(argument.tensor->strides, argument.tensor->ndim));
  }
  for (size_t i = 0; i < extents.size(); ++i)
    for (size_t k = 0; k < i; ++k) {
      const kernix_parameter &first = frame.parameter(extents[k].index), &second = frame.parameter(extents[i].index);
      const Kind a = kind_of(frame, extents[k].index), b = kind_of(frame, extents[i].index);
      if (may_share(a, b) || !overlap(extents[i], extents[k]))
        continue;
      if (may_overlap(frame, extents[i], extents[k])) {
        frame.argument(extents[i].index).is_marked = true;
        frame.argument(extents[k].index).is_marked = true;
        continue;
      }
      return frame.fail(KERNIX_ERROR_VALUE, std::string("'") + second.name + "', " + name_of(b) + ", overlaps '" +
                                                first.name + "', " + name_of(a) +
                                                ": the derivative needs memory of its own for it");
    }
  return KERNIX_OK;
}

} // namespace kernix::core
