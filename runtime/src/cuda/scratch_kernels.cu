// runtime/src/cuda/scratch_kernels.cu - adds to gradients what backward kernels have kept in scratch memory.
//
// Compiled to PTX when the runtime is built, as C++ for that target, without a CUDA toolkit; part of the runtime as
// text. Blocks are whole warps.

#define KERNEL extern "C" __attribute__((nvptx_kernel))

using Size = unsigned long long;
constexpr unsigned all_lanes = 0xffffffff;

static inline unsigned lane() { return __nvvm_read_ptx_sreg_tid_x() % 32; }

static inline Size first_of_warp() {
  return static_cast<Size>(__nvvm_read_ptx_sreg_ctaid_x()) * __nvvm_read_ptx_sreg_ntid_x() +
         __nvvm_read_ptx_sreg_tid_x() / 32 * 32;
}

static inline unsigned threads() { return __nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x(); }

static inline float from_other(float value, int step) { return __nvvm_shfl_sync_bfly_f32(all_lanes, value, step, 31); }

static inline double from_other(double value, int step) {
  const Size bits = __builtin_bit_cast(Size, value);
  const auto low = static_cast<unsigned>(__nvvm_shfl_sync_bfly_i32(all_lanes, static_cast<int>(bits), step, 31));
  const auto high = static_cast<unsigned>(__nvvm_shfl_sync_bfly_i32(all_lanes, static_cast<int>(bits >> 32), step, 31));
  return __builtin_bit_cast(double, static_cast<Size>(high) << 32 | low);
}

static inline void add(_Float16 &element, float sum) {
  element = static_cast<_Float16>(static_cast<float>(element) + sum);
}

struct BFloat16 {
  unsigned short bits;
};

/// A bfloat16 is the upper half of a float; rounded to nearest even.
static inline void add(BFloat16 &element, float added) {
  const float sum = __builtin_bit_cast(float, static_cast<unsigned>(element.bits) << 16) + added;
  const unsigned bits = __builtin_bit_cast(unsigned, sum);
  const unsigned rounded = bits + 0x7fff + (bits >> 16 & 1);
  element.bits = static_cast<unsigned short>(sum == sum ? rounded >> 16 : bits >> 16 | 0x40);
}

static inline void add(float &element, float sum) { element += sum; }
static inline void add(double &element, double sum) { element += sum; }

/// kernix::core::Copies. A sector has `lanes` lanes, which are a power of two: as many as it has numbers, for each of
/// the copies that are read side by side. Elements to which nothing has been added are left alone: they may be none of
/// the gradient's.
template <class Element, class Sum>
static inline void add_copies(Element *first, const Sum *sums, Size count, Size skipped, Size of_each, unsigned lanes) {
  constexpr unsigned of_sector = 32 / sizeof(Sum);
  const unsigned own = lane() % lanes, number = own % of_sector;
  const Size sectors = (skipped + count + of_sector - 1) / of_sector;
  for (Size begin = first_of_warp() / lanes; begin < sectors; begin += threads() / lanes) {
    const Size sector = begin + lane() / lanes;
    Sum sum = 0;
    if (sector < sectors)
#pragma unroll 4
      for (Size copy = own / of_sector; copy < of_each; copy += lanes / of_sector)
        sum += sums[(sector * of_each + copy) * of_sector + number];
    for (unsigned step = lanes / 2; step >= of_sector; step /= 2)
      sum += from_other(sum, static_cast<int>(step));
    const Size k = sector * of_sector + number - skipped; // large before the first
    if (sector < sectors && own < of_sector && k < count && sum != 0)
      add(first[k], sum);
  }
}

#define ADD_COPIES(NAME, ELEMENT, SUM)                                                                                 \
  KERNEL void kernix_add_copies_##NAME(ELEMENT *first, const SUM *sums, Size count, Size skipped, Size of_each,        \
                                       unsigned lanes) {                                                               \
    add_copies(first, sums, count, skipped, of_each, lanes);                                                           \
  }
ADD_COPIES(float16, _Float16, float)
ADD_COPIES(bfloat16, BFloat16, float)
ADD_COPIES(float32, float, float)
ADD_COPIES(float64, double, double)

/// kernix_note
template <class T> struct Note {
  T *element;
  union {
    T added;
    double of_double;
  };
};

static inline void add_atomically(float *element, float sum) { __nvvm_atom_add_gen_f(element, sum); }
static inline void add_atomically(double *element, double sum) { __nvvm_atom_add_gen_d(element, sum); }

/// One addition for those of a warp that have the same element.
template <class T> static inline void add_notes(const Note<T> *notes, Size count) {
  for (Size begin = first_of_warp(); begin < count; begin += threads()) {
    const Size k = begin + lane();
    T *const element = k < count ? notes[k].element : nullptr;
    const T added = element ? notes[k].added : T(0);
    const unsigned same = __nvvm_match_any_sync_i64(all_lanes, reinterpret_cast<Size>(element));
    const bool is_shared = element && same != 1u << lane();
    if (element && !is_shared)
      add_atomically(element, added);
    for (unsigned left = __nvvm_vote_ballot_sync(all_lanes, is_shared); left;) {
      const int first = __builtin_ctz(left);
      const auto theirs = static_cast<unsigned>(__nvvm_shfl_sync_idx_i32(all_lanes, static_cast<int>(same), first, 31));
      T sum = theirs >> lane() & 1 ? added : T(0);
      for (int step = 16; step; step /= 2)
        sum += from_other(sum, step);
      if (static_cast<int>(lane()) == first)
        add_atomically(element, sum);
      left &= ~theirs;
    }
  }
}

KERNEL void kernix_add_notes_float32(const Note<float> *notes, Size count) { add_notes(notes, count); }
KERNEL void kernix_add_notes_float64(const Note<double> *notes, Size count) { add_notes(notes, count); }

KERNEL void kernix_store_pointer(void **place, void *pointer) {
  if (first_of_warp() + lane() == 0)
    *place = pointer;
}
