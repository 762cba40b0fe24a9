// Included twice, with and without a mark: see StatementPlaces.cu.
// A statement at one line and column in two functions.

__device__ float INCLUDED(float x, float y) {
  MARK y = opaque(x);
  return x * y;
}
