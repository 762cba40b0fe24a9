; Formulas use the result where they can, ask only for what they read, and end in canonical functions.
; (Values: test/python/test_derivative_rules.py.)
; RUN: %opt -load-pass-plugin=%plugin -passes=kernix-rules,verify -S %s | FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes=kernix-rules-fast,verify -S %s | FileCheck %s --check-prefix=FAST

; Flags that promise something about values are not the derivative's.
; FAST-LABEL: define float @d_tan_f32(
; FAST: call fast float @kernix.tan.f32(
; FAST: fmul reassoc nsz arcp contract afn float
; FAST: fadd reassoc nsz arcp contract afn float
; FAST: fmul reassoc nsz arcp contract afn float %1,

; CHECK-LABEL: define float @d_exp_f32(i32 %0, float %1, float %2)
; CHECK: [[Y:%.*]] = call float @kernix.exp.f32(float %2)
; CHECK: [[D:%.*]] = fmul float %1, [[Y]]
; CHECK: ret float [[D]]

; CHECK-LABEL: define double @d_tanh_f64(
; CHECK: [[Y:%.*]] = call double @kernix.tanh.f64(double %2)
; CHECK: [[Q:%.*]] = fmul double [[Y]], [[Y]]
; CHECK: [[S:%.*]] = fsub double 1.000000e+00, [[Q]]
; CHECK: fmul double %1, [[S]]

; CHECK-LABEL: define float @d_sin_f32(
; CHECK: call float @kernix.cos.f32(float %2)

; CHECK-LABEL: define float @d_pow_f32(
; CHECK: call float @kernix.log.f32(float %2)

; CHECK-LABEL: define float @d_lgamma_f32(
; CHECK: call float @kernix.digamma.f32(float %2)

; 0 where the number is 0.
; CHECK-LABEL: define double @d_complex_abs_f64(
; CHECK: [[Y:%.*]] = call double @kernix.complex_abs.f64(double %2, double %3)
; CHECK: [[IS:%.*]] = fcmp oeq double [[Y]], 0.000000e+00
; CHECK: select i1 [[IS]], double 0.000000e+00, double

; CHECK-LABEL: define float @d_complex_exp_real_f32(
; CHECK: call float @kernix.complex_exp_real.f32(float %2, float %3)
; CHECK: call float @kernix.complex_exp_imaginary.f32(float %2, float %3)

; CHECK-LABEL: define float @d_fma_f32(
; CHECK-DAG: fmul float %1, %2
; CHECK-DAG: fmul float %1, %3
; CHECK-DAG: ret float %1
