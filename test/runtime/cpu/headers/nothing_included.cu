// RUN: %cpu-cc %t -O1 %s && %t
//
// What a source finds that includes nothing.
__global__ void device(int *x) {
  assert(*x == 3);
  *x = min(abs(-4), 5);
}

int main() {
  int x = 3;
  device<<<1, 1>>>(&x);
  assert(cudaDeviceSynchronize() == cudaSuccess);
  printf("%d\n", x);
  return x == 4 ? 0 : 1;
}
