// Defaults that cannot be recorded: callers have to give a value, and are told so here.
// RUN: %cpu-host -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
// REQUIRES: cpu
#include <kernix/kernix.h>

int number();
extern int Variable;
struct Point {
  float x, y;
};
// CHECK: :[[#@LINE+1]]:36: warning: the default argument of 'a' is not a constant that kernix can record; callers of the bound function have to give a value [-Wkernix-no-effect]
[[kernix::bind]] void call(int a = number()) {}
// CHECK: :[[#@LINE+1]]:40: warning: the default argument of 'a' is not a constant that kernix can record; callers of the bound function have to give a value [-Wkernix-no-effect]
[[kernix::bind]] void variable(int a = Variable) {}
// CHECK: :[[#@LINE+1]]:43: warning: the default argument of 'p' is not a constant that kernix can record; callers of the bound function have to give a value [-Wkernix-no-effect]
[[kernix::bind]] void structure(Point p = {1, static_cast<float>(number())}) {}
// CHECK: :[[#@LINE+2]]:{{[0-9]+}}: warning: the default argument of 's' is not a constant that kernix can record
extern const char *const Text;
[[kernix::bind]] void unknownString(const char *s = Text) {}
