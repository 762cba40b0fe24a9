; Kernels that wait become phases: loops over the threads between the waits.
; RUN: %opt -passes='kernix-cpu-device<unit=u>,verify' %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; A frame: 32 bytes, and 4 for what the kernel keeps across its barrier.
; CHECK-DAG: @__kernix_cpu_kernel.u.swap = {{.*}}, i32 0, i32 0, i32 36, i32 0, i32 0, i32 0, ptr @swap.run_blocks, ptr null, ptr null }
; CHECK-DAG: @__kernix_cpu_kernel.u.parts = {{.*}}, ptr @parts.run_blocks, ptr null, ptr null }
; CHECK-DAG: @__kernix_cpu_kernel.u.steps = {{.*}}, i32 32, i32 0, i32 0, i32 0, ptr @steps.run_blocks, ptr null, ptr null }
; An array whose indices are constants when its loops are unrolled is none. In a longer loop of the thread it remains one.
; CHECK-DAG: @__kernix_cpu_kernel.u.reverses = {{.*}}, i32 32, i32 0, i32 0, i32 0, ptr @reverses.run_blocks, ptr null, ptr null }
; CHECK-DAG: @__kernix_cpu_kernel.u.reverses_again = {{.*}}, i32 48, i32 0, i32 0, i32 0, ptr @reverses_again.run_blocks, ptr null, ptr null }
; Frames for 64 blocks side by side.
; CHECK-DAG: @__kernix_cpu_kernel.u.grid_steps = {{.*}}, i32 2048, i32 1, i32 0, i32 0, ptr @grid_steps.run_blocks, ptr null, ptr null }
; These stay fibers.
; CHECK-DAG: @__kernix_cpu_kernel.u.who = {{.*}}, ptr null, ptr null, ptr @who.run_thread }
; CHECK-DAG: @__kernix_cpu_kernel.u.sleeps = {{.*}}, ptr null, ptr null, ptr @sleeps.run_thread }
; CHECK-DAG: @__kernix_cpu_kernel.u.hidden = {{.*}}, ptr null, ptr null, ptr @hidden.run_thread }

; All threads stay together: no look at where each stands.
; CHECK-LABEL: define internal void @swap.blocks(
; CHECK: phase.x:
; CHECK: load i32
; CHECK: phase.x{{[0-9]+}}:
; CHECK: store i32
; CHECK-NOT: call {{.*}}@kernix_cpu_resolve_waits
; CHECK-NOT: call {{.*}}@kernix_cpu_barrier
; CHECK-LABEL: define internal void @swap.run_blocks(
define void @swap(ptr %x) #0 {
  %t = call i32 @kernix_cpu_thread_idx_x() #1
  %p = getelementptr i32, ptr %x, i32 %t
  %v = load i32, ptr %p
  call void @kernix_cpu_barrier() #2
  %u = xor i32 %t, 1
  %q = getelementptr i32, ptr %x, i32 %u
  store i32 %v, ptr %q
  ret void
}

; Behind a barrier all threads ask for the size of the block, by a declaration that promises nothing.
; CHECK-LABEL: define internal void @asks.blocks(
; CHECK-NOT: poison
; CHECK-LABEL: define internal void @asks.run_blocks(
define void @asks(ptr %x) #0 {
entry:
  %t = call i32 @kernix_cpu_thread_idx_x() #1
  %p = getelementptr i32, ptr %x, i32 %t
  call void @kernix_cpu_barrier() #2
  %n = call i32 @kernix_cpu_grid_dim_z()
  %c = icmp ult i32 %n, 2
  br i1 %c, label %one, label %several
one:
  store i32 1, ptr %p
  br label %done
several:
  store i32 2, ptr %p
  br label %done
done:
  ret void
}

; Some threads return first: then it matters who is where.
; CHECK-LABEL: define internal void @parts.blocks(
; CHECK: call i32 @kernix_cpu_resolve_waits(
; CHECK: mixed.x:
define void @parts(ptr %x, i32 %n) #0 {
entry:
  %t = call i32 @kernix_cpu_thread_idx_x() #1
  %c = icmp ult i32 %t, %n
  br i1 %c, label %on, label %done
on:
  call void @kernix_cpu_barrier() #2
  store i32 %t, ptr %x
  br label %done
done:
  ret void
}

; Some warps might come here and others not, each decided by its own data: warp by warp, where the block has one row.
; CHECK-LABEL: define internal void @warps.blocks(
; CHECK: block.end:
; CHECK: %[[LATER:.*]] = add nuw i32 %[[FIRST:.*]], %[[WIDTH:.*]]
; CHECK: icmp ult i32 %[[LATER]], %[[DIM:.*]]
; CHECK: warp:
; CHECK: %[[FIRST]] = phi i32 [ 0, %{{.*}} ], [ %[[LATER]], %block.end ]
; CHECK: %[[LEFT:.*]] = sub nuw i32 %[[DIM:.*]], %[[FIRST]]
; CHECK: %[[LANES:.*]] = call i32 @llvm.umin.i32(i32 %[[LEFT]], i32 32)
; CHECK: %[[WIDTH]] = select i1 %{{.*}}, i32 %[[LANES]], i32 %[[LEFT]]
; CHECK: phase.x{{[0-9]*}}:
; CHECK: add nuw i32 %[[FIRST]], %{{.*}}
define void @warps(ptr %x) #0 {
entry:
  %t = call i32 @kernix_cpu_thread_idx_x() #1
  %p = getelementptr i32, ptr %x, i32 %t
  %v = load i32, ptr %p
  %c = icmp ne i32 %v, 0
  br i1 %c, label %on, label %done
on:
  call void @kernix_cpu_warp_sync(i32 -1) #2
  store i32 %t, ptr %p
  br label %done
done:
  ret void
}

; A barrier concerns the whole block, and where all threads stay together there is nothing to gain.
; CHECK-LABEL: define internal void @warps_and_barrier.blocks(
; CHECK-NOT: warp:
; CHECK-LABEL: define internal void @warps_and_barrier.run_blocks(
define void @warps_and_barrier(ptr %x) #0 {
entry:
  %t = call i32 @kernix_cpu_thread_idx_x() #1
  %p = getelementptr i32, ptr %x, i32 %t
  %v = load i32, ptr %p
  %c = icmp ne i32 %v, 0
  br i1 %c, label %on, label %done
on:
  call void @kernix_cpu_warp_sync(i32 -1) #2
  store i32 %t, ptr %p
  br label %done
done:
  call void @kernix_cpu_barrier() #2
  store i32 %t, ptr %x
  ret void
}
; CHECK-LABEL: define internal void @together.blocks(
; CHECK-NOT: warp:
; CHECK-LABEL: define internal void @together.run_blocks(
define void @together(ptr %x) #0 {
  %t = call i32 @kernix_cpu_thread_idx_x() #1
  %p = getelementptr i32, ptr %x, i32 %t
  call void @kernix_cpu_warp_sync(i32 -1) #2
  store i32 %t, ptr %p
  ret void
}

define void @reverses(ptr %x) #0 {
entry:
  %a = alloca [4 x i32]
  %t = call i32 @kernix_cpu_thread_idx_x() #1
  %base = shl i32 %t, 2
  call void @kernix_cpu_barrier() #2
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %from = add i32 %base, %i
  %p = getelementptr i32, ptr %x, i32 %from
  %v = load i32, ptr %p
  %slot = getelementptr i32, ptr %a, i32 %i
  store i32 %v, ptr %slot
  %i.next = add i32 %i, 1
  %c = icmp ult i32 %i.next, 4
  br i1 %c, label %fill, label %back
back:
  %j = phi i32 [ 0, %fill ], [ %j.next, %back ]
  %k = sub i32 3, %j
  %other = getelementptr i32, ptr %a, i32 %k
  %w = load i32, ptr %other
  %to = add i32 %base, %j
  %q = getelementptr i32, ptr %x, i32 %to
  store i32 %w, ptr %q
  %j.next = add i32 %j, 1
  %d = icmp ult i32 %j.next, 4
  br i1 %d, label %back, label %after
after:
  ret void
}
define void @reverses_again(ptr %x, i32 %n) #0 {
entry:
  %a = alloca [4 x i32]
  %t = call i32 @kernix_cpu_thread_idx_x() #1
  %base = shl i32 %t, 2
  call void @kernix_cpu_barrier() #2
  br label %outer
outer:
  %turn = phi i32 [ 0, %entry ], [ %next, %after ]
  br label %fill
fill:
  %i = phi i32 [ 0, %outer ], [ %i.next, %fill ]
  %from = add i32 %base, %i
  %p = getelementptr i32, ptr %x, i32 %from
  %v = load i32, ptr %p
  %slot = getelementptr i32, ptr %a, i32 %i
  store i32 %v, ptr %slot
  %i.next = add i32 %i, 1
  %c = icmp ult i32 %i.next, 4
  br i1 %c, label %fill, label %back
back:
  %j = phi i32 [ 0, %fill ], [ %j.next, %back ]
  %k = sub i32 3, %j
  %other = getelementptr i32, ptr %a, i32 %k
  %w = load i32, ptr %other
  %to = add i32 %base, %j
  %q = getelementptr i32, ptr %x, i32 %to
  store i32 %w, ptr %q
  %j.next = add i32 %j, 1
  %d = icmp ult i32 %j.next, 4
  br i1 %d, label %back, label %after
after:
  %next = add i32 %turn, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %outer, label %done
done:
  ret void
}

; A loop in steps of the block: one step of all threads before the next.
; CHECK-LABEL: define internal void @steps.blocks(
; CHECK: steps.test:
; CHECK: %[[OFFSET:.*]] = phi i64 [ 0, %{{.*}} ], [ %[[NEXT:.*]], %{{.*}} ]
; CHECK: step.x:
; CHECK: icmp slt i64
define void @steps(ptr %x, i32 %n) #0 {
entry:
  %t = call i32 @kernix_cpu_thread_idx_x() #1
  br label %header
header:
  %i = phi i32 [ %t, %entry ], [ %next, %body ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %done
body:
  %p = getelementptr i32, ptr %x, i32 %i
  store i32 %i, ptr %p
  %d = call i32 @kernix_cpu_block_dim_x() #1
  %next = add i32 %i, %d
  br label %header
done:
  ret void
}

; In steps of the grid, by the place in the grid alone: blocks run side by side.
; CHECK-LABEL: define internal void @grid_steps.blocks(
; CHECK: strip:
; CHECK: %[[WIDTH:.*]] = mul nuw i32 %{{.*}}, %{{.*}}
; CHECK: %{{.*}} = icmp ult i32 %{{.*}}, %[[WIDTH]]
; CHECK: steps.test:
define void @grid_steps(ptr %x, i32 %n) #0 {
entry:
  %t = call i32 @kernix_cpu_thread_idx_x() #1
  %b = call i32 @kernix_cpu_block_idx_x() #1
  %s = call i32 @kernix_cpu_block_dim_x() #1
  %g = call i32 @kernix_cpu_grid_dim_x() #1
  %first = mul i32 %b, %s
  %start = add i32 %first, %t
  %d = mul i32 %g, %s
  br label %header
header:
  %i = phi i32 [ %start, %entry ], [ %next, %body ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %done
body:
  %p = getelementptr i32, ptr %x, i32 %i
  store i32 %i, ptr %p
  %next = add i32 %i, %d
  br label %header
done:
  ret void
}

define void @who(ptr %x) #0 {
  %m = call i32 @kernix_cpu_active_mask() #2
  store i32 %m, ptr %x
  ret void
}
define void @sleeps(ptr %x) #0 {
  call void @kernix_cpu_nanosleep(i32 1)
  call void @kernix_cpu_barrier() #2
  ret void
}
define void @waits() #3 {
  call void @kernix_cpu_barrier() #2
  ret void
}
define void @hidden(ptr %x) #0 {
  call void @waits() #2
  ret void
}
declare i32 @kernix_cpu_block_idx_x() #1
declare i32 @kernix_cpu_grid_dim_x() #1
declare i32 @kernix_cpu_thread_idx_x() #1
declare i32 @kernix_cpu_block_dim_x() #1
declare i32 @kernix_cpu_grid_dim_z()
declare i32 @kernix_cpu_active_mask() #2
declare void @kernix_cpu_barrier() #2
declare void @kernix_cpu_warp_sync(i32) #2
declare void @kernix_cpu_nanosleep(i32)
attributes #0 = { convergent nounwind "uniform-work-group-size"="true" }
attributes #1 = { convergent nounwind willreturn memory(none) }
attributes #2 = { convergent nounwind }
attributes #3 = { convergent noinline nounwind }
