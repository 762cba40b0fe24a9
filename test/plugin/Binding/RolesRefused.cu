// Types that no parameter of a bound function can have.
// RUN: not %cpu-host -fsyntax-only -ferror-limit=0 %s 2>&1 | FileCheck %s --implicit-check-not=error:
// REQUIRES: cpu
#include <kernix/kernix.h>

// CHECK: :[[#@LINE+2]]:36: error: 'a' of type 'int *' cannot be bound: the size of what a pointer points to is unknown
// CHECK: :[[#@LINE+1]]:36: note: a host function takes tensors as kernix::Tensor or kernix::TensorView<T>, strings as const char *, and array results by {{\[\[}}kernix::intent(out_array_return, N)]]
[[kernix::bind]] void pointer(int *a) {}
// CHECK: :[[#@LINE+2]]:47: error: 'a' of type 'const void *' cannot be bound: the size of what a pointer points to is unknown
// CHECK: :[[#@LINE+1]]:47: note: a host function takes tensors as kernix::Tensor or kernix::TensorView<T>, strings as const char *, and array results by {{\[\[}}kernix::intent(out_array_return, N)]]
[[kernix::bind]] void voidPointer(const void *a) {}
// CHECK: :[[#@LINE+2]]:46: error: 'a' of type 'void (*)()' cannot be bound: the size of what a pointer points to is unknown
// CHECK: :[[#@LINE+1]]:46: note: a host function takes tensors as kernix::Tensor or kernix::TensorView<T>, strings as const char *, and array results by {{\[\[}}kernix::intent(out_array_return, N)]]
[[kernix::bind]] void functionPointer(void (*a)()) {}
// CHECK: :[[#@LINE+2]]:53: error: 'a' of type 'kernix::Tensor *' cannot be bound: the size of what a pointer points to is unknown
// CHECK: :[[#@LINE+1]]:53: note: a host function takes tensors as kernix::Tensor or kernix::TensorView<T>, strings as const char *, and array results by {{\[\[}}kernix::intent(out_array_return, N)]]
[[kernix::bind]] void tensorPointer(kernix::Tensor *a) {}
// CHECK: :[[#@LINE+2]]:55: error: a tensor is passed by value: 'a' of type 'kernix::Tensor &' is a reference
// CHECK: :[[#@LINE+1]]:55: note: 'out' and 'inout' of a tensor are its constness: 'const' marks an input, its absence an output
[[kernix::bind]] void tensorReference(kernix::Tensor &a) {}
// CHECK: :[[#@LINE+2]]:53: error: a tensor is passed by value: 'a' of type 'kernix::Tensor &&' is a reference
// CHECK: :[[#@LINE+1]]:53: note: 'out' and 'inout' of a tensor are its constness: 'const' marks an input, its absence an output
[[kernix::bind]] void tensorRvalue(kernix::Tensor &&a) {}
// CHECK: :[[#@LINE+2]]:64: error: a tensor is passed by value: 'a' of type 'kernix::TensorView<float> &' is a reference
// CHECK: :[[#@LINE+1]]:64: note: 'out' and 'inout' of a tensor are its constness: 'const' marks an input, its absence an output
[[kernix::bind]] void viewReference(kernix::TensorView<float> &a) {}
// CHECK: :[[#@LINE+1]]:65: error: 'a': no tensor has elements of type 'void *': there is no dtype for it
[[kernix::bind]] void viewOfPointers(kernix::TensorView<void *> a) {}
// CHECK: :[[#@LINE+2]]:38: error: 'a' is a reference that 'reference' may write: say what it is with {{\[\[}}kernix::intent(...)]]
// CHECK: :[[#@LINE+1]]:38: note: intents are in, inout_ptr, out_ptr and out_return; take 'const T &' or 'T' for an input
[[kernix::bind]] void reference(int &a) {}
// CHECK: :[[#@LINE+2]]:45: error: 'a' is a reference that 'rvalueReference' may write: say what it is with {{\[\[}}kernix::intent(...)]]
// CHECK: :[[#@LINE+1]]:45: note: intents are in, inout_ptr, out_ptr and out_return; take 'const T &' or 'T' for an input
[[kernix::bind]] void rvalueReference(int &&a) {}
// CHECK: :[[#@LINE+1]]:46: error: 'a' of type 'long double' cannot be bound: there is no dtype for it
[[kernix::bind]] void longDouble(long double a) {}
// CHECK: :[[#@LINE+1]]:39: error: 'a' of type '__int128' cannot be bound: there is no dtype for it
[[kernix::bind]] void int128(__int128 a) {}
// CHECK: :[[#@LINE+1]]:40: error: 'a' of type 'wchar_t' cannot be bound: there is no dtype for it
[[kernix::bind]] void wideChar(wchar_t a) {}
// CHECK: :[[#@LINE+1]]:53: error: 'a' of type 'std::nullptr_t' cannot be bound: there is no dtype for it
[[kernix::bind]] void nullPointer(decltype(nullptr) a) {}
// CHECK: :[[#@LINE+1]]:65: error: 'twoStreams' takes two streams
[[kernix::bind]] void twoStreams(cudaStream_t a, kernix::Stream b) {}

struct NonTrivial {
  NonTrivial(const NonTrivial &);
  float x;
};
union Union {
  int a;
  float b;
};
struct BitField {
  int a : 3;
};
struct Empty {};
class Private {
  float x;

public:
  float y;
};
struct Pointer {
  float *p;
};
struct Anonymous {
  struct {
    int a;
  };
};
struct Large {
  struct {
    float a, b;
  } all[1000];
};
// CHECK: :[[#@LINE+1]]:45: error: 'a' of type 'NonTrivial' cannot be bound: it is not trivially copyable
[[kernix::bind]] void nonTrivial(NonTrivial a) {}
// CHECK: :[[#@LINE+1]]:42: error: 'a' of type 'Union' cannot be bound: it is a union
[[kernix::bind]] void unionByValue(Union a) {}
// CHECK: :[[#@LINE+1]]:41: error: 'a' of type 'BitField' cannot be bound: field 'a' is a bit-field
[[kernix::bind]] void bitField(BitField a) {}
// CHECK: :[[#@LINE+1]]:35: error: 'a' of type 'Empty' cannot be bound: it has no fields
[[kernix::bind]] void empty(Empty a) {}
// CHECK: :[[#@LINE+1]]:44: error: 'a' of type 'Private' cannot be bound: field 'x' is private
[[kernix::bind]] void privateField(Private a) {}
struct Open {
  float x;
};
struct OfPrivateBase : private Open {};
// CHECK: :[[#@LINE+1]]:49: error: 'a' of type 'OfPrivateBase' cannot be bound: base 'Open' is private
[[kernix::bind]] void privateBase(OfPrivateBase a) {}
// CHECK: :[[#@LINE+1]]:44: error: 'a' of type 'Pointer' cannot be bound: field 'p' of type 'float *' is not made of arithmetic scalars; a tensor is a parameter of its own
[[kernix::bind]] void pointerField(Pointer a) {}
struct OfTensors {
  kernix::TensorView<float> x;
};
// CHECK: :[[#@LINE+1]]:46: error: 'a' of type 'OfTensors' cannot be bound: field 'x' is a tensor, which is a parameter of its own
[[kernix::bind]] void tensorField(OfTensors  a) {}
// CHECK: :[[#@LINE+1]]:49: error: 'a' of type 'Anonymous' cannot be bound: it has an unnamed member
[[kernix::bind]] void anonymousMember(Anonymous a) {}
// CHECK: :[[#@LINE+1]]:35: error: 'a' of type 'Large' cannot be bound: it has more than 1024 fields
[[kernix::bind]] void large(Large a) {}

struct Mixed {
  int a;
  float b;
};
struct Padded {
  float a;
  alignas(16) float b;
};
struct Incomplete;
// CHECK: :[[#@LINE+1]]:55: error: 'a' of type 'Mixed *' cannot be bound: no tensor has elements of type 'Mixed': its fields have different types ('int32' and 'float32'), so that no tensor has its layout
[[kernix::bind]] __global__ void mixedElements(Mixed *a) {}
// CHECK: :[[#@LINE+1]]:57: error: 'a' of type 'Padded *' cannot be bound: no tensor has elements of type 'Padded': it has padding between its fields
[[kernix::bind]] __global__ void paddedElements(Padded *a) {}
struct alignas(16) PaddedAtEnd {
  float x, y, z;
};
// CHECK: :[[#@LINE+1]]:{{.*}}error: 'a' of type 'PaddedAtEnd *' cannot be bound: no tensor has elements of type 'PaddedAtEnd': it has padding at its end, where no tensor has any; add a field there, or read the fields from tensors of their own
[[kernix::bind]] __global__ void paddedAtEnd(PaddedAtEnd *a) {}
// CHECK: :[[#@LINE+1]]:65: error: 'a' of type 'Incomplete *' cannot be bound: no tensor has elements of type 'Incomplete': it is incomplete
[[kernix::bind]] __global__ void incompleteElements(Incomplete *a) {}
// CHECK: :[[#@LINE+1]]:55: error: 'a' of type 'Union *' cannot be bound: no tensor has elements of type 'Union': it is a union
[[kernix::bind]] __global__ void unionElements(Union *a) {}
// CHECK: :[[#@LINE+2]]:58: error: 'a' of type 'float **' cannot be bound: no tensor has such elements
// CHECK: :[[#@LINE+1]]:58: note: use a pointer to the element type, or kernix::TensorView<T>
[[kernix::bind]] __global__ void pointerElements(float **a) {}
// CHECK: :[[#@LINE+2]]:53: error: 'a' of type 'void *' cannot be bound: no tensor has such elements
// CHECK: :[[#@LINE+1]]:53: note: use a pointer to the element type, or kernix::TensorView<T>
[[kernix::bind]] __global__ void voidElements(void *a) {}
// CHECK: :[[#@LINE+1]]:54: error: 'a' of type 'float[3][4]' cannot be bound: no tensor has elements of type 'float[4]': it is an array
[[kernix::bind]] __global__ void arrayElements(float a[3][4]) {}
// CHECK: :[[#@LINE+1]]:66: error: 'a' of type 'long double *' cannot be bound: no tensor has elements of type 'long double': there is no dtype for it
[[kernix::bind]] __global__ void longDoubleElements(long double *a) {}
// CHECK: :[[#@LINE+2]]:62: error: only a host function takes a stream; 's' is a parameter of a kernel
// CHECK: :[[#@LINE+1]]:62: note: a kernel is launched on the caller's current stream
[[kernix::bind]] __global__ void streamInKernel(cudaStream_t s) {}
// CHECK: :[[#@LINE+1]]:72: error: only a host function takes a stream; 's' is a parameter of a device function
[[kernix::bind]] __device__ void streamInDeviceFunction(kernix::Stream s) {}

// CHECK: :[[#@LINE+1]]:18: error: a result of type 'int *' cannot be bound: it is a reference or a pointer
[[kernix::bind]] int *pointerResult() { return nullptr; }
// CHECK: :[[#@LINE+1]]:24: error: a result of type 'const int &' cannot be bound: it is a reference or a pointer
[[kernix::bind]] const int &referenceResult() {
  static int i;
  return i;
}
// CHECK: :[[#@LINE+1]]:18: error: a result of type 'kernix::Tensor' cannot be bound: a tensor is returned through a parameter with {{\[\[}}kernix::shape(...)]]
[[kernix::bind]] kernix::Tensor tensorResult() { return {}; }
// CHECK: :[[#@LINE+1]]:18: error: a result of type 'NonTrivial' cannot be bound: it is not trivially copyable
[[kernix::bind]] NonTrivial nonTrivialResult();
// CHECK: :[[#@LINE+1]]:24: error: a result of type 'const char *' cannot be bound: it is a reference or a pointer
[[kernix::bind]] const char *stringResult() { return ""; }

// CHECK: :[[#@LINE+1]]:23: error: No non-const Tensor output found in 'everyTensorConst'. Mark input Tensors with 'const' to distinguish inputs from outputs, or use the explicit dict form: functions={'everyTensorConst': ['arg', 'ret', ...]}
[[kernix::bind]] void everyTensorConst(const kernix::Tensor a, kernix::TensorView<const float> b) {}
// CHECK: :[[#@LINE+1]]:34: error: No non-const Tensor output found in 'everyPointerConst'. Mark input Tensors with 'const' to distinguish inputs from outputs, or use the explicit dict form: functions={'everyPointerConst': ['arg', 'ret', ...]}
[[kernix::bind]] __global__ void everyPointerConst(const float *a) {}
struct Base {
  int x;
};
struct Derived : Base {
  float x;
};
// CHECK: :[[#@LINE+1]]:47: error: 'a' of type 'Derived' cannot be bound: it has two fields called 'x'
[[kernix::bind]] void fieldsOfOneName(Derived a) {}
struct Huge {
  float all[1 << 30];
};
// CHECK: :[[#@LINE+1]]:40: error: 'a' of type 'const Huge &' cannot be bound: it has more than 2^31 bytes
[[kernix::bind]] void huge(const Huge &a) {}
