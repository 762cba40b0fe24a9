// runtime/src/core/bind.cpp - takes what the caller gave: scalars, structs, strings, streams, defaults.
//
// Tensors are checked in check_tensor.cpp; what is computed from other arguments comes later, in resolve.cpp.

#include "core/frame.h"

#include "core/text.h"

#include <cstring>
#include <string_view>

namespace kernix::core {

using State = Argument::State;

namespace {

/// "box.low.x", "box.tag[1]". The one member of a std::array is not shown.
std::string leaf_name(const kernix_parameter &parameter, const kernix_field &field, int32_t element) {
  static constexpr std::string_view elements = "._M_elems";
  std::string name = std::string(parameter.name) + "." + field.name;
  for (size_t at; (at = name.find(elements)) != std::string::npos;)
    name.erase(at, elements.size());
  return field.count > 1 ? name + "[" + std::to_string(element) + "]" : name;
}

} // namespace

int Frame::fail(int status, const std::string &message) const {
  return kernix_set_error(status, "%s: %s", function_.signature, message.c_str());
}

int Frame::fail(int status, int32_t index, const std::string &expected, const std::string &got) const {
  return kernix_set_error(status, "%s: argument '%s': expected %s, got %s", function_.signature, parameter(index).name,
                          expected.c_str(), got.c_str());
}

int Frame::fail_missing(int32_t index) const {
  return fail(KERNIX_ERROR_TYPE, std::string("argument '") + parameter(index).name + "' is missing");
}

int Frame::fail_scalar(const std::string &name, kernix_dtype dtype, Conversion outcome,
                       const kernix_value &value) const {
  const int status = outcome == Conversion::WrongKind ? KERNIX_ERROR_TYPE : KERNIX_ERROR_VALUE;
  return fail(status, "argument '" + name + "': expected " + expected_scalar_text(dtype, outcome) + ", got " +
                          value_text(value));
}

int Frame::bind() {
  for (int32_t i = 0; i < function_.num_parameters; ++i) {
    const Treatment kind = treatment(function_, parameter(i));
    const int32_t given = values_[i].kind;
    int status;
    if (kind == Treatment::Stream)
      status = bind_stream(i);
    else if (given == KERNIX_VALUE_ABSENT ||
             (given == KERNIX_VALUE_NONE && (is_tensor(kind) || kind == Treatment::Local)))
      status = bind_absent(i, kind);
    else if (is_tensor(kind))
      status = bind_tensor(i, kind);
    else if (kind == Treatment::Scalar)
      status = bind_scalar(i);
    else if (kind == Treatment::Struct)
      status = bind_struct(i);
    else if (kind == Treatment::String)
      status = bind_string(i);
    else
      status = fail(KERNIX_ERROR_TYPE,
                    std::string("argument '") + parameter(i).name + "' is a result of the call and cannot be given");
    if (status != KERNIX_OK)
      return status;
  }
  return function_.derivative == KERNIX_NO_DERIVATIVE || purpose_ != Purpose::Call ? KERNIX_OK : check_shadows();
}

int Frame::bind_absent(int32_t index, Treatment kind) {
  const kernix_parameter &target = parameter(index);
  Argument &argument = this->argument(index);
  if (is_shadow(target) && (is_tensor(kind) || kind == Treatment::Struct))
    return bind_absent_shadow(index, kind);
  if (is_tensor(kind)) {
    if (is_output_without_value(index)) {
      argument.state = State::Pending;
      argument.has_only_sizes = true;
    } else if (((target.flags & KERNIX_OPTIONAL) && !is_gradient_of_given(index)) || may_lack_value(index)) {
      argument.state = State::Null;
    } else if (is_allocated(kind, target)) {
      argument.state = State::Pending;
    } else if (values_[index].kind == KERNIX_VALUE_NONE) {
      return fail_tensor_kind(index);
    } else if (purpose_ == Purpose::Call) {
      return fail_missing(index);
    }
    return KERNIX_OK;
  }
  if (kind == Treatment::Local) {
    argument.state = State::Computed;
    return KERNIX_OK;
  }
  if (target.value.code) {
    argument.state = State::Pending;
    argument.object = arena_.allocate(2 * sizeof(double), alignof(double));
    return KERNIX_OK;
  }
  if (target.flags & KERNIX_HAS_DEFAULT)
    return bind_default(index, kind);
  return purpose_ == Purpose::Call ? fail_missing(index) : KERNIX_OK;
}

int Frame::bind_default(int32_t index, Treatment kind) {
  const kernix_parameter &target = parameter(index);
  Argument &argument = this->argument(index);
  argument.state = State::Given;
  if (kind == Treatment::String) {
    const char *text = target.default_string;
    if (target.passing == KERNIX_PASS_C_STRING) {
      argument.object = arena_.allocate(sizeof text, alignof(const char *));
      std::memcpy(argument.object, &text, sizeof text);
      return KERNIX_OK;
    }
    const size_t size = text ? std::strlen(text) : 0;
    char *view = static_cast<char *>(arena_.allocate(sizeof size + sizeof text, alignof(size_t)));
    std::memcpy(view, &size, sizeof size);
    std::memcpy(view + sizeof size, &text, sizeof text);
    argument.object = view;
    return KERNIX_OK;
  }
  if (kind == Treatment::Struct) {
    const size_t size = static_cast<size_t>(target.size);
    argument.object = arena_.allocate(size, static_cast<size_t>(target.alignment));
    std::memcpy(argument.object, target.default_string, size);
    return KERNIX_OK;
  }
  const kernix_value value = default_scalar(target);
  argument.object = arena_.allocate(2 * sizeof(double), alignof(double));
  const Conversion outcome = convert_scalar(value, target.dtype, argument.object);
  if (!is_accepted(outcome))
    return fail_scalar(target.name, target.dtype, outcome, value);
  if (target.dtype.code == KERNIX_INT || target.dtype.code == KERNIX_UINT || target.dtype.code == KERNIX_BOOL)
    argument.fits_int64 = load_integer(target.dtype, argument.object, &argument.integer);
  return KERNIX_OK;
}

int Frame::bind_scalar(int32_t index) {
  const kernix_parameter &target = parameter(index);
  const kernix_value &value = values_[index];
  Argument &argument = this->argument(index);
  argument.object = arena_.allocate(2 * sizeof(double), alignof(double));
  const Conversion outcome = convert_scalar(value, target, argument.object);
  if (!is_accepted(outcome))
    return fail_scalar(target.name, target.dtype, outcome, value);
  if (target.dtype.code == KERNIX_INT || target.dtype.code == KERNIX_UINT || target.dtype.code == KERNIX_BOOL)
    argument.fits_int64 = load_integer(target.dtype, argument.object, &argument.integer);
  argument.state = State::Given;
  argument.is_given = true;
  return KERNIX_OK;
}

int Frame::bind_struct(int32_t index) {
  const kernix_parameter &target = parameter(index);
  const kernix_value &value = values_[index];
  if (value.kind != KERNIX_VALUE_FIELDS)
    return fail(KERNIX_ERROR_TYPE, index, std::string("the fields of ") + target.type, value_text(value));
  const size_t size = static_cast<size_t>(target.size);
  char *object = static_cast<char *>(arena_.allocate(size, static_cast<size_t>(target.alignment)));
  std::memset(object, 0, size); // padding too: what a kernel is passed shall not depend on our stack
  const kernix_value *leaf = value.as.fields;
  for (int32_t i = 0; i < target.num_fields; ++i) {
    const kernix_field &field = target.fields[i];
    for (int32_t k = 0; k < field.count; ++k, ++leaf) {
      const Conversion outcome = convert_scalar(*leaf, field.dtype, object + field.offset + k * (field.dtype.bits / 8));
      if (is_accepted(outcome))
        continue;
      const std::string name = leaf_name(target, field, k);
      if (leaf->kind == KERNIX_VALUE_ABSENT)
        return fail(KERNIX_ERROR_TYPE, "argument '" + name + "' is missing");
      return fail_scalar(name, field.dtype, outcome, *leaf);
    }
  }
  Argument &argument = this->argument(index);
  argument.object = object;
  argument.state = State::Given;
  argument.is_given = true;
  return KERNIX_OK;
}

int Frame::bind_string(int32_t index) {
  const kernix_parameter &target = parameter(index);
  const kernix_value &value = values_[index];
  Argument &argument = this->argument(index);
  argument.state = State::Given;
  argument.is_given = true;
  const bool is_c_string = target.passing == KERNIX_PASS_C_STRING;
  const char *data = nullptr;
  size_t size = 0;
  if (value.kind == KERNIX_VALUE_STRING) {
    data = value.as.string.data;
    size = value.as.string.size;
    if (is_c_string && std::memchr(data, 0, size))
      return fail(KERNIX_ERROR_VALUE, index, "a string without null characters (const char *)", value_text(value));
  } else if (value.kind != KERNIX_VALUE_NONE || !(target.flags & KERNIX_OPTIONAL)) {
    return fail(KERNIX_ERROR_TYPE, index, "a str", value_text(value));
  }
  // The object is either a `const char *` or libstdc++'s std::string_view: size, then pointer.
  char *object = static_cast<char *>(arena_.allocate(sizeof size + sizeof data, alignof(size_t)));
  if (!is_c_string) {
    std::memcpy(object, &size, sizeof size);
    std::memcpy(object + sizeof size, &data, sizeof data);
  } else {
    std::memcpy(object, &data, sizeof data);
  }
  argument.object = object;
  return KERNIX_OK;
}

int Frame::bind_stream(int32_t index) {
  const kernix_value &value = values_[index];
  Argument &argument = this->argument(index);
  void *stream = options_ && options_->has_stream ? options_->stream : nullptr;
  switch (value.kind) {
  case KERNIX_VALUE_ABSENT:
  case KERNIX_VALUE_NONE:
    break;
  case KERNIX_VALUE_STREAM:
    stream = value.as.stream;
    break;
  case KERNIX_VALUE_INT:
    stream = reinterpret_cast<void *>(value.as.integer);
    break;
  default:
    return fail(KERNIX_ERROR_TYPE, index, "a stream", value_text(value));
  }
  argument.object = arena_.allocate(sizeof stream, alignof(void *));
  std::memcpy(argument.object, &stream, sizeof stream);
  argument.integer = reinterpret_cast<int64_t>(stream);
  argument.state = State::Given;
  return KERNIX_OK;
}

} // namespace kernix::core
