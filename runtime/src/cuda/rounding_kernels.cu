// runtime/src/cuda/rounding_kernels.cu - adds sums in float to gradients of 16 bits, each rounded once, to nearest
// even.
//
// Compiled to PTX when the runtime is built, as C++ for that target, without a CUDA toolkit; part of the runtime as
// text.

#define KERNEL extern "C" __attribute__((nvptx_kernel))

static inline unsigned long long first_of_thread() {
  return static_cast<unsigned long long>(__nvvm_read_ptx_sreg_ctaid_x()) * __nvvm_read_ptx_sreg_ntid_x() +
         __nvvm_read_ptx_sreg_tid_x();
}

static inline unsigned threads() { return __nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x(); }

/// Elements to which nothing has been added are left alone: they may be none of the gradient's.
KERNEL void kernix_round_float16(_Float16 *elements, const float *sums, unsigned long long count) {
  for (unsigned long long k = first_of_thread(); k < count; k += threads())
    if (sums[k] != 0)
      elements[k] = static_cast<_Float16>(static_cast<float>(elements[k]) + sums[k]);
}

KERNEL void kernix_round_bfloat16(unsigned short *elements, const float *sums, unsigned long long count) {
  for (unsigned long long k = first_of_thread(); k < count; k += threads()) {
    if (sums[k] == 0)
      continue;
    // A bfloat16 is the upper half of a float.
    const float sum = __builtin_bit_cast(float, static_cast<unsigned>(elements[k]) << 16) + sums[k];
    const unsigned bits = __builtin_bit_cast(unsigned, sum);
    const unsigned rounded = bits + 0x7fff + (bits >> 16 & 1);
    elements[k] = static_cast<unsigned short>(sum == sum ? rounded >> 16 : bits >> 16 | 0x40);
  }
}
