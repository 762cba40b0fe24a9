// Places where clang drops an attribute with a warning or with nothing at all: still an error.
// RUN: not %kernix -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: not %kernix -fsyntax-only -w %s 2>&1 | FileCheck --check-prefix=SILENT %s

void negativeAssembler() {
  [[kernix::no_diff]] asm("");
}
// CHECK: :[[@LINE-2]]:5: warning: 'kernix::no_diff' attribute ignored [-Wignored-attributes]
struct S {
  [[kernix::no_diff]];
};
// CHECK: :6:13: error: 'kernix::no_diff' cannot stand here: it belongs to no declaration and no statement
// CHECK: :10:13: error: 'kernix::no_diff' cannot stand here: it belongs to no declaration and no statement
// CHECK: 2 errors generated
// SILENT-NOT: warning
// SILENT-COUNT-2: cannot stand here
