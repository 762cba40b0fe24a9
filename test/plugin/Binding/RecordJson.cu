// The whole record as JSON, with everything in a fixed order; -fplugin-arg-kernix-dump=json adds places and the hash.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | FileCheck %s --match-full-lines --strict-whitespace
// RUN: %cpu-host -S -emit-llvm -o - %s | FileCheck %s --check-prefix=IR
// REQUIRES: cpu
#include <kernix/kernix.h>

struct Pair {
  float a = 2.5f;
  short b[2] = {static_cast<short>(sizeof(a)), short(a)};
};

/// Adds "n"
/// to x.
[[kernix::bind("sum"), kernix::block(64)]] __global__ void
kernel(const float2 *x, [[kernix::shape("x.size(0)", "n")]] float *y, Pair p, int n = 3) {
  *y += x->x;
}

// The object carries the same, without places and hash.
// IR: c"{\22arg_spec\22:[\22arg\22,\22ret\22,\22attr.p:struct\22,\22attr.n:int32\22],\22backward\22:null,
// IR-NOT: \22location\22
// IR-NOT: \22record_hash\22

// CHECK:[
// CHECK-NEXT:  {
// CHECK-NEXT:    "arg_spec": [
// CHECK-NEXT:      "arg",
// CHECK-NEXT:      "ret",
// CHECK-NEXT:      "attr.p:struct",
// CHECK-NEXT:      "attr.n:int32"
// CHECK-NEXT:    ],
// CHECK-NEXT:    "backward": null,
// CHECK-NEXT:    "capability": null,
// CHECK-NEXT:    "derivative": null,
// CHECK-NEXT:    "differentiable": false,
// CHECK-NEXT:    "doc": "Adds \"n\"\nto x.",
// CHECK-NEXT:    "forward": null,
// CHECK-NEXT:    "hand_written": false,
// CHECK-NEXT:    "kind": "kernel",
// CHECK-NEXT:    "launch": {
// CHECK-NEXT:      "block": [
// CHECK-NEXT:        "64"
// CHECK-NEXT:      ],
// CHECK-NEXT:      "grid": null,
// CHECK-NEXT:      "ignores_blocks": true,
// CHECK-NEXT:      "shared_bytes": null,
// CHECK-NEXT:      "shared_output": false,
// CHECK-NEXT:      "single_thread": true,
// CHECK-NEXT:      "uses_only_x": true
// CHECK-NEXT:    },
// CHECK-NEXT:    "location": "{{.*}}RecordJson.cu:15:1",
// CHECK-NEXT:    "mangled_name": "_Z6kernelPK6float2Pf4Pairi",
// CHECK-NEXT:    "name": "sum",
// CHECK-NEXT:    "parameters": [
// CHECK-NEXT:      {
// CHECK-NEXT:        "access": null,
// CHECK-NEXT:        "accumulation": null,
// CHECK-NEXT:        "alignment": 8,
// CHECK-NEXT:        "default": null,
// CHECK-NEXT:        "differentiable": false,
// CHECK-NEXT:        "dtype": "float32",
// CHECK-NEXT:        "element_shape": [
// CHECK-NEXT:          2
// CHECK-NEXT:        ],
// CHECK-NEXT:        "has_default": false,
// CHECK-NEXT:        "intent": null,
// CHECK-NEXT:        "like": null,
// CHECK-NEXT:        "location": "{{.*}}RecordJson.cu:15:22",
// CHECK-NEXT:        "name": "x",
// CHECK-NEXT:        "no_diff": false,
// CHECK-NEXT:        "optional": false,
// CHECK-NEXT:        "passing": "pointer",
// CHECK-NEXT:        "rank": null,
// CHECK-NEXT:        "role": "arg",
// CHECK-NEXT:        "shape": null,
// CHECK-NEXT:        "size": 8,
// CHECK-NEXT:        "type": "const float2 *",
// CHECK-NEXT:        "unknown_default": false,
// CHECK-NEXT:        "value": null,
// CHECK-NEXT:        "written": false,
// CHECK-NEXT:        "zero_init": false
// CHECK-NEXT:      },
// CHECK-NEXT:      {
// CHECK-NEXT:        "access": null,
// CHECK-NEXT:        "accumulation": null,
// CHECK-NEXT:        "alignment": 8,
// CHECK-NEXT:        "default": null,
// CHECK-NEXT:        "differentiable": false,
// CHECK-NEXT:        "dtype": "float32",
// CHECK-NEXT:        "element_shape": [],
// CHECK-NEXT:        "has_default": false,
// CHECK-NEXT:        "intent": null,
// CHECK-NEXT:        "like": null,
// CHECK-NEXT:        "location": "{{.*}}RecordJson.cu:15:68",
// CHECK-NEXT:        "name": "y",
// CHECK-NEXT:        "no_diff": false,
// CHECK-NEXT:        "optional": false,
// CHECK-NEXT:        "passing": "pointer",
// CHECK-NEXT:        "rank": null,
// CHECK-NEXT:        "role": "ret",
// CHECK-NEXT:        "shape": [
// CHECK-NEXT:          "x.size(0)",
// CHECK-NEXT:          "n"
// CHECK-NEXT:        ],
// CHECK-NEXT:        "size": 8,
// CHECK-NEXT:        "type": "float *",
// CHECK-NEXT:        "unknown_default": false,
// CHECK-NEXT:        "value": null,
// CHECK-NEXT:        "written": true,
// CHECK-NEXT:        "zero_init": true
// CHECK-NEXT:      },
// CHECK-NEXT:      {
// CHECK-NEXT:        "access": null,
// CHECK-NEXT:        "accumulation": null,
// CHECK-NEXT:        "alignment": 4,
// CHECK-NEXT:        "default": null,
// CHECK-NEXT:        "differentiable": false,
// CHECK-NEXT:        "dtype": "any",
// CHECK-NEXT:        "fields": [
// CHECK-NEXT:          {
// CHECK-NEXT:            "count": 1,
// CHECK-NEXT:            "default": 2.5,
// CHECK-NEXT:            "dtype": "float32",
// CHECK-NEXT:            "name": "a",
// CHECK-NEXT:            "offset": 0,
// CHECK-NEXT:            "shape": [],
// CHECK-NEXT:            "type": "float",
// CHECK-NEXT:            "unknown_default": false
// CHECK-NEXT:          },
// CHECK-NEXT:          {
// CHECK-NEXT:            "count": 2,
// CHECK-NEXT:            "default": null,
// CHECK-NEXT:            "dtype": "int16",
// CHECK-NEXT:            "name": "b",
// CHECK-NEXT:            "offset": 4,
// CHECK-NEXT:            "shape": [
// CHECK-NEXT:              2
// CHECK-NEXT:            ],
// CHECK-NEXT:            "type": "short",
// CHECK-NEXT:            "unknown_default": true
// CHECK-NEXT:          }
// CHECK-NEXT:        ],
// CHECK-NEXT:        "has_default": false,
// CHECK-NEXT:        "intent": null,
// CHECK-NEXT:        "location": "{{.*}}RecordJson.cu:15:76",
// CHECK-NEXT:        "name": "p",
// CHECK-NEXT:        "no_diff": false,
// CHECK-NEXT:        "optional": false,
// CHECK-NEXT:        "passing": "struct",
// CHECK-NEXT:        "role": "attr",
// CHECK-NEXT:        "size": 8,
// CHECK-NEXT:        "type": "Pair",
// CHECK-NEXT:        "unknown_default": false,
// CHECK-NEXT:        "value": null,
// CHECK-NEXT:        "written": false,
// CHECK-NEXT:        "zero_init": false
// CHECK-NEXT:      },
// CHECK-NEXT:      {
// CHECK-NEXT:        "access": null,
// CHECK-NEXT:        "accumulation": null,
// CHECK-NEXT:        "alignment": 4,
// CHECK-NEXT:        "default": 3,
// CHECK-NEXT:        "differentiable": false,
// CHECK-NEXT:        "dtype": "int32",
// CHECK-NEXT:        "has_default": true,
// CHECK-NEXT:        "intent": null,
// CHECK-NEXT:        "location": "{{.*}}RecordJson.cu:15:83",
// CHECK-NEXT:        "name": "n",
// CHECK-NEXT:        "no_diff": false,
// CHECK-NEXT:        "optional": false,
// CHECK-NEXT:        "passing": "scalar",
// CHECK-NEXT:        "role": "attr",
// CHECK-NEXT:        "size": 4,
// CHECK-NEXT:        "type": "int",
// CHECK-NEXT:        "unknown_default": false,
// CHECK-NEXT:        "value": null,
// CHECK-NEXT:        "written": false,
// CHECK-NEXT:        "zero_init": false
// CHECK-NEXT:      }
// CHECK-NEXT:    ],
// CHECK-NEXT:    "primal": null,
// CHECK-NEXT:    "qualified_name": "kernel",
// CHECK-NEXT:    "record_hash": "{{[0-9a-f]+}}",
// CHECK-NEXT:    "result": null,
// CHECK-NEXT:    "signature": "kernel(const float2 *x, float *y, Pair p, int n)"
// CHECK-NEXT:  }
// CHECK-NEXT:]
