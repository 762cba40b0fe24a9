// runtime/src/lanes/xla_attributes.cpp - attributes by name and exact type.

#include "lanes/xla_attributes.h"

#include "core/half.h"
#include "core/parameter.h"
#include "core/text.h"

#include <cstring>
#include <string>
#include <string_view>

namespace kernix::lanes::xla {

namespace {

constexpr std::string_view own_prefix = "kernix.";

/// One attribute, or one entry of a dictionary.
struct Attribute {
  std::string_view name;
  int32_t type;
  const void *value;

  const Array &array() const { return *static_cast<const Array *>(value); }
  const Scalar &scalar() const { return *static_cast<const Scalar *>(value); }
  const Text &text() const { return *static_cast<const Text *>(value); }
  const Attributes &dictionary() const { return *static_cast<const Attributes *>(value); }
};

Attribute attribute_at(const Attributes &attributes, int64_t i) {
  const Text &name = *attributes.names[i];
  return {{name.data, name.size}, attributes.types[i], attributes.values[i]};
}

std::string dtype_name(int32_t type) {
  const kernix_dtype dtype = dtype_of(type);
  return dtype.code == KERNIX_NO_DTYPE ? "XLA type " + std::to_string(type) : core::dtype_text(dtype);
}

/// What came: "float64", "an array of 3 int64", "a string", "a dictionary".
std::string kind_text(const Attribute &attribute) {
  switch (attribute.type) {
  case attribute_scalar:
    return dtype_name(attribute.scalar().dtype);
  case attribute_array:
    return "an array of " + std::to_string(attribute.array().size) + " " + dtype_name(attribute.array().dtype);
  case attribute_string:
    return "a string";
  case attribute_dictionary:
    return "a dictionary";
  default:
    return "an attribute of unknown kind";
  }
}

/// How a number of a dtype has to be given.
std::string expected_text(kernix_dtype dtype) {
  std::string name = core::dtype_text(dtype);
  if (dtype.code == KERNIX_COMPLEX)
    return "an array of two float" + std::to_string(dtype.bits / 2) + " (" + name + ": real and imaginary part)";
  if (dtype.bits == 16 && (dtype.code == KERNIX_FLOAT || dtype.code == KERNIX_BFLOAT))
    return "uint16 (the bits of a " + name + ")";
  return name;
}

/// The same of a field that is an array.
std::string expected_text(const kernix_field &field) {
  const std::string count = std::to_string(field.count);
  if (field.dtype.code != KERNIX_COMPLEX)
    return "an array of " + count + " " + expected_text(field.dtype);
  return "an array of " + std::to_string(2 * field.count) + " float" + std::to_string(field.dtype.bits / 2) + " (" +
         count + " " + core::dtype_text(field.dtype) + ": real and imaginary parts in turn)";
}

template <class T> T load(const void *data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

kernix_value integer_value(int64_t integer) {
  kernix_value value = {};
  value.kind = KERNIX_VALUE_INT;
  value.as.integer = integer;
  return value;
}

kernix_value unsigned_value(uint64_t number) {
  kernix_value value = integer_value(static_cast<int64_t>(number));
  if (number > INT64_MAX)
    value.kind = KERNIX_VALUE_UINT;
  return value;
}

kernix_value real_value(double real) {
  kernix_value value = {};
  value.kind = KERNIX_VALUE_FLOAT;
  value.as.real[0] = real;
  return value;
}

/// The number of XLA type `type` at `data`, for a parameter of `dtype`; false if the types are not the same.
bool read_number(int32_t type, const void *data, kernix_dtype dtype, kernix_value *value) {
  if (dtype.bits == 16 && (dtype.code == KERNIX_FLOAT || dtype.code == KERNIX_BFLOAT)) {
    if (type != type_u16)
      return false;
    const auto bits = load<uint16_t>(data);
    *value = real_value(dtype.code == KERNIX_FLOAT ? core::from_float16(bits) : core::from_bfloat16(bits));
    return true;
  }
  // XLA has no way for a uint64 above 2**63 - 1, other than the int64 of the same bits.
  if (type == type_s64 && dtype.code == KERNIX_UINT && dtype.bits == 64) {
    *value = unsigned_value(load<uint64_t>(data));
    return true;
  }
  if (!core::same_dtype(dtype_of(type), dtype))
    return false;
  switch (type) {
  case type_pred:
    *value = integer_value(load<uint8_t>(data) != 0);
    value->kind = KERNIX_VALUE_BOOL;
    return true;
  case type_s8:
    *value = integer_value(load<int8_t>(data));
    return true;
  case type_s16:
    *value = integer_value(load<int16_t>(data));
    return true;
  case type_s32:
    *value = integer_value(load<int32_t>(data));
    return true;
  case type_s64:
    *value = integer_value(load<int64_t>(data));
    return true;
  case type_u8:
    *value = integer_value(load<uint8_t>(data));
    return true;
  case type_u16:
    *value = integer_value(load<uint16_t>(data));
    return true;
  case type_u32:
    *value = integer_value(load<uint32_t>(data));
    return true;
  case type_u64:
    *value = unsigned_value(load<uint64_t>(data));
    return true;
  case type_f32:
    *value = real_value(static_cast<double>(load<float>(data)));
    return true;
  case type_f64:
    *value = real_value(load<double>(data));
    return true;
  default:
    return false;
  }
}

/// One complex number or several, real and imaginary parts in turn.
bool read_complex(const Attribute &attribute, kernix_dtype dtype, int32_t count, kernix_value *values) {
  const kernix_dtype part = {KERNIX_FLOAT, static_cast<uint8_t>(dtype.bits / 2), 1};
  if (attribute.type != attribute_array || attribute.array().size != 2 * static_cast<size_t>(count) ||
      !core::same_dtype(dtype_of(attribute.array().dtype), part))
    return false;
  const auto *data = static_cast<const char *>(attribute.array().data);
  for (int32_t i = 0; i < count; ++i, data += dtype.bits / 8) {
    kernix_value imaginary;
    read_number(attribute.array().dtype, data, part, &values[i]);
    read_number(attribute.array().dtype, data + part.bits / 8, part, &imaginary);
    values[i].kind = KERNIX_VALUE_COMPLEX;
    values[i].as.real[1] = imaginary.as.real[0];
  }
  return true;
}

bool read_scalar(const Attribute &attribute, kernix_dtype dtype, kernix_value *value) {
  if (dtype.code == KERNIX_COMPLEX)
    return read_complex(attribute, dtype, 1, value);
  return attribute.type == attribute_scalar &&
         read_number(attribute.scalar().dtype, attribute.scalar().value, dtype, value);
}

class Reader {
public:
  Reader(const kernix_function &function, core::Arena &arena) : function_(function), arena_(arena) {}

  int read(const Attribute &attribute, const kernix_parameter &parameter, kernix_value *value) {
    switch (core::treatment(function_, parameter)) {
    case core::Treatment::Struct:
      return read_struct(attribute, parameter, value);
    case core::Treatment::String:
      if (attribute.type != attribute_string)
        return fail(attribute.name, "a string", attribute);
      return read_string(attribute.text(), value);
    default:
      return read_scalar(attribute, parameter.dtype, value)
                 ? KERNIX_OK
                 : fail(attribute.name, expected_text(parameter.dtype), attribute);
    }
  }

  int fail(std::string_view name, const std::string &expected, const Attribute &attribute) {
    return kernix_set_error(KERNIX_ERROR_TYPE, "%s: attribute '%.*s': expected %s, got %s", function_.signature,
                            static_cast<int>(name.size()), name.data(), expected.c_str(), kind_text(attribute).c_str());
  }

  int read_sizes(const Attribute &attribute, int32_t *is_given, int64_t sizes[3]) {
    *is_given = 1;
    sizes[0] = sizes[1] = sizes[2] = 1;
    kernix_value value;
    if (attribute.type == attribute_scalar && is_integer(attribute.scalar().dtype) &&
        read_number(attribute.scalar().dtype, attribute.scalar().value, dtype_of(attribute.scalar().dtype), &value)) {
      sizes[0] = value.as.integer;
      return KERNIX_OK;
    }
    const bool is_list = attribute.type == attribute_array && is_integer(attribute.array().dtype) &&
                         attribute.array().size >= 1 && attribute.array().size <= 3;
    if (!is_list)
      return fail(attribute.name, "an integer or an array of one to three", attribute);
    const kernix_dtype dtype = dtype_of(attribute.array().dtype);
    for (size_t i = 0; i < attribute.array().size; ++i) {
      const auto *data = static_cast<const char *>(attribute.array().data) + i * (dtype.bits / 8);
      read_number(attribute.array().dtype, data, dtype, &value);
      sizes[i] = value.as.integer;
    }
    return KERNIX_OK;
  }

  int read_list(const Attribute &attribute, std::span<const int64_t> *list) {
    if (attribute.type != attribute_array || (attribute.array().dtype != type_s64 && attribute.array().size != 0))
      return fail(attribute.name, "an array of int64", attribute);
    *list = {static_cast<const int64_t *>(attribute.array().data), attribute.array().size};
    return KERNIX_OK;
  }

  int fail_unknown(std::string_view name) {
    std::string known;
    for (int32_t i = 0; i < function_.num_parameters; ++i)
      if (is_attribute(function_, function_.parameters[i]))
        known += (known.empty() ? "" : ", ") + std::string(function_.parameters[i].name);
    return kernix_set_error(KERNIX_ERROR_TYPE, "%s: there is no attribute '%.*s'; it has: %s", function_.signature,
                            static_cast<int>(name.size()), name.data(), known.empty() ? "none" : known.c_str());
  }

private:
  static bool is_integer(int32_t type) {
    const kernix_dtype dtype = dtype_of(type);
    return dtype.code == KERNIX_INT || dtype.code == KERNIX_UINT;
  }

  /// XLA's text has no null character at its end.
  int read_string(const Text &text, kernix_value *value) {
    char *copy = static_cast<char *>(arena_.allocate(text.size + 1, 1));
    std::memcpy(copy, text.data, text.size);
    copy[text.size] = 0;
    *value = {};
    value->kind = KERNIX_VALUE_STRING;
    value->as.string = {copy, text.size};
    return KERNIX_OK;
  }

  /// A dictionary of the leaves by their names, arrays as arrays.
  int read_struct(const Attribute &attribute, const kernix_parameter &parameter, kernix_value *value) {
    if (attribute.type != attribute_dictionary)
      return fail(attribute.name, std::string("a dictionary of the fields of ") + parameter.type, attribute);
    size_t count = 0;
    for (int32_t i = 0; i < parameter.num_fields; ++i)
      count += static_cast<size_t>(parameter.fields[i].count);
    auto *leaves = static_cast<kernix_value *>(arena_.allocate(count * sizeof(kernix_value), alignof(kernix_value)));
    for (size_t i = 0; i < count; ++i)
      leaves[i] = {}; // absent: an error of the call names it
    const Attributes &entries = attribute.dictionary();
    for (int64_t k = 0; k < entries.size; ++k) {
      const Attribute entry = attribute_at(entries, k);
      kernix_value *leaf = leaves;
      const kernix_field *field = nullptr;
      for (int32_t i = 0; i < parameter.num_fields && !field; ++i) {
        if (entry.name == parameter.fields[i].name)
          field = &parameter.fields[i];
        else
          leaf += parameter.fields[i].count;
      }
      const std::string name = std::string(attribute.name) + "." + std::string(entry.name);
      if (!field)
        return kernix_set_error(KERNIX_ERROR_TYPE, "%s: attribute '%s': %s has no such field", function_.signature,
                                name.c_str(), parameter.type);
      if (field->count == 1 ? !read_scalar(entry, field->dtype, leaf) : !read_array(entry, *field, leaf))
        return fail(name, field->count == 1 ? expected_text(field->dtype) : expected_text(*field), entry);
    }
    *value = {};
    value->kind = KERNIX_VALUE_FIELDS;
    value->as.fields = leaves;
    return KERNIX_OK;
  }

  static bool read_array(const Attribute &entry, const kernix_field &field, kernix_value *leaves) {
    if (field.dtype.code == KERNIX_COMPLEX)
      return read_complex(entry, field.dtype, field.count, leaves);
    if (entry.type != attribute_array || entry.array().size != static_cast<size_t>(field.count))
      return false;
    const kernix_dtype type = dtype_of(entry.array().dtype);
    for (int32_t i = 0; i < field.count; ++i) {
      const auto *data = static_cast<const char *>(entry.array().data) + i * (type.bits / 8);
      if (!read_number(entry.array().dtype, data, field.dtype, &leaves[i]))
        return false;
    }
    return true;
  }

  const kernix_function &function_;
  core::Arena &arena_;
};

int read_shared_bytes(Reader &reader, const Attribute &attribute, kernix_call_options *options) {
  int64_t sizes[3];
  if (attribute.type != attribute_scalar)
    return reader.fail(attribute.name, "an integer", attribute);
  if (int status = reader.read_sizes(attribute, &options->has_shared_bytes, sizes); status != KERNIX_OK)
    return status;
  options->shared_bytes = sizes[0];
  return KERNIX_OK;
}

/// The parameter that an attribute is for, or -1.
int32_t find_parameter(const kernix_function &function, std::string_view name) {
  for (int32_t i = 0; i < function.num_parameters; ++i)
    if (name == function.parameters[i].name && is_attribute(function, function.parameters[i]))
      return i;
  return -1;
}

/// An attribute that is not a parameter's.
int read_own(Reader &reader, const kernix_function &function, const Attribute &attribute, kernix_call_options *options,
             CallAttributes *call) {
  std::string_view name = attribute.name;
  const bool is_own = name.starts_with(own_prefix);
  if (is_own)
    name.remove_prefix(own_prefix.size());
  if (function.kind == KERNIX_KERNEL) {
    if (name == "block" || name == "launchBlockSize")
      return reader.read_sizes(attribute, &options->has_block, options->block);
    if (name == "grid" || name == "launchGridSize")
      return reader.read_sizes(attribute, &options->has_grid, options->grid);
    if (name == "shared_bytes")
      return read_shared_bytes(reader, attribute, options);
  }
  if (is_own && name == "operands") {
    call->has_operands = true;
    return reader.read_list(attribute, &call->operands);
  }
  if (is_own && name == "results") {
    call->has_results = true;
    return reader.read_list(attribute, &call->results);
  }
  if (is_own && name == "batch")
    return reader.read_list(attribute, &call->batch);
  if (is_own && name == "variant") {
    int32_t is_given;
    int64_t sizes[3];
    const int status = reader.read_sizes(attribute, &is_given, sizes);
    call->variant = sizes[0];
    return status;
  }
  return reader.fail_unknown(attribute.name);
}

} // namespace

bool is_attribute(const kernix_function &function, const kernix_parameter &parameter) {
  if (core::is_hidden(parameter))
    return false;
  switch (core::treatment(function, parameter)) {
  case core::Treatment::Scalar:
  case core::Treatment::Struct:
  case core::Treatment::String:
    return true;
  default:
    return false;
  }
}

int read_call_attributes(const kernix_function &function, const Attributes &attributes, core::Arena &arena,
                         kernix_call_options *options, CallAttributes *call) {
  Reader reader(function, arena);
  for (int64_t k = 0; k < attributes.size; ++k) {
    const Attribute attribute = attribute_at(attributes, k);
    if (find_parameter(function, attribute.name) >= 0)
      continue;
    if (int status = read_own(reader, function, attribute, options, call); status != KERNIX_OK)
      return status;
  }
  return KERNIX_OK;
}

int read_parameters(const kernix_function &function, const Attributes &attributes, core::Arena &arena,
                    kernix_value *values) {
  Reader reader(function, arena);
  for (int64_t k = 0; k < attributes.size; ++k) {
    const Attribute attribute = attribute_at(attributes, k);
    const int32_t index = find_parameter(function, attribute.name);
    if (index < 0)
      continue;
    if (int status = reader.read(attribute, function.parameters[index], &values[index]); status != KERNIX_OK)
      return status;
  }
  return KERNIX_OK;
}

kernix_dtype dtype_of(int32_t type) {
  switch (type) {
  case type_pred:
    return {KERNIX_BOOL, 8, 1};
  case type_s8:
    return {KERNIX_INT, 8, 1};
  case type_s16:
    return {KERNIX_INT, 16, 1};
  case type_s32:
    return {KERNIX_INT, 32, 1};
  case type_s64:
    return {KERNIX_INT, 64, 1};
  case type_u8:
    return {KERNIX_UINT, 8, 1};
  case type_u16:
    return {KERNIX_UINT, 16, 1};
  case type_u32:
    return {KERNIX_UINT, 32, 1};
  case type_u64:
    return {KERNIX_UINT, 64, 1};
  case type_f16:
    return {KERNIX_FLOAT, 16, 1};
  case type_bf16:
    return {KERNIX_BFLOAT, 16, 1};
  case type_f32:
    return {KERNIX_FLOAT, 32, 1};
  case type_f64:
    return {KERNIX_FLOAT, 64, 1};
  case type_c64:
    return {KERNIX_COMPLEX, 64, 1};
  case type_c128:
    return {KERNIX_COMPLEX, 128, 1};
  default:
    return {KERNIX_NO_DTYPE, 0, 0};
  }
}

} // namespace kernix::lanes::xla
