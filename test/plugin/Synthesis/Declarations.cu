// What synthesis adds to the AST: implicit, typed through Sema, in the host pass alone.
// RUN: %cpu-host -fsyntax-only -Xclang -ast-dump -Xclang -ast-dump-filter=__kernix_ %s | FileCheck %s
// RUN: %cpu-host -fsyntax-only -Xclang -ast-dump -Xclang -ast-dump-filter=kernix_info_f %s | FileCheck %s --check-prefix=INFO
// RUN: %cpu-device -fsyntax-only -Xclang -ast-dump -Xclang -ast-dump-filter=__kernix_ %s | FileCheck %s --check-prefix=DEVICE --allow-empty
// REQUIRES: cpu
#include <kernix/kernix.h>

// The location is that of the attribute, for everything that goes wrong later.
// CHECK: VarDecl {{.*}} <{{.*}}Declarations.cu:[[#@LINE+7]]:3> col:3 implicit used __kernix_parameters_[[HASH:[0-9a-f]+]] 'const kernix_parameter[1]' inline cinit
// CHECK: VarDecl {{.*}} implicit used __kernix_function_[[HASH]] 'const kernix_function' inline cinit
// CHECK: VisibilityAttr {{.*}} Implicit Hidden
// CHECK: VarDecl {{.*}} implicit used __kernix_entry_[[HASH]] 'const kernix_function *const' inline cinit
// CHECK: SectionAttr {{.*}} Implicit {{.*}}"kernix_functions"
// CHECK: UsedAttr {{.*}} Implicit
// CHECK: RetainAttr {{.*}} Implicit
[[kernix::bind]] float f(float x) { return x; }
// CHECK: VarDecl {{.*}} implicit used __kernix_slot_f 'kernix_operation_slot' inline cinit
// INFO: FunctionDecl {{.*}} implicit used kernix_info_f 'const kernix_operation *()' inline
// INFO: ReturnStmt
// INFO: CallExpr
// INFO: DeclRefExpr {{.*}} 'kernix_operation_resolve'
// INFO: AsmLabelAttr {{.*}} Implicit "kernix_info_f"

// DEVICE-NOT: __kernix_
