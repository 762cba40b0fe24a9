; Which branches decide whether a block runs: an early return, a loop, a switch with two edges to one block, and a
; function that does not end.
; RUN: %opt -load-pass-plugin=%plugin -passes=kernix-print-control-dependence -disable-output %s | FileCheck %s

; CHECK-LABEL: early:
; CHECK-NEXT: {{^}}  entry:{{$}}
; CHECK-NEXT: {{^}}  body: entry{{$}}
; CHECK-NEXT: {{^}}  then: body{{$}}
; CHECK-NEXT: {{^}}  join: entry{{$}}
; CHECK-NEXT: {{^}}  exit:{{$}}
define void @early(i1 %a, i1 %b) {
entry:
  br i1 %a, label %exit, label %body
body:
  br i1 %b, label %then, label %join
then:
  br label %join
join:
  br label %exit
exit:
  ret void
}

; Another round of the header, and the latch, run where the way out in the middle is not taken.
; CHECK-LABEL: loop:
; CHECK-NEXT: {{^}}  entry:{{$}}
; CHECK-NEXT: {{^}}  header: middle{{$}}
; CHECK-NEXT: {{^}}  middle: header{{$}}
; CHECK-NEXT: {{^}}  latch: middle{{$}}
; CHECK-NEXT: {{^}}  exit:{{$}}
define void @loop(i1 %a, i1 %b) {
entry:
  br label %header
header:
  br i1 %a, label %middle, label %exit
middle:
  br i1 %b, label %latch, label %exit
latch:
  br label %header
exit:
  ret void
}

; CHECK-LABEL: switch:
; CHECK-NEXT: {{^}}  entry:{{$}}
; CHECK-NEXT: {{^}}  one: entry{{$}}
; CHECK-NEXT: {{^}}  two: entry{{$}}
; CHECK-NEXT: {{^}}  exit:{{$}}
define void @switch(i32 %k) {
entry:
  switch i32 %k, label %exit [
    i32 0, label %one
    i32 1, label %one
    i32 2, label %two
  ]
one:
  br label %two
two:
  br label %exit
exit:
  ret void
}

; CHECK-LABEL: two_ends:
; CHECK-NEXT: {{^}}  entry:{{$}}
; CHECK-NEXT: {{^}}  left: entry{{$}}
; CHECK-NEXT: {{^}}  right: entry{{$}}
; CHECK-NEXT: {{^}}  forever: entry{{$}}
define void @two_ends(i1 %a) {
entry:
  br i1 %a, label %left, label %right
left:
  ret void
right:
  br label %forever
forever:
  br label %forever
}
