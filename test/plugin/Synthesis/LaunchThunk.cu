// Typed calls: host functions through Thunk, device functions of the CPU target through an exported symbol.
// RUN: %cpu-host -S -emit-llvm -O1 -o - %s | FileCheck %s --check-prefix=HOST
// RUN: %cpu-device -S -emit-llvm -O1 -o - %s | FileCheck %s --check-prefix=DEVICE
// RUN: %cpu-host -S -emit-llvm -o - %s | grep -o 'kernix_export_[0-9a-f]*' | sort -u > %t.host
// RUN: %cpu-device -S -emit-llvm -o - %s | grep -o 'kernix_export_[0-9a-f]*' | sort -u > %t.device
// RUN: count 2 < %t.host
// RUN: diff %t.host %t.device
// RUN: %cpu-device -fplugin-arg-kernix-unit=other -S -emit-llvm -o - %s | not grep -f %t.host
// REQUIRES: cpu
#include <kernix/kernix.h>

struct Small {
  int a;
  Small(const Small &) = default;
  Small &operator=(const Small &) = delete;
};

int value(int x);
void reference(const int &x, int &y);
void rvalue(int &&x);
Small structure(Small s);
void array(double *out);
int nothrow(int x) noexcept;

[[kernix::bind("value")]] constexpr auto bindValue = &value;
[[kernix::bind]] void reference(const int &x, [[kernix::intent(inout_ptr)]] int &y);
[[kernix::bind]] void rvalue([[kernix::intent(in)]] int &&x);
[[kernix::bind("structure")]] constexpr auto bindStructure = &structure;
[[kernix::bind]] void array([[kernix::intent(out_array_return, 3)]] double *out);
[[kernix::bind("nothrow")]] constexpr auto bindNothrow = &nothrow;

[[kernix::bind]] __device__ float device(float x) { return x + 1; }
[[kernix::bind("again")]] constexpr auto bindDevice = &device;
[[kernix::bind]] static __device__ inline float internal(float x) { return x + 2; }

// args[0] points at the object, and the result is stored.
// HOST: define linkonce_odr void @_ZN6kernix6detail5ThunkIFiiEXadL_Z5valueiEEE4callEPKPvS4_(ptr {{.*}}%[[ARGS:.*]], ptr {{.*}}%[[RESULT:.*]])
// HOST: %[[OBJECT:.*]] = load ptr, ptr %[[ARGS]]
// HOST: %[[X:.*]] = load i32, ptr %[[OBJECT]]
// HOST: %[[CALL:.*]] = {{.*}}call noundef i32 @_Z5valuei(i32 noundef %[[X]])
// HOST: store i32 %[[CALL]], ptr %[[RESULT]]

// HOST: define linkonce_odr void @_ZN6kernix6detail5ThunkIFvRKiRiE{{.*}}4call
// HOST: call void @_Z9referenceRKiRi(ptr {{.*}}%{{.*}}, ptr {{.*}}%{{.*}})
// HOST: define linkonce_odr void @_ZN6kernix6detail5ThunkIFvOiE{{.*}}4call
// HOST: call void @_Z6rvalueOi(ptr
// HOST: call i32 @_Z9structure5Small(i32
// HOST: call void @_Z5arrayPd(ptr
// HOST: call noundef i32 @_Z7nothrowi(i32

// DEVICE: define hidden void @kernix_export_{{[0-9a-f]+}}(ptr {{.*}}%[[ARGS:.*]], ptr {{.*}}%[[RESULT:.*]])
// DEVICE: %[[OBJECT:.*]] = load ptr, ptr %[[ARGS]]
// DEVICE: %[[X:.*]] = load float, ptr %[[OBJECT]]
// DEVICE: fadd {{.*}}float %[[X]], 1
// DEVICE: store float {{.*}}, ptr %[[RESULT]]
