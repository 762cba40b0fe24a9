// runtime/src/lanes/xla_abi.h - the part of XLA's FFI C API that kernix uses, declared by kernix itself.
//
// Handlers report version 0.1, so that one build serves every jaxlib: XLA registers a handler whose minor version is at
// most its own, and structures only grow at their ends. Layouts are those of jaxlib 0.10 (API 0.3) and 0.12 (API 0.5).

#ifndef KERNIX_LANES_XLA_ABI_H
#define KERNIX_LANES_XLA_ABI_H

#include "kernix/xla.h"

#include <cstddef>
#include <cstdint>

namespace kernix::lanes::xla {

enum DataType : int32_t {
  type_pred = 1,
  type_s8 = 2,
  type_s16 = 3,
  type_s32 = 4,
  type_s64 = 5,
  type_u8 = 6,
  type_u16 = 7,
  type_u32 = 8,
  type_u64 = 9,
  type_f16 = 10,
  type_f32 = 11,
  type_f64 = 12,
  type_c64 = 15,
  type_bf16 = 16,
  type_c128 = 18
};

enum AttributeType : int32_t {
  attribute_array = 1,
  attribute_dictionary = 2,
  attribute_scalar = 3,
  attribute_string = 4
};

enum ErrorCode : int32_t {
  code_invalid_argument = 3,
  code_not_found = 5,
  code_resource_exhausted = 8,
  code_internal = 13
};

enum Stage : int32_t { stage_execute = 3 };

enum ExtensionType : int32_t { extension_metadata = 1 };

enum Traits : uint32_t { trait_command_buffer_compatible = 1u << 0 };

struct Extension {
  size_t struct_size;
  int32_t type;
  Extension *next;
};

struct ApiVersion {
  size_t struct_size;
  Extension *extensions;
  int32_t major, minor;
};

struct Metadata {
  size_t struct_size;
  ApiVersion api_version;
  uint32_t traits;
  // Newer versions have more; it is not ours to write.
};

struct MetadataExtension {
  Extension base;
  Metadata *metadata;
};

struct Buffer {
  size_t struct_size;
  Extension *extensions;
  int32_t dtype;
  void *data;
  int64_t rank;
  int64_t *dims;
};

struct Text {
  const char *data;
  size_t size;
};

struct Scalar {
  int32_t dtype;
  const void *value;
};

struct Array {
  int32_t dtype;
  size_t size;
  const void *data;
};

struct Buffers {
  size_t struct_size;
  Extension *extensions;
  int64_t size;
  int32_t *types;
  Buffer **buffers;
};

/// Sorted by name. A dictionary is one of these too.
struct Attributes {
  size_t struct_size;
  Extension *extensions;
  int64_t size;
  int32_t *types;
  Text **names;
  void **values;
};

struct ErrorArguments {
  size_t struct_size;
  Extension *extensions;
  const char *message;
  int32_t code;
};

struct DestroyArguments {
  size_t struct_size;
  Extension *extensions;
  XLA_FFI_Error *error;
};

struct StreamArguments {
  size_t struct_size;
  Extension *extensions;
  void *context;
  void *stream; // out
};

struct DeviceArguments {
  size_t struct_size;
  Extension *extensions;
  void *context;
  int32_t device; // out
};

struct AllocateArguments {
  size_t struct_size;
  Extension *extensions;
  void *context;
  size_t size;
  size_t alignment;
  void *data; // out
};

struct FreeArguments {
  size_t struct_size;
  Extension *extensions;
  void *context;
  size_t size;
  void *data;
};

struct Api {
  size_t struct_size;
  Extension *extensions;
  ApiVersion version;
  const void *internal;
  XLA_FFI_Error *(*make_error)(ErrorArguments *);
  void *unused_1; // details of an error
  void (*destroy_error)(DestroyArguments *);
  void *unused_2; // registration
  XLA_FFI_Error *(*get_stream)(StreamArguments *);
  void *unused_3[4]; // types, contexts, states
  XLA_FFI_Error *(*allocate)(AllocateArguments *);
  XLA_FFI_Error *(*free)(FreeArguments *);
  void *unused_4[6]; // threads, futures, run id
  XLA_FFI_Error *(*get_device)(DeviceArguments *);
};

/// Drops the error, which kernix says in its own words.
inline bool has_failed(const Api &api, XLA_FFI_Error *error) {
  if (!error)
    return false;
  DestroyArguments arguments = {sizeof arguments, nullptr, error};
  api.destroy_error(&arguments);
  return true;
}

} // namespace kernix::lanes::xla

struct XLA_FFI_CallFrame {
  size_t struct_size;
  kernix::lanes::xla::Extension *extensions;
  const kernix::lanes::xla::Api *api;
  void *context;
  int32_t stage;
  kernix::lanes::xla::Buffers operands;
  kernix::lanes::xla::Buffers results;
  kernix::lanes::xla::Attributes attributes;
};
static_assert(sizeof(kernix::lanes::xla::Buffer) == 48);
static_assert(sizeof(XLA_FFI_CallFrame) == 168); // a future follows, which is not used

#endif // KERNIX_LANES_XLA_ABI_H
