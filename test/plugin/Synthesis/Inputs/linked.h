// Bound functions of a project's header, some of which one file defines.
template <class T> [[kernix::bind]] __global__ void kernel(T *y) { *y = 1; }
template __global__ void kernel(float *);
[[kernix::bind]] inline float inlineFunction(float x) { return x; }
[[kernix::bind]] inline __device__ float inlineDevice(float x) { return x; }
[[kernix::bind]] static float internal(float x) { return x; }
[[kernix::bind]] __global__ void definedInFirst(float *y);
[[kernix::bind]] int hostDefinedInFirst(int x);
