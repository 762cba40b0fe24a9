// test/runtime/lanes/tvm_ffi_object.cpp - an object as the plugin makes it, with records written by hand.
//
// Loaded by tvm_ffi_test.py through the real tvm-ffi. Kernels run as a loop here: what a launch does is not the matter.

#include "kernix/error.h"

#include "../core/record.h"

#include <complex>
#include <dlfcn.h>

using namespace kernix::test;

struct TVMFFIAny;

namespace {

/// Which kernel, and what it was launched with.
int launch(const void *stub, kernix_dim3 grid, kernix_dim3 block, void **args, size_t, void *) {
  reinterpret_cast<void (*)(void **, int)>(const_cast<void *>(stub))(args, static_cast<int>(grid.x * block.x));
  return 0;
}
const kernix_cuda_api cuda = [] {
  kernix_cuda_api api = {};
  api.launch_kernel = &launch;
  return api;
}();

template <class T> T argument(void **args, int index) { return *static_cast<T *>(args[index]); }

void add(void **args, int threads) {
  for (int i = 0; i < threads && i < argument<int>(args, 3); ++i)
    argument<float *>(args, 2)[i] = argument<const float *>(args, 0)[i] + argument<const float *>(args, 1)[i];
}
void add_double(void **args, int) {
  for (int i = 0; i < argument<int>(args, 3); ++i)
    argument<double *>(args, 2)[i] = argument<const double *>(args, 0)[i] + argument<const double *>(args, 1)[i];
}
void nothing(void **, int) {}
void count(void **args, int threads) { *argument<int *>(args, 0) = threads; }

kernix_parameter shaped(kernix_parameter p, kernix_shape shape) { return p.shape = shape, p; }
kernix_parameter returned(kernix_parameter p) { return p.intent = KERNIX_INTENT_OUT_RETURN, p; }
kernix_parameter with_default(kernix_parameter p, int64_t value) {
  p.flags |= KERNIX_HAS_DEFAULT;
  p.default_integer = value;
  return p;
}

struct Point {
  float x;
  int n[2];
};
const kernix_field point_fields[] = {{"x", float32, 0, 1, "float"}, {"n", int32, 4, 2, "int[2]"}};
kernix_parameter point(const char *name) {
  kernix_parameter p = parameter(name, "Point", KERNIX_PASS_STRUCT, no_dtype);
  p.size = sizeof(Point);
  p.alignment = alignof(Point);
  p.num_fields = 2;
  p.fields = point_fields;
  return p;
}

Record make_add(const char *signature, kernix_dtype dtype) {
  kernix_parameter n = attribute("n", int32);
  n.value = expression("x.numel()", {numel(0)});
  return {signature, {input("x", dtype), input("y", dtype), shaped(output("z", dtype), shape_like(0)), n}};
}

kernix_parameter stream() {
  kernix_parameter p = parameter("stream", "cudaStream_t", KERNIX_PASS_STREAM, no_dtype);
  p.role = KERNIX_STREAM;
  return p;
}

kernix_parameter reference(const char *name, kernix_dtype dtype) {
  kernix_parameter p = parameter(name, "T &", KERNIX_PASS_REFERENCE, dtype);
  p.intent = KERNIX_INTENT_OUT_RETURN;
  return p;
}

/// A host function that gives back what it was given; name_echo() completes it.
Record echo(const char *signature, kernix_parameter p) { return {signature, {p}, KERNIX_HOST_FUNCTION}; }

kernix_parameter zeroed(kernix_parameter p) { return p.flags |= KERNIX_ZERO_INIT, p; }
kernix_parameter tensor_output(const char *name) {
  kernix_parameter p = returned(shaped(output(name), shape({expression("n", {scalar(2)})})));
  p.passing = KERNIX_PASS_TENSOR;
  return p;
}

struct Functions {
  Record add_float = make_add("add(const float *x, const float *y, float *z, int n)", float32);
  Record add_double_ = make_add("add(const double *x, const double *y, double *z, int n)", float64);
  Record count_{"count(int *out)", {output("out", int32)}};
  Record fill{"fill(float *y, int n, cudaStream_t stream)",
              {returned(shaped(output("y"), shape({expression("n", {scalar(1)})}))), attribute("n", int32), stream()}};
  Record zeros{"zeros(float *y, int n)",
               {zeroed(returned(shaped(output("y"), shape({expression("n", {scalar(1)})})))), attribute("n", int32)}};
  Record both{"both(Tensor y, Tensor z, int n, int how)",
              {tensor_output("y"), tensor_output("z"), attribute("n", int32), attribute("how", int32)},
              KERNIX_HOST_FUNCTION};
  Record echo_int = echo("long echo_int(long v = 7)", with_default(attribute("v", int64), 7));
  Record echo_uint = echo("unsigned long echo_uint(unsigned long v)", attribute("v", uint64));
  Record echo_float = echo("float echo_float(float v)", attribute("v", float32));
  Record echo_half = echo("__half echo_half(__half v)", attribute("v", float16));
  Record echo_bool = echo("bool echo_bool(bool v)", attribute("v", boolean));
  Record echo_complex = echo("echo_complex(std::complex<float> v)", attribute("v", complex64));
  Record echo_point = echo("Point echo_point(Point v)", point("v"));
  Record echo_string =
      echo("echo_string(const char *v)", parameter("v", "const char *", KERNIX_PASS_C_STRING, no_dtype));
  Record several{"int several(float &a, unsigned char &b)",
                 {reference("a", float32), reference("b", uint8)},
                 KERNIX_HOST_FUNCTION};
  Record fails{"fails(int how)", {attribute("how", int32)}, KERNIX_HOST_FUNCTION};
  std::vector<const kernix_function *> list;
  kernix_module_info module = {};

  void name(Record &record, const char *text, const void *stub = nullptr) {
    record.function.name = text;
    record.function.mangled_name = record.function.signature;
    record.function.cuda = &cuda;
    record.function.stub = stub;
    record.function.json = "{\"name\":\"hand-written\"}";
    record.function.parameters = record.parameters.data();
    record.function.launch = &record.launch;
    list.push_back(&record.function);
  }
  template <class T> void name_echo(Record &record, const char *text) {
    name(record, text);
    record.function.result = record.parameters[0];
    record.function.thunk = [](void *const *args, void *result) {
      *static_cast<T *>(result) = *static_cast<const T *>(args[0]);
    };
  }
  Functions() {
    name(add_float, "add", reinterpret_cast<const void *>(&add));
    name(add_double_, "add", reinterpret_cast<const void *>(&add_double));
    add_float.function.doc = "Adds two arrays.";
    name(count_, "count", reinterpret_cast<const void *>(&count));
    name(fill, "fill", reinterpret_cast<const void *>(&count));
    name_echo<int64_t>(echo_int, "echo_int");
    name_echo<uint64_t>(echo_uint, "echo_uint");
    name_echo<float>(echo_float, "echo_float");
    name_echo<uint16_t>(echo_half, "echo_half");
    name_echo<bool>(echo_bool, "echo_bool");
    name_echo<std::complex<float>>(echo_complex, "echo_complex");
    name_echo<Point>(echo_point, "echo_point");
    name_echo<const char *>(echo_string, "echo_string");
    name(several, "several");
    name(zeros, "zeros", reinterpret_cast<const void *>(&nothing));
    name(both, "both");
    both.function.thunk = [](void *const *args, void *) {
      if (int how = *static_cast<int *>(args[3]))
        throw kernix::KernelError("as asked", how);
    };
    name(fails, "fails");
    several.function.result = attribute("", int32);
    several.function.thunk = [](void *const *args, void *result) {
      *static_cast<int *>(result) = 1;
      *static_cast<float *>(args[0]) = 2.5f;
      *static_cast<unsigned char *>(args[1]) = 3;
    };
    fails.function.thunk = [](void *const *args, void *) {
      throw kernix::KernelError("as asked", *static_cast<int *>(args[0]));
    };
    module = {KERNIX_ABI_VERSION, KERNIX_TARGET_CPU, "hand", list.data(), list.data() + list.size()};
  }
};
Functions functions;

} // namespace

// An allocator as a framework registers it with tvm-ffi.
namespace {

struct ManagedTensor { // DLManagedTensorVersioned
  uint32_t major, minor;
  void *context;
  void (*deleter)(ManagedTensor *);
  uint64_t flags;
  kernix_dltensor tensor;
};
int live = 0;

int allocate(kernix_dltensor *prototype, ManagedTensor **result, void *, void (*)(void *, const char *, const char *)) {
  auto *array = new Array(std::vector<int64_t>(prototype->shape, prototype->shape + prototype->ndim), prototype->dtype);
  std::memset(array->memory.data(), 0xff, array->memory.size());
  *result = new ManagedTensor{1,
                              0,
                              array,
                              [](ManagedTensor *self) {
                                --live;
                                delete static_cast<Array *>(self->context);
                                delete self;
                              },
                              0,
                              array->tensor};
  ++live;
  return 0;
}

} // namespace

extern "C" KERNIX_API void install_allocator() {
  using Install = int (*)(decltype(&allocate), int, void *);
  reinterpret_cast<Install>(dlsym(RTLD_DEFAULT, "TVMFFIEnvSetDLPackManagedTensorAllocator"))(&allocate, 1, nullptr);
}
extern "C" KERNIX_API int live_allocations() { return live; }

#define ENTRY(name)                                                                                                    \
  static kernix_operation_slot slot_##name = {#name, &functions.module, nullptr};                                      \
  extern "C" KERNIX_API int __tvm_ffi_##name(void *, const TVMFFIAny *args, int32_t count, TVMFFIAny *result) {        \
    return kernix_tvm_ffi_call(&slot_##name, args, count, result);                                                     \
  }                                                                                                                    \
  extern "C" KERNIX_API int __tvm_ffi__metadata_##name(void *, const TVMFFIAny *, int32_t, TVMFFIAny *result) {        \
    return kernix_tvm_ffi_metadata(&slot_##name, result);                                                              \
  }                                                                                                                    \
  extern "C" KERNIX_API int __tvm_ffi__doc_##name(void *, const TVMFFIAny *, int32_t, TVMFFIAny *result) {             \
    return kernix_tvm_ffi_doc(&slot_##name, result);                                                                   \
  }
ENTRY(add)
ENTRY(count)
ENTRY(fill)
ENTRY(echo_int)
ENTRY(echo_uint)
ENTRY(echo_float)
ENTRY(echo_half)
ENTRY(echo_bool)
ENTRY(echo_complex)
ENTRY(echo_point)
ENTRY(echo_string)
ENTRY(several)
ENTRY(fails)
ENTRY(zeros)
ENTRY(both)
ENTRY(missing)
