"""Writes a source as programs do, with attributes of kernix beyond what columns of debug locations can say."""

blank = " " * 70000
print("__device__ float opaque(float);")
print("__device__ float call(float x) { float w = 0;" + blank + "[[kernix::no_diff]] w = opaque(x); return w; }")
print("__device__ float loop(float x) {" + blank + "[[kernix::max_iters(4)]] while (x < 1) x *= 2; return x; }")
print("[[kernix::store]] __device__ float stored(float x) {" + blank + "while (x < 1) x *= 2; return x; }")
