// What the front half emits for a differentiable kernel, in each pass: the primal and the placeholder by which it asks
// for the body, and f_fwd and f_bwd, which call the placeholder with the addresses of their parameters and shadows.
//
// RUN: %cuda-device -fplugin-arg-kernix-derive=off -Xclang -disable-llvm-passes -O1 -S -emit-llvm -o - %s \
// RUN:   | FileCheck %s --check-prefix=DEVICE
// RUN: %cuda-host -S -emit-llvm -o - %s | FileCheck %s --check-prefix=HOST
// RUN: %cuda-device -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python -c \
// RUN:   "import json, sys; [print(f['name'], f['derivative'], f['forward'], f['backward'], f['primal'], \
// RUN:    *[(p['name'], p['role'], p.get('shadow_kind'), p.get('shadow_of'), p.get('primal_parameter'), p['access']) \
// RUN:      for p in f['parameters']], sep='\n  ') for f in json.load(sys.stdin)]" | FileCheck %s --check-prefix=RECORD
#include <kernix/kernix.h>

[[kernix::bind, kernix::differentiable, kernix::grid("x.size(0)")]] __global__ void
saxpy(const float *__restrict__ x, float *y, [[kernix::diff]] float a, float b, int n) {
  if (threadIdx.x < n)
    y[threadIdx.x] = a * x[threadIdx.x] + b;
}

// The facts hold the hash of the derivative's record, and zeros that the LLVM half replaces.
// DEVICE: @kernix_launch_facts_{{[0-9a-f]+}} = linkonce_odr {{.*}}addrspace(1) externally_initialized global %struct.kernix_launch_facts { i64 {{-?[1-9][0-9]*}}, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0 }
// DEVICE: @kernix_launch_facts_{{[0-9a-f]+}} = linkonce_odr {{.*}}addrspace(1) externally_initialized global %struct.kernix_launch_facts { i64 {{-?[1-9][0-9]*}}, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0 }

// The annotation: primal, facts, JSON, place of the attribute.
// DEVICE: c"kernix.derive\00"
// DEVICE: @[[FWD_JSON:[.str0-9]+]] = {{.*}}\22kind\22:\22kernel\22,\22max_iters\22:[],\22max_registers\22:0,\22mode\22:\22forward\22,\22no_diff\22:[],\22order\22:1
// DEVICE: = private unnamed_addr constant { ptr, ptr, ptr, ptr, i32, i32 } { ptr @kernix_primal_[[HASH:[0-9a-f]+]], ptr addrspacecast (ptr addrspace(1) @[[FWD_FACTS:kernix_launch_facts_[0-9a-f]+]] to ptr), ptr @[[FWD_JSON]], ptr @{{[^,]*}}, i32 13, i32 3 }
// DEVICE: @[[BWD_JSON:[.str0-9]+]] = {{.*}}\22mode\22:\22reverse\22
// DEVICE-SAME: {\22leaves\22:[{\22access\22:\22in\22,\22active\22:true,\22count\22:4,\22kind\22:\22pointer\22,\22offset\22:0,\22type\22:\22f32\22}],\22name\22:\22x\22,\22size\22:8}
// DEVICE-SAME: {\22leaves\22:[{\22access\22:\22out\22,\22active\22:true,\22count\22:4,\22kind\22:\22pointer\22,\22offset\22:0,\22type\22:\22f32\22}],\22name\22:\22y\22,\22size\22:8}
// DEVICE-SAME: {\22leaves\22:[{\22active\22:true,\22kind\22:\22value\22,\22name\22:\22a\22,\22offset\22:0,\22type\22:\22f32\22}],\22name\22:\22a\22,\22size\22:4}
// DEVICE-SAME: {\22leaves\22:[{\22active\22:false,\22kind\22:\22value\22,\22name\22:\22b\22,\22offset\22:0,\22type\22:\22f32\22}],\22name\22:\22b\22,\22size\22:4}
// DEVICE-SAME: {\22leaves\22:[],\22name\22:\22n\22,\22size\22:4}
// DEVICE: { ptr @kernix_primal_[[HASH]], ptr addrspacecast (ptr addrspace(1) @kernix_launch_facts_{{[0-9a-f]+}} to ptr), ptr @[[BWD_JSON]],
// DEVICE: @llvm.global.annotations = {{.*}}{ ptr @kernix_forward_[[HASH]], {{.*}}{ ptr @kernix_reverse_[[HASH]],
// DEVICE: @llvm.compiler.used = {{.*}}@_Z9saxpy_bwdPKfPfS1_S0_fS1_fi

// DEVICE: define dso_local ptx_kernel void @_Z5saxpyPKfPfffi(

// f_fwd(x, x_tangent, y, y_tangent, a, a_tangent, b, n): a scalar's tangent is a value.
// DEVICE: define dso_local ptx_kernel void @_Z9saxpy_fwdPKfS0_PfS1_fffi(ptr {{[^,]*}} %0, ptr {{[^,]*}} %1, ptr {{[^,]*}} %2, ptr {{[^,]*}} %3, float {{[^,]*}} %4, float {{[^,]*}} %5, float {{[^,]*}} %6, i32 {{[^,]*}} %7)
// DEVICE: store ptr %0, ptr %[[X:[0-9]+]]
// DEVICE: store ptr %1, ptr %[[DX:[0-9]+]]
// DEVICE: store ptr %2, ptr %[[Y:[0-9]+]]
// DEVICE: store ptr %3, ptr %[[DY:[0-9]+]]
// DEVICE: store float %4, ptr %[[A:[0-9]+]]
// DEVICE: store float %5, ptr %[[DA:[0-9]+]]
// DEVICE: store float %6, ptr %[[B:[0-9]+]]
// DEVICE: store i32 %7, ptr %[[N:[0-9]+]]
// DEVICE-NEXT: call void @kernix_forward_[[HASH]](ptr {{[^,]*}} %[[X]], ptr {{[^,]*}} %[[DX]], ptr {{[^,]*}} %[[Y]], ptr {{[^,]*}} %[[DY]], ptr {{[^,]*}} %[[A]], ptr {{[^,]*}} %[[DA]], ptr {{[^,]*}} %[[B]], ptr noundef null, ptr {{[^,]*}} %[[N]], ptr noundef null)
// DEVICE-NEXT: ret void

// DEVICE: define internal void @kernix_forward_[[HASH]](
// DEVICE: call void @kernix_primal_[[HASH]](
// DEVICE-NEXT: call void @kernix_derivative_was_not_made()

// f_bwd(x, x_grad, y, y_grad, a, a_grad, b, n): a scalar's gradient is memory, and its address is passed on as it is.
// DEVICE: define dso_local ptx_kernel void @_Z9saxpy_bwdPKfPfS1_S0_fS1_fi(ptr {{[^,]*}} %0, ptr {{[^,]*}} %1, ptr {{[^,]*}} %2, ptr {{[^,]*}} %3, float {{[^,]*}} %4, ptr {{[^,]*}} %5, float {{[^,]*}} %6, i32 {{[^,]*}} %7)
// DEVICE: store ptr %5, ptr %[[GA:[0-9]+]]
// DEVICE: %[[GRADIENT:[0-9]+]] = load ptr, ptr %[[GA]]
// DEVICE-NEXT: call void @kernix_reverse_[[HASH]](ptr {{[^,]*}} %{{[0-9]+}}, ptr {{[^,]*}} %{{[0-9]+}}, ptr {{[^,]*}} %{{[0-9]+}}, ptr {{[^,]*}} %{{[0-9]+}}, ptr {{[^,]*}} %{{[0-9]+}}, ptr noundef %[[GRADIENT]], ptr {{[^,]*}} %{{[0-9]+}}, ptr noundef null, ptr {{[^,]*}} %{{[0-9]+}}, ptr noundef null)

// DEVICE: define internal void @kernix_reverse_[[HASH]](
// DEVICE: define internal void @kernix_primal_[[HASH]](ptr {{[^,]*}} %0, ptr {{[^,]*}} %1, ptr {{[^,]*}} %2, ptr {{[^,]*}} %3, ptr {{[^,]*}} %4)
// DEVICE: call void @_Z5saxpyPKfPfffi(
// DEVICE: declare hidden void @kernix_derivative_was_not_made()

// The host pass has stubs, handles of the facts, and descriptors; it asks the LLVM half for nothing.
// HOST-NOT: kernix.derive
// HOST: @kernix_launch_facts_{{[0-9a-f]+}} = internal {{.*}}global %struct.kernix_launch_facts undef
// HOST: define dso_local void @_Z24__device_stub__saxpy_fwdPKfS0_PfS1_fffi(
// HOST: define dso_local void @_Z24__device_stub__saxpy_bwdPKfPfS1_S0_fS1_fi(
// HOST-NOT: kernix_reverse
// HOST: define linkonce_odr dso_local noundef i32 @__tvm_ffi_saxpy_bwd(

// RECORD: saxpy
// RECORD-NEXT: None
// RECORD-NEXT: saxpy_fwd
// RECORD-NEXT: saxpy_bwd
// RECORD-NEXT: None
// RECORD-NEXT: ('x', 'arg', None, None, None, 'in')
// RECORD-NEXT: ('y', 'ret', None, None, None, 'out')
// RECORD: saxpy_fwd
// RECORD-NEXT: forward
// RECORD-NEXT: None
// RECORD-NEXT: None
// RECORD-NEXT: saxpy
// RECORD-NEXT: ('x', 'arg', None, None, 0, 'in')
// RECORD-NEXT: ('x_tangent', 'arg', 'tangent', 0, 0, 'in')
// RECORD-NEXT: ('y', 'ret', None, None, 1, 'out')
// RECORD-NEXT: ('y_tangent', 'ret', 'tangent', 2, 1, 'out')
// RECORD-NEXT: ('a', 'attr', None, None, 2, 'in')
// RECORD-NEXT: ('a_tangent', 'attr', 'tangent', 4, 2, 'in')
// RECORD-NEXT: ('b', 'attr', None, None, 3, 'in')
// RECORD-NEXT: ('n', 'attr', None, None, 4, None)
// RECORD: saxpy_bwd
// RECORD-NEXT: backward
// RECORD-NEXT: None
// RECORD-NEXT: None
// RECORD-NEXT: saxpy
// RECORD-NEXT: ('x', 'arg', None, None, 0, 'in')
// RECORD-NEXT: ('x_grad', 'ret', 'gradient', 0, 0, 'in')
// RECORD-NEXT: ('y', 'arg', None, None, 1, 'out')
// RECORD-NEXT: ('y_grad', 'arg', 'cotangent', 2, 1, 'out')
// RECORD-NEXT: ('a', 'attr', None, None, 2, 'in')
// RECORD-NEXT: ('a_grad', 'ret', 'gradient', 4, 2, 'in')
// RECORD-NEXT: ('b', 'attr', None, None, 3, 'in')
// RECORD-NEXT: ('n', 'attr', None, None, 4, None)
