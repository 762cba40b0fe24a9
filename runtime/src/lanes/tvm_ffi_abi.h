// runtime/src/lanes/tvm_ffi_abi.h - the part of tvm-ffi's C ABI that kernix uses, declared by kernix itself.
//
// tvm-ffi is never linked: its functions are looked up in the process when they are first needed, so that an object may
// be loaded before or after `import tvm_ffi`, or without it. Layouts and numbers are those of 0.1.0 to 0.1.15.

#ifndef KERNIX_LANES_TVM_FFI_ABI_H
#define KERNIX_LANES_TVM_FFI_ABI_H

#include "kernix/abi.h"

#include <cstddef>
#include <cstdint>

struct TVMFFIAny {
  int32_t type_index;
  uint32_t small_size; // of SmallStr; 0 otherwise
  union {
    int64_t integer;
    double real;
    void *pointer;
    const char *c_string;
    char bytes[8];
  } value;
};
static_assert(sizeof(TVMFFIAny) == 16);

namespace kernix::lanes::tvm_ffi {

enum TypeIndex : int32_t {
  type_none = 0,
  type_int = 1,
  type_bool = 2,
  type_float = 3,
  type_opaque_pointer = 4,
  type_dtype = 5,
  type_device = 6,
  type_dltensor_pointer = 7,
  type_raw_string = 8,
  type_byte_array_pointer = 9,
  type_small_string = 11,
  type_small_bytes = 12,
  type_first_object = 64,
  type_string = 65,
  type_bytes = 66,
  type_function = 68,
  type_shape = 69,
  type_tensor = 70,
  type_array = 71,
  type_map = 72,
  type_python_object = 74,
  type_list = 75,
  type_big_int = 78
};

struct ByteArray {
  const char *data;
  size_t size;
};

/// What stands at the head of every object; its fields follow.
struct ObjectHeader {
  uint64_t reference_count;
  int32_t type_index;
  uint32_t reserved;
  void (*deleter)(void *, int);
};
static_assert(sizeof(ObjectHeader) == 24);

template <class T> T *fields_of(void *object) {
  return reinterpret_cast<T *>(static_cast<char *>(object) + sizeof(ObjectHeader));
}

/// tvm-ffi's functions, as far as the process has them.
struct Api {
  void (*set_error)(const char *kind, const char *message);
  void *(*current_stream)(int32_t device_type, int32_t device_id);
  int (*allocate_tensor)(kernix_dltensor *prototype, void **tensor);
  int (*make_string)(const ByteArray *text, TVMFFIAny *result);
  int (*global_function)(const ByteArray *name, void **function);
  int (*call)(void *function, TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);
  int (*retain)(void *object);
  int (*release)(void *object);
  ByteArray (*big_int_words)(const TVMFFIAny *value);                   // 0.1.14 and later
  int (*big_int_from_words)(const ByteArray *words, TVMFFIAny *result); // likewise
};

/// Looked up anew until found: tvm-ffi may be imported at any time.
const Api &api();

/// A function of tvm-ffi's global registry, by its name; null if there is none. Lives as long as the process.
void *global_function(const char *name);

/// Reports the error of the thread (kernix_last_error) as tvm-ffi wants it and returns -1; 0 with a message on stderr
/// when tvm-ffi is not there, since -1 without an error crashes its callers.
int raise(int status, TVMFFIAny *result);

} // namespace kernix::lanes::tvm_ffi

#endif // KERNIX_LANES_TVM_FFI_ABI_H
