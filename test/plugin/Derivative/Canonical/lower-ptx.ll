; Everything that rules may call assembles.
; REQUIRES: cuda
; RUN: env KERNIX_TEST_LIBDEVICE=%libdevice %opt -load-pass-plugin=%plugin -passes='kernix-rules,kernix-lower,verify' -S %s -o %t.ll
; RUN: grep -c 'define.*@d_' %t.ll | FileCheck %s --check-prefix=COUNT
; RUN: not grep 'call.*@kernix\.' %t.ll
; RUN: %opt -O2 %t.ll | llc -mcpu=sm_90 -mattr=+ptx80 -o %t.ptx
; RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
; COUNT: {{^[1-9][0-9][0-9]$}}
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
