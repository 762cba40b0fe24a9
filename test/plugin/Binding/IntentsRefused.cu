// Intents that do not fit their parameter.
// RUN: not %cpu-host -fsyntax-only -ferror-limit=0 %s 2>&1 | FileCheck %s --implicit-check-not=error:
// REQUIRES: cpu
#include <kernix/kernix.h>

// CHECK: :[[#@LINE+1]]:50: error: 'a' is a reference to const and cannot be an output
[[kernix::bind]] __device__ void outputOfConst([[kernix::intent(inout_ptr)]] const float &a) {}
// CHECK: :[[#@LINE+1]]:50: error: 'out_ptr' needs a reference; 'a' of type 'float' is passed by value
[[kernix::bind]] __device__ void outputByValue([[kernix::intent(out_ptr)]] float a) {}
// CHECK: :[[#@LINE+2]]:50: error: 'out_return' needs a reference; 'a' of type 'float *' is a pointer
// CHECK: :[[#@LINE+1]]:86: note: a pointer is visible as one without an intent, and is a result with intent(out_array_return, N)
[[kernix::bind]] __device__ void outputPointer([[kernix::intent(out_return)]] float *a) {}
// CHECK: :[[#@LINE+1]]:50: error: 'out_array_return' of 'a' needs its number of elements
[[kernix::bind]] __device__ void withoutLength([[kernix::intent(out_array_return)]] float *a) {}
// CHECK: :[[#@LINE+1]]:81: error: 'a' has 12 elements, not 11
[[kernix::bind]] __device__ void wrongLength([[kernix::intent(out_array_return, 11)]] float a[3][4]) {}
// CHECK: :[[#@LINE+1]]:85: error: 'a' has elements of type 'float', not 'double'
[[kernix::bind]] __device__ void wrongElement([[kernix::intent(out_array_return, 3, "double")]] float *a) {}
// CHECK: :[[#@LINE+1]]:87: error: 'a' has elements of type 'float', not 'flaot'
[[kernix::bind]] __device__ void unknownElement([[kernix::intent(out_array_return, 3, "flaot")]] float *a) {}
// CHECK: :[[#@LINE+1]]:49: error: 'out_array_return' needs a reference or a pointer; 'a' of type 'float' is passed by value
[[kernix::bind]] __device__ void arrayByValue([[kernix::intent(out_array_return, 3)]] float a) {}
// CHECK: :[[#@LINE+1]]:49: error: 'a' points to const and cannot be an output
[[kernix::bind]] __device__ void arrayOfConst([[kernix::intent(out_array_return, 3)]] const float *a) {}
// CHECK: :[[#@LINE+1]]:50: error: 'out_array_return' needs a pointer or an array; 'a' is a reference to 'float'
[[kernix::bind]] __device__ void arrayOfScalar([[kernix::intent(out_array_return, 3)]] float &a) {}
// CHECK: :[[#@LINE+1]]:92: error: 'a' of type 'void *' cannot be returned as an array: it is incomplete
[[kernix::bind]] __device__ void arrayOfVoid([[kernix::intent(out_array_return, 3)]] void *a) {}
// CHECK: :[[#@LINE+1]]:61: error: 'a' is a reference to an array; it needs {{\[\[}}kernix::intent(out_array_return, N)]]
[[kernix::bind]] __device__ void arrayWithoutIntent(float (&a)[3]) {}
// CHECK: :[[#@LINE+2]]:55: error: 'a' is a reference that 'hostReferenceWithoutIntent' may write: say what it is with {{\[\[}}kernix::intent(...)]]
// CHECK: :[[#@LINE+1]]:55: note: intents are in, inout_ptr, out_ptr and out_return; take 'const T &' or 'T' for an input
[[kernix::bind]] void hostReferenceWithoutIntent(int &a) {}
// CHECK: :[[#@LINE+1]]:44: error: 'a' is allocated by the binding: it needs {{\[\[}}kernix::shape(...)]]
[[kernix::bind]] void resultWithoutShape([[kernix::intent(out_return)]] kernix::Tensor a) {}
// CHECK: :[[#@LINE+1]]:37: error: 'a' is read-only and cannot be an output
[[kernix::bind]] void constTensor([[kernix::intent(out_ptr)]] const kernix::Tensor a) {}
// CHECK: :[[#@LINE+1]]:39: error: 'out_array_return' needs a pointer or an array; 'a' is a tensor
[[kernix::bind]] void tensorAsArray([[kernix::intent(out_array_return, 3)]] kernix::Tensor a) {}
// CHECK: :[[#@LINE+1]]:32: error: 'a' is a string and cannot be an output
[[kernix::bind]] void string([[kernix::intent(out_return)]] const char *a) {}
// CHECK: :[[#@LINE+1]]:32: error: a stream has no intent
[[kernix::bind]] void stream([[kernix::intent(in)]] cudaStream_t a) {}
// CHECK: :[[#@LINE+1]]:50: error: a kernel returns arrays through tensors: use intent(out_return) and {{\[\[}}kernix::shape(...)]] for 'a'
[[kernix::bind]] __global__ void arrayInKernel([[kernix::intent(out_array_return, 3)]] float *a) {}
[[kernix::bind]] __global__ void inputWritten([[kernix::intent(in)]] float *a, float *b) {
  b[0] = 1;
// CHECK: :[[#@LINE+2]]:8: error: 'a' is bound with intent(in), an input, but 'inputWritten' writes to it here
// CHECK: :[[#@LINE-3]]:77: note: remove the intent to make 'a' an output
  a[0] = 1;
}
// CHECK: :[[#@LINE+2]]:87: error: a kernel cannot take 'a' by reference: the caller's object is not in device memory
// CHECK: :[[#@LINE+1]]:87: note: pass it by value, or use a pointer for an output
[[kernix::bind]] __global__ void referenceInKernel([[kernix::intent(out_ptr)]] float &a) {}
// CHECK: :[[#@LINE+1]]:35: error: the 99999999999 elements of 'a' have more than 2^31 bytes; use a tensor
[[kernix::bind]] void hugeArray([[kernix::intent(out_array_return, 99999999999)]] int *a) {}
// CHECK: :[[#@LINE+1]]:28: error: 'y' is allocated by the binding: a kernix::Tensor has the dtype of the tensor whose shape it has, and this shape is not that of a tensor; use kernix::TensorView<T>
[[kernix::bind]] void f1([[kernix::intent(out_return), kernix::shape("3")]] kernix::Tensor y) {}
