// The loaders' functions= as a plugin argument: it includes kernix.h, replaces comments, and may speak of other files.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json -fplugin-arg-kernix-functions=scale %s | %python %S/Inputs/record.py | FileCheck %s
// RUN: not %cpu-host -fsyntax-only "-fplugin-arg-kernix-functions=scale = attr.b attr.a" %s 2>&1 | FileCheck %s --check-prefix=SWAPPED
// RUN: not %cpu-host -fsyntax-only -fplugin-arg-kernix-functions=scael %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json -fplugin-arg-kernix-functions=scael -fplugin-arg-kernix-functions-elsewhere %s \
// RUN:   | FileCheck %s --check-prefix=NONE
// REQUIRES: cpu

// CHECK: host scale = scale(int a, int b) [attr.a:int32 attr.b:int32]
// CHECK-NOT: host
// NONE: []
// SWAPPED: functions:1:9: error: 'attr.b' stands at the place of 'a', and 'b' is another parameter of 'scale'
// SWAPPED: FunctionsArgument.cu:[[#@LINE+1]]:22: note: 'b' of type 'int' is declared here
int scale(int a, int b) { return a * b; }

// UNKNOWN: functions:1:1: error: the source declares no function 'scael'; did you mean 'scale'?
// @BE ignored
int ignored(int a) { return a; }
