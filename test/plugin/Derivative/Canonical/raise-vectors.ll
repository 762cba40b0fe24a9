; Vectors of two and four are aligned as a whole, those of three as one number.
; RUN: %opt -load-pass-plugin=%plugin -passes='kernix-raise,function(sroa)' -S %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

%struct.float3 = type { float, float, float }
%struct.double3 = type { double, double, double }
%struct.double4 = type { double, double, double, double }
declare %struct.float3 @_Z6__ldcgPK6float3(ptr)
declare %struct.double3 @_Z6__ldcgPK7double3(ptr)
declare %struct.double4 @_Z6__ldcgPK7double4(ptr)

; CHECK-LABEL: define void @three_floats(
; CHECK: load float, ptr %p, align 4
define void @three_floats(ptr %p, ptr %q) {
  %v = call %struct.float3 @_Z6__ldcgPK6float3(ptr %p)
  store %struct.float3 %v, ptr %q
  ret void
}

; CHECK-LABEL: define void @three_doubles(
; CHECK: load double, ptr %p, align 8
define void @three_doubles(ptr %p, ptr %q) {
  %v = call %struct.double3 @_Z6__ldcgPK7double3(ptr %p)
  store %struct.double3 %v, ptr %q
  ret void
}

; CHECK-LABEL: define void @four_doubles(
; CHECK: load double, ptr %p, align 16
define void @four_doubles(ptr %p, ptr %q) {
  %v = call %struct.double4 @_Z6__ldcgPK7double4(ptr %p)
  store %struct.double4 %v, ptr %q
  ret void
}
