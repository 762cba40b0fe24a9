// runtime/src/lanes/tvm_ffi_reflection.cpp - what __tvm_ffi__metadata_<name> and __tvm_ffi__doc_<name> call.
//
// Metadata is tvm-ffi's JSON: the type schema of the packed call as a string, and kernix's own records beside it.

#include "core/parameter.h"
#include "lanes/tvm_ffi_abi.h"

#include <exception>
#include <string>

namespace kernix::lanes::tvm_ffi {

namespace {

std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string type(const char *name, const std::string &arguments = "") {
  return "{\"type\":\"" + std::string(name) + "\"" + (arguments.empty() ? "" : ",\"args\":[" + arguments + "]") + "}";
}

std::string scalar_type(kernix_dtype dtype) {
  switch (dtype.code) {
  case KERNIX_INT:
  case KERNIX_UINT:
    return type("int");
  case KERNIX_BOOL:
    return type("bool");
  case KERNIX_FLOAT:
  case KERNIX_BFLOAT:
    return type("float");
  default:
    return type("ffi.Array");
  }
}

bool is_tensor_output(const kernix_function &function, const kernix_parameter &parameter) {
  return core::is_tensor(core::treatment(function, parameter));
}

std::string value_type(const kernix_function &function, const kernix_parameter &parameter) {
  if (is_tensor_output(function, parameter))
    return type("Tensor");
  switch (parameter.passing) {
  case KERNIX_PASS_STRUCT:
  case KERNIX_PASS_ARRAY:
    return type("ffi.Array");
  case KERNIX_PASS_C_STRING:
  case KERNIX_PASS_STRING_VIEW:
    return type("ffi.String");
  default:
    return core::has_fields(parameter) || parameter.array_length > 0 ? type("ffi.Array") : scalar_type(parameter.dtype);
  }
}

std::string result_type(const kernix_function &function) {
  std::string only;
  int count = 0;
  if (function.result.passing != KERNIX_PASS_VOID) {
    only = value_type(function, function.result);
    ++count;
  }
  for (int32_t i = 0; i < function.num_parameters; ++i) {
    if (!core::is_returned(function.parameters[i]))
      continue;
    only = value_type(function, function.parameters[i]);
    ++count;
  }
  return count == 0 ? type("None") : count == 1 ? only : type("ffi.Array");
}

/// {"type": "ffi.Function", "args": [result, argument, ...]}.
std::string schema(const kernix_function &function) {
  std::string types = result_type(function);
  for (int32_t i = 0; i < function.num_parameters; ++i) {
    const kernix_parameter &parameter = function.parameters[i];
    if (core::is_hidden(parameter))
      continue;
    const bool may_be_none = (parameter.flags & (KERNIX_OPTIONAL | KERNIX_HAS_DEFAULT)) != 0 || parameter.value.code ||
                             core::is_allocated(core::treatment(function, parameter), parameter);
    const std::string one = value_type(function, parameter);
    types += "," + (may_be_none ? type("Optional", one) : one);
  }
  return type("ffi.Function", types);
}

std::string metadata(const kernix_operation &operation) {
  std::string text = "{\"type_schema\":" + quoted(schema(*operation.functions[0])) + ",\"kernix\":{\"variants\":[";
  for (int32_t i = 0; i < operation.num_functions; ++i)
    text += std::string(i ? "," : "") + operation.functions[i]->json;
  return text + "]}}";
}

template <class Text> int reflect(kernix_operation_slot *slot, TVMFFIAny *result, Text make_text) {
  *result = {};
  const kernix_operation *operation = kernix_operation_resolve(slot);
  if (!operation)
    return raise(KERNIX_ERROR_RUNTIME, result);
  try {
    const std::string text = make_text(*operation);
    const ByteArray bytes = {text.data(), text.size()};
    if (api().make_string && api().make_string(&bytes, result) == 0)
      return 0;
    kernix_set_error(KERNIX_ERROR_RUNTIME, "%s: tvm-ffi made no string", slot->name);
    return raise(KERNIX_ERROR_RUNTIME, result);
  } catch (const std::exception &error) {
    return raise(kernix_set_error(KERNIX_ERROR_MEMORY, "%s: %s", slot->name, error.what()), result);
  }
}

} // namespace

} // namespace kernix::lanes::tvm_ffi

using namespace kernix::lanes::tvm_ffi;

int kernix_tvm_ffi_metadata(kernix_operation_slot *slot, TVMFFIAny *result) { return reflect(slot, result, metadata); }

int kernix_tvm_ffi_doc(kernix_operation_slot *slot, TVMFFIAny *result) {
  return reflect(slot, result,
                 [](const kernix_operation &operation) { return std::string(operation.functions[0]->doc); });
}
