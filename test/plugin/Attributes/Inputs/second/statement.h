// One of two files of this name: see StatementPlaces.cu.

__device__ float secondOfTwo(float x, float y) {
                      y = opaque(x);
  return x * y;
}
