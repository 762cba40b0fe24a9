; Which thread and block ids tell the addresses of loads apart, and what of that has to be tested when a kernel starts.
; RUN: %opt -load-pass-plugin=%plugin -passes=kernix-proofs -disable-output %s | FileCheck %s

declare i32 @kernix.thread_idx.x() memory(none)
declare i32 @kernix.thread_idx.y() memory(none)
declare i32 @kernix.block_idx.x() memory(none)
declare i32 @kernix.block_idx.y() memory(none)
declare i32 @kernix.block_dim.x() memory(none)
declare i32 @kernix.block_dim.y() memory(none)
declare i32 @kernix.grid_dim.x() memory(none)

; i = blockIdx.x * blockDim.x + threadIdx.x. The product is taken modulo 2^32, which is tested.
; CHECK-LABEL: line x: threadIdx.x blockIdx.x
; CHECK-NEXT: if 0 <= -blockDim.x * gridDim.x + 2147483648
; CHECK-NOT: if
define void @line(ptr noalias %x, ptr noalias %n) {
  %b = call i32 @kernix.block_idx.x()
  %d = call i32 @kernix.block_dim.x()
  %m = mul i32 %b, %d
  %t = call i32 @kernix.thread_idx.x()
  %i = add i32 %m, %t
  %w = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load float, ptr %p
  ret void
}

; x[i - 1] and x[i + 1] of neighbours are one element.
; CHECK-LABEL: stencil x:{{$}}
define void @stencil(ptr noalias %x) {
  %b = call i32 @kernix.block_idx.x()
  %d = call i32 @kernix.block_dim.x()
  %m = mul i32 %b, %d
  %t = call i32 @kernix.thread_idx.x()
  %i = add i32 %m, %t
  %w = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load float, ptr %p
  %q = getelementptr i8, ptr %p, i64 8
  %u = load float, ptr %q
  ret void
}

; Three floats of a struct; a step of 8 bytes between threads would not be enough for them.
; CHECK-LABEL: structs x: threadIdx.x{{$}}
; CHECK-LABEL: overlapping x:{{$}}
define void @structs(ptr noalias %x) {
  %t = call i32 @kernix.thread_idx.x()
  %w = zext nneg i32 %t to i64
  %p = getelementptr [3 x float], ptr %x, i64 %w
  %v0 = load float, ptr %p
  %p1 = getelementptr i8, ptr %p, i64 4
  %v1 = load float, ptr %p1
  %p2 = getelementptr i8, ptr %p, i64 8
  %v2 = load float, ptr %p2
  ret void
}
define void @overlapping(ptr noalias %x) {
  %t = call i32 @kernix.thread_idx.x()
  %w = zext nneg i32 %t to i64
  %p = getelementptr [2 x float], ptr %x, i64 %w
  %v0 = load float, ptr %p
  %p2 = getelementptr i8, ptr %p, i64 8
  %v2 = load float, ptr %p2
  ret void
}

; y * width + x: rows are apart where x < width is tested before the load.
; CHECK-LABEL: guarded x: threadIdx.x threadIdx.y blockIdx.x blockIdx.y
; CHECK-NEXT: if 0 <= width{{$}}
; CHECK-NEXT: unguarded x: threadIdx.x threadIdx.y blockIdx.x blockIdx.y
; CHECK-NEXT: if 0 <= width - blockDim.x * gridDim.x{{$}}
; CHECK-NEXT: if 0 <= width{{$}}
define void @guarded(ptr noalias %x, ptr noalias %width) {
  %bx = call i32 @kernix.block_idx.x()
  %dx = call i32 @kernix.block_dim.x()
  %mx = mul nsw i32 %bx, %dx
  %tx = call i32 @kernix.thread_idx.x()
  %i = add nsw i32 %mx, %tx
  %by = call i32 @kernix.block_idx.y()
  %dy = call i32 @kernix.block_dim.y()
  %my = mul nsw i32 %by, %dy
  %ty = call i32 @kernix.thread_idx.y()
  %j = add nsw i32 %my, %ty
  %w = load i32, ptr %width
  %c = icmp slt i32 %i, %w
  br i1 %c, label %in, label %out
in:
  %r = mul nsw i32 %j, %w
  %e = add nsw i32 %r, %i
  %wide = sext i32 %e to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  br label %out
out:
  ret void
}
define void @unguarded(ptr noalias %x, ptr noalias %width) {
  %bx = call i32 @kernix.block_idx.x()
  %dx = call i32 @kernix.block_dim.x()
  %mx = mul nsw i32 %bx, %dx
  %tx = call i32 @kernix.thread_idx.x()
  %i = add nsw i32 %mx, %tx
  %by = call i32 @kernix.block_idx.y()
  %dy = call i32 @kernix.block_dim.y()
  %my = mul nsw i32 %by, %dy
  %ty = call i32 @kernix.thread_idx.y()
  %j = add nsw i32 %my, %ty
  %w = load i32, ptr %width
  %r = mul nsw i32 %j, %w
  %e = add nsw i32 %r, %i
  %wide = sext i32 %e to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  ret void
}

; The other way round the guard says nothing: i < width does not keep x[i * width + j] apart.
; CHECK-NEXT: wrong_guard x: threadIdx.x threadIdx.y blockIdx.x blockIdx.y
; CHECK-NEXT: if 0 <= width - blockDim.y * gridDim.y{{$}}
define void @wrong_guard(ptr noalias %x, ptr noalias %width) {
  %bx = call i32 @kernix.block_idx.x()
  %dx = call i32 @kernix.block_dim.x()
  %mx = mul nsw i32 %bx, %dx
  %tx = call i32 @kernix.thread_idx.x()
  %i = add nsw i32 %mx, %tx
  %by = call i32 @kernix.block_idx.y()
  %dy = call i32 @kernix.block_dim.y()
  %my = mul nsw i32 %by, %dy
  %ty = call i32 @kernix.thread_idx.y()
  %j = add nsw i32 %my, %ty
  %w = load i32, ptr %width
  %c = icmp slt i32 %i, %w
  br i1 %c, label %in, label %out
in:
  %r = mul nsw i32 %i, %w
  %e = add nsw i32 %r, %j
  %wide = sext i32 %e to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  br label %out
out:
  ret void
}

; A grid-stride loop: each thread has a residue of its own.
; CHECK-LABEL: grid_stride x: threadIdx.x blockIdx.x
define void @grid_stride(ptr noalias %x, ptr noalias %n) {
entry:
  %bx = call i32 @kernix.block_idx.x()
  %dx = call i32 @kernix.block_dim.x()
  %mx = mul i32 %bx, %dx
  %tx = call i32 @kernix.thread_idx.x()
  %first = add i32 %mx, %tx
  %end = load i32, ptr %n
  %c = icmp slt i32 %first, %end
  br i1 %c, label %before, label %out
before:
  %g = call i32 @kernix.grid_dim.x()
  %step = mul i32 %g, %dx
  br label %loop
loop:
  %i = phi i32 [ %first, %before ], [ %next, %loop ]
  %w = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load float, ptr %p
  %next = add i32 %i, %step
  %again = icmp slt i32 %next, %end
  br i1 %again, label %loop, label %exit
exit:
  br label %out
out:
  ret void
}

; The same with another step: two threads meet.
; CHECK-LABEL: other_stride x:
; CHECK-NOT: threadIdx.x
define void @other_stride(ptr noalias %x, ptr noalias %n) {
entry:
  %bx = call i32 @kernix.block_idx.x()
  %dx = call i32 @kernix.block_dim.x()
  %mx = mul i32 %bx, %dx
  %tx = call i32 @kernix.thread_idx.x()
  %first = add i32 %mx, %tx
  %end = load i32, ptr %n
  %c = icmp slt i32 %first, %end
  br i1 %c, label %before, label %out
before:
  br label %loop
loop:
  %i = phi i32 [ %first, %before ], [ %next, %loop ]
  %w = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load float, ptr %p
  %next = add nsw i32 %i, 1
  %again = icmp slt i32 %next, %end
  br i1 %again, label %loop, label %exit
exit:
  br label %out
out:
  ret void
}

; A row per thread: x[i * m + k], k < m.
; CHECK-LABEL: row_per_thread x: threadIdx.x
define void @row_per_thread(ptr noalias %x, ptr noalias %m) {
entry:
  %i = call i32 @kernix.thread_idx.x()
  %cols = load i32, ptr %m
  %some = icmp sgt i32 %cols, 0
  br i1 %some, label %before, label %out
before:
  %start = mul nsw i32 %i, %cols
  %start64 = sext i32 %start to i64
  %count = zext nneg i32 %cols to i64
  br label %loop
loop:
  %k = phi i64 [ 0, %before ], [ %next, %loop ]
  %e = add i64 %start64, %k
  %p = getelementptr float, ptr %x, i64 %e
  %v = load float, ptr %p
  %next = add nuw nsw i64 %k, 1
  %done = icmp eq i64 %next, %count
  br i1 %done, label %exit, label %loop
exit:
  br label %out
out:
  ret void
}

; One more element than a row has: the last of one thread is the first of the next.
; CHECK-LABEL: row_and_one x:
; CHECK-NOT: threadIdx.x
define void @row_and_one(ptr noalias %x, ptr noalias %m) {
entry:
  %i = call i32 @kernix.thread_idx.x()
  %cols = load i32, ptr %m
  %some = icmp sgt i32 %cols, 0
  br i1 %some, label %before, label %out
before:
  %start = mul nsw i32 %i, %cols
  %start64 = sext i32 %start to i64
  %count = zext nneg i32 %cols to i64
  br label %loop
loop:
  %k = phi i64 [ 0, %before ], [ %next, %loop ]
  %e = add i64 %start64, %k
  %p = getelementptr float, ptr %x, i64 %e
  %v = load float, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  %u = load float, ptr %q
  %next = add nuw nsw i64 %k, 1
  %done = icmp eq i64 %next, %count
  br i1 %done, label %exit, label %loop
exit:
  br label %out
out:
  ret void
}

; Threads of a block share a row: x[row * m + k], k = threadIdx.x, threadIdx.x + blockDim.x, ... < m.
; CHECK-LABEL: row_per_block x: threadIdx.x blockIdx.x
define void @row_per_block(ptr noalias %x, ptr noalias %m) {
entry:
  %row = call i32 @kernix.block_idx.x()
  %t = call i32 @kernix.thread_idx.x()
  %step = call i32 @kernix.block_dim.x()
  %cols = load i32, ptr %m
  %some = icmp slt i32 %t, %cols
  br i1 %some, label %before, label %out
before:
  %start = mul nsw i32 %row, %cols
  br label %loop
loop:
  %k = phi i32 [ %t, %before ], [ %next, %loop ]
  %e = add nsw i32 %start, %k
  %w = sext i32 %e to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load float, ptr %p
  %next = add nsw i32 %k, %step
  %again = icmp slt i32 %next, %cols
  br i1 %again, label %loop, label %exit
exit:
  br label %out
out:
  ret void
}

; An index of one thread of the block.
; CHECK-LABEL: one_of_block x: threadIdx.x blockIdx.x
; CHECK-LABEL: two_of_block x: blockIdx.x{{$}}
define void @one_of_block(ptr noalias %x) {
  %t = call i32 @kernix.thread_idx.x()
  %c = icmp eq i32 %t, 0
  br i1 %c, label %in, label %out
in:
  %b = call i32 @kernix.block_idx.x()
  %w = sext i32 %b to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load float, ptr %p
  br label %out
out:
  ret void
}
define void @two_of_block(ptr noalias %x) {
  %t = call i32 @kernix.thread_idx.x()
  %b = call i32 @kernix.block_idx.x()
  %w = sext i32 %b to i64
  %p = getelementptr float, ptr %x, i64 %w
  %c = icmp eq i32 %t, 0
  br i1 %c, label %in, label %next
in:
  %v = load float, ptr %p
  br label %next
next:
  %d = icmp eq i32 %t, 1
  br i1 %d, label %again, label %out
again:
  %u = load float, ptr %p
  br label %out
out:
  ret void
}

; A constant number of threads in a block is tested.
; CHECK-LABEL: blocks_of_256 x: threadIdx.x blockIdx.x
; CHECK-NEXT: if 0 <= -blockDim.x + 256
define void @blocks_of_256(ptr noalias %x) {
  %b = call i32 @kernix.block_idx.x()
  %m = shl nsw i32 %b, 8
  %t = call i32 @kernix.thread_idx.x()
  %i = add nsw i32 %m, %t
  %w = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load float, ptr %p
  ret void
}

; Elements of a view with different indices are different elements, whatever the strides are.
; CHECK-LABEL: strides x: threadIdx.x blockIdx.x{{$}}
; CHECK-LABEL: strides_of_one_index x: threadIdx.x{{$}}
define void @strides(ptr noalias %x, ptr noalias %view) {
  %s0p = getelementptr i8, ptr %view, i64 72
  %s0 = load i64, ptr %s0p
  %s1p = getelementptr i8, ptr %view, i64 80
  %s1 = load i64, ptr %s1p
  %t = call i32 @kernix.thread_idx.x()
  %b = call i32 @kernix.block_idx.x()
  %i = zext nneg i32 %b to i64
  %j = zext nneg i32 %t to i64
  %r = mul nsw i64 %s0, %i
  %c = mul nsw i64 %s1, %j
  %q = getelementptr float, ptr %x, i64 %r
  %p = getelementptr float, ptr %q, i64 %c
  %v = load float, ptr %p
  ret void
}
define void @strides_of_one_index(ptr noalias %x, ptr noalias %view) {
  %s0p = getelementptr i8, ptr %view, i64 72
  %s0 = load i64, ptr %s0p
  %t = call i32 @kernix.thread_idx.x()
  %b = call i32 @kernix.block_idx.x()
  %j = zext nneg i32 %t to i64
  %c = mul nsw i64 %s0, %j
  %p = getelementptr float, ptr %x, i64 %c
  %v = load float, ptr %p
  ret void
}

; A product of unsigned numbers that may wrap around is bounded by what the launch can make of it.
; CHECK-LABEL: wrapping x: threadIdx.x blockIdx.x
; CHECK-NEXT: if 0 <= -blockDim.x * gridDim.x + 715827883
; A gather is not known at all.
; CHECK-LABEL: gather x: unknown
define void @wrapping(ptr noalias %x) {
  %b = call i32 @kernix.block_idx.x()
  %d = call i32 @kernix.block_dim.x()
  %m = mul i32 %b, %d
  %t = call i32 @kernix.thread_idx.x()
  %i = add i32 %m, %t
  %three = mul i32 %i, 3
  %w = zext i32 %three to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load float, ptr %p
  ret void
}
define void @gather(ptr noalias %x, ptr noalias %indices) {
  %list = load ptr, ptr %indices
  %t = call i32 @kernix.thread_idx.x()
  %w = zext nneg i32 %t to i64
  %q = getelementptr i32, ptr %list, i64 %w
  %i = load i32, ptr %q
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %p
  ret void
}

; To other memory than the view's elements, its stride is a number that may be zero.
; CHECK-LABEL: strides_of_another xother: threadIdx.x{{$}}
; CHECK-NEXT: if 0 <= %s0 - 1{{$}}
define void @strides_of_another(ptr noalias %x, ptr noalias %view, ptr noalias %xother) {
  %s0p = getelementptr i8, ptr %view, i64 72
  %s0 = load i64, ptr %s0p
  %t = call i32 @kernix.thread_idx.x()
  %j = zext nneg i32 %t to i64
  %c = mul nsw i64 %s0, %j
  %p = getelementptr float, ptr %xother, i64 %c
  %v = load float, ptr %p
  ret void
}

; x[int(3 * i + 16)] as LLVM writes it where the sum is extended anyway: the low half, with its sign, times four. It has
; to be in the range of an int.
; CHECK-LABEL: low_half x: threadIdx.x blockIdx.x
; CHECK-NEXT: if 0 <= -blockDim.x * gridDim.x + 715827878
; CHECK-NEXT: if 0 <= -blockDim.x * gridDim.x + 715827883
; CHECK-NOT: if
define void @low_half(ptr noalias %x) {
  %b = call i32 @kernix.block_idx.x()
  %d = call i32 @kernix.block_dim.x()
  %m = mul i32 %b, %d
  %t = call i32 @kernix.thread_idx.x()
  %i = add i32 %m, %t
  %three = mul i32 %i, 3
  %w = sext i32 %three to i64
  %high = shl i64 %w, 32
  %sum = add i64 %high, 68719476736
  %bytes = ashr exact i64 %sum, 30
  %p = getelementptr i8, ptr %x, i64 %bytes
  %v = load float, ptr %p
  ret void
}

; A quotient that has a remainder is none: two threads have the same.
; CHECK-LABEL: quotient x: {{unknown|$}}
define void @quotient(ptr noalias %x) {
  %t = call i32 @kernix.thread_idx.x()
  %w = zext nneg i32 %t to i64
  %high = shl i64 %w, 32
  %half = ashr i64 %high, 33
  %p = getelementptr float, ptr %x, i64 %half
  %v = load float, ptr %p
  ret void
}

; `bool inside = r < 8 && c < n; if (inside) x[r * n + c]`: it is true along one edge only, where both hold.
; CHECK-LABEL: behind_a_bool x: threadIdx.x threadIdx.y
; CHECK-NOT: blockDim.x
define void @behind_a_bool(ptr noalias %x, ptr noalias %n) {
entry:
  %c = call i32 @kernix.thread_idx.x()
  %r = call i32 @kernix.thread_idx.y()
  %width = load i32, ptr %n
  %low = icmp slt i32 %r, 8
  br i1 %low, label %also, label %decided

also:
  %narrow = icmp slt i32 %c, %width
  br label %decided

decided:
  %inside = phi i1 [ false, %entry ], [ %narrow, %also ]
  br i1 %inside, label %access, label %end

access:
  %row = mul nsw i32 %r, %width
  %i = add nsw i32 %row, %c
  %w = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load float, ptr %p
  br label %end

end:
  ret void
}

; If either is enough, none of them is known to hold.
; CHECK-LABEL: behind_either x:
; CHECK: blockDim.x
define void @behind_either(ptr noalias %x, ptr noalias %n) {
entry:
  %c = call i32 @kernix.thread_idx.x()
  %r = call i32 @kernix.thread_idx.y()
  %width = load i32, ptr %n
  %low = icmp slt i32 %r, 8
  br i1 %low, label %decided, label %also

also:
  %narrow = icmp slt i32 %c, %width
  br label %decided

decided:
  %inside = phi i1 [ true, %entry ], [ %narrow, %also ]
  br i1 %inside, label %access, label %end

access:
  %row = mul nsw i32 %r, %width
  %i = add nsw i32 %row, %c
  %w = sext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load float, ptr %p
  br label %end

end:
  ret void
}

; Rows of as many elements as a number says that may have wrapped around: that the number is positive says nothing of
; a * b - c * d. Of n it does.
; CHECK-LABEL: wrapped_count x: threadIdx.x{{$}}
; CHECK: if 0 <= -pc * pd + pa * pb + 2147483648
; CHECK: if 0 <= pc * pd - pa * pb + pw
; CHECK-LABEL: plain_count x: threadIdx.x{{$}}
; CHECK-NEXT: if 0 <= pw{{$}}
; CHECK-NEXT: if 0 <= -pn + pw{{$}}
; CHECK-NEXT: if 0 <= pn{{$}}
; CHECK-NEXT: first_sum x: threadIdx.x{{$}}
; CHECK: if 0 <= -pf - blockDim.x + 2147482624
; CHECK-LABEL: bytes x: threadIdx.x{{$}}
; CHECK-NEXT: if 0 <= pw{{$}}
; CHECK-NOT: if
; CHECK-LABEL: guarded_byte x: threadIdx.x{{$}}
; CHECK-NEXT: if 0 <= -pw + 100
; CHECK-NEXT: if 0 <= pw
; CHECK-NOT: if
define void @wrapped_count(ptr noalias %x, ptr noalias %pa, ptr noalias %pb, ptr noalias %pc, ptr noalias %pd, ptr noalias %pw) {
entry:
  %a = load i32, ptr %pa
  %b = load i32, ptr %pb
  %c = load i32, ptr %pc
  %d = load i32, ptr %pd
  %w = load i32, ptr %pw
  %ab = mul i32 %a, %b
  %cd = mul i32 %c, %d
  %m = sub i32 %ab, %cd
  %t = call i32 @kernix.thread_idx.x()
  %r = mul nsw i32 %t, %w
  %some = icmp sgt i32 %m, 0
  br i1 %some, label %before, label %out
before:
  %first = sext i32 %r to i64
  %p = getelementptr float, ptr %x, i64 %first
  br label %loop
loop:
  %k = phi i32 [ 0, %before ], [ %next, %loop ]
  %wide = sext i32 %k to i64
  %q = getelementptr float, ptr %p, i64 %wide
  %v = load float, ptr %q
  %next = add nuw nsw i32 %k, 1
  %done = icmp eq i32 %next, %m
  br i1 %done, label %out, label %loop
out:
  ret void
}
define void @plain_count(ptr noalias %x, ptr noalias %pn, ptr noalias %pw) {
entry:
  %n = load i32, ptr %pn
  %w = load i32, ptr %pw
  %t = call i32 @kernix.thread_idx.x()
  %r = mul nsw i32 %t, %w
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %before, label %out
before:
  %first = sext i32 %r to i64
  %p = getelementptr float, ptr %x, i64 %first
  br label %loop
loop:
  %k = phi i32 [ 0, %before ], [ %next, %loop ]
  %wide = sext i32 %k to i64
  %q = getelementptr float, ptr %p, i64 %wide
  %v = load float, ptr %q
  %next = add nuw nsw i32 %k, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret void
}

; What is below its bound only from the second iteration on: the first sum is asked for.
define void @first_sum(ptr noalias %x, ptr noalias %pn, ptr noalias %pf) {
entry:
  %n = load i32, ptr %pn
  %f = load i32, ptr %pf
  %t = call i32 @kernix.thread_idx.x()
  %from = add nsw i32 %f, %t
  br label %loop
loop:
  %k = phi i32 [ %from, %entry ], [ %next, %loop ]
  %wide = sext i32 %k to i64
  %q = getelementptr float, ptr %x, i64 %wide
  %v = load float, ptr %q
  %next = add i32 %k, 1024
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %out
out:
  ret void
}

; A byte as it is, in whatever width.
define void @bytes(ptr noalias %x, ptr noalias %pw) {
entry:
  %w = load i8, ptr %pw
  %narrow = zext i8 %w to i32
  %t = call i32 @kernix.thread_idx.x()
  %r = mul nsw i32 %t, %narrow
  %some = icmp ne i8 %w, 0
  br i1 %some, label %before, label %out
before:
  %first = sext i32 %r to i64
  %p = getelementptr float, ptr %x, i64 %first
  %end = zext i8 %w to i64
  br label %loop
loop:
  %k = phi i64 [ 0, %before ], [ %next, %loop ]
  %q = getelementptr float, ptr %p, i64 %k
  %v = load float, ptr %q
  %next = add nuw nsw i64 %k, 1
  %done = icmp eq i64 %next, %end
  br i1 %done, label %out, label %loop
out:
  ret void
}

; What is known of it behind a guard is not known of the bound of the loop.
define void @guarded_byte(ptr noalias %x, ptr noalias %pw) {
entry:
  %w = load i8, ptr %pw
  %t = call i32 @kernix.thread_idx.x()
  %r = mul nsw i32 %t, 100
  %first = sext i32 %r to i64
  %p = getelementptr float, ptr %x, i64 %first
  %end = zext i8 %w to i64
  %positive = icmp sgt i8 %w, 0
  br i1 %positive, label %guarded, label %before
before:
  %some = icmp ne i8 %w, 0
  br i1 %some, label %head, label %out
head:
  br label %loop
loop:
  %k = phi i64 [ 0, %head ], [ %next, %loop ]
  %q = getelementptr float, ptr %p, i64 %k
  %v = load float, ptr %q
  %next = add nuw nsw i64 %k, 1
  %done = icmp eq i64 %next, %end
  br i1 %done, label %out, label %loop
out:
  ret void
guarded:
  %known = zext nneg i8 %w to i64
  %behind = getelementptr float, ptr %p, i64 %known
  br label %before
}
