// -Wkernix-lost-update: writes to inputs that are passed by reference.
// RUN: %cpu-host -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
// REQUIRES: cpu
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-Wno-kernix-lost-update %s 2>&1 | count 0
#include <kernix/kernix.h>

struct Stats {
  int count;
};
__device__ void bump(int &i) {
// CHECK: :[[#@LINE+2]]:5: warning: 's' is an input unless an intent says otherwise: callers of the bound function do not see this update [-Wkernix-lost-update]
// CHECK: :[[#@LINE+4]]:61: note: intent(inout_ptr), intent(out_ptr) or intent(out_return) make it an output
  ++i;
}

[[kernix::bind]] __device__ void positiveThroughCall(Stats &s) { bump(s.count); }
[[kernix::bind]] __device__ void positiveDefault(Stats &s) {
// CHECK: :[[#@LINE+2]]:11: warning: 's' is an input unless an intent says otherwise: callers of the bound function do not see this update [-Wkernix-lost-update]
// CHECK: :[[#@LINE-2]]:57: note: intent(inout_ptr), intent(out_ptr) or intent(out_return) make it an output
  s.count = 1;
}
[[kernix::bind]] void positiveHost([[kernix::intent(in)]] int &i) {
// CHECK: :[[#@LINE+2]]:5: warning: 'i' is an input, by its intent: callers of the bound function do not see this update [-Wkernix-lost-update]
// CHECK: :[[#@LINE-2]]:64: note: intent(inout_ptr), intent(out_ptr) or intent(out_return) make it an output
  i = 2;
}
[[kernix::bind]] __device__ void positiveRvalue(float &&f) {
// CHECK: :[[#@LINE+2]]:5: warning: 'f' is an input unless an intent says otherwise: callers of the bound function do not see this update [-Wkernix-lost-update]
// CHECK: :[[#@LINE-2]]:57: note: intent(inout_ptr), intent(out_ptr) or intent(out_return) make it an output
  f += 1;
}
[[kernix::bind]] __device__ int negativeOnlyRead(Stats &s) { return s.count; }
[[kernix::bind]] __device__ void negativeOutput([[kernix::intent(out_ptr)]] Stats &s) { s.count = 1; }
[[kernix::bind]] __device__ int negativeCopy(Stats s) { return s.count = 2; }
