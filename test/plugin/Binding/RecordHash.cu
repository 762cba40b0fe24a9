// The hash of a record is that of the other pass, and changes with everything that callers see.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | grep record_hash > %t.host
// RUN: %cpu-device -fsyntax-only -fplugin-arg-kernix-dump=json %s | grep record_hash > %t.device
// RUN: count 3 < %t.host
// RUN: diff %t.host %t.device
// RUN: %cpu-host -fsyntax-only -DBODY -fplugin-arg-kernix-dump=json %s | grep record_hash | diff %t.host -
// RUN: not sh -c "%cpu-host -fsyntax-only -DTYPE=double -fplugin-arg-kernix-dump=json %s | grep record_hash | diff %t.host -"
// RUN: not sh -c "%cpu-host -fsyntax-only -DNAME=z -fplugin-arg-kernix-dump=json %s | grep record_hash | diff %t.host -"
// RUN: not sh -c "%cpu-host -fsyntax-only -DSIZE=3 -fplugin-arg-kernix-dump=json %s | grep record_hash | diff %t.host -"
// RUN: not sh -c "%cpu-host -fsyntax-only -DBLOCK=64 -fplugin-arg-kernix-dump=json %s | grep record_hash | diff %t.host -"
// REQUIRES: cpu
#include <kernix/kernix.h>

#ifndef TYPE
#define TYPE float
#endif
#ifndef NAME
#define NAME y
#endif
#ifndef SIZE
#define SIZE 2
#endif
#ifndef BLOCK
#define BLOCK 32
#endif

struct Weights {
  float w[SIZE];
};

/// A comment.
[[kernix::bind, kernix::block(BLOCK)]] __global__ void kernel(const TYPE *x, TYPE *NAME, Weights w) {
#if defined(__CUDA_ARCH__) || defined(BODY)
  NAME[threadIdx.y] += x[0];
#else
  NAME[0] = x[0];
#endif
}
[[kernix::bind]] void host(const kernix::Tensor x, kernix::Tensor y) {
#if !defined(__CUDA_ARCH__)
  y.data_ptr<float>()[0] = 1;
#endif
}
[[kernix::bind]] __device__ float device(float &x) { return x; }
