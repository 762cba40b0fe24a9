// kernix/diff_tensor_view_scratch.h - views whose gradients are brought together when a backward kernel is done.
//
// kernix::DiffTensorViewR<T, N> and kernix::DiffTensorViewASR<T, N>. What their loads add goes to scratch memory. A
// call of f_bwd provides it before the launch, and calls after() behind it, on the same stream; so it does for views of
// users. Without scratch memory, where f_bwd is launched by hand, the gradient is added to by atomic operations.
// Included by diff_tensor_view.h.

#ifndef KERNIX_DIFF_TENSOR_VIEW_SCRATCH_H
#define KERNIX_DIFF_TENSOR_VIEW_SCRATCH_H

namespace kernix {

/// Bytes, the first `zeroed` of which have to be zero.
struct ScratchSize {
  size_t bytes = 0;
  size_t zeroed = 0;
};

/// A view with scratch memory. A class derived from it has `ScratchSize scratch_size(int64_t threads) const`, asked for
/// a launch of so many threads, and `void after(cudaStream_t stream) const`.
template <class T> struct ScratchDiffTensorView : DiffTensorView<T> {
  kernix_view_scratch scratch = {};
};

namespace detail {

constexpr unsigned after_block = 256;

inline unsigned after_grid(int64_t threads) {
  const int64_t blocks = (threads + after_block - 1) / after_block;
  return static_cast<unsigned>(blocks < 0x7fffffff ? blocks : 0x7fffffff);
}

__device__ inline int64_t thread_number() {
  const int64_t block = blockIdx.x + gridDim.x * (blockIdx.y + static_cast<int64_t>(gridDim.y) * blockIdx.z);
  return block * (blockDim.x * blockDim.y * blockDim.z) + threadIdx.x +
         blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/// The place of an element in row-major order, for an index with fewer axes than the view: that of the first one.
template <class T>
__device__ inline int64_t place_of(const TensorView<T> &view, int64_t i, int64_t j, int64_t k, int64_t l, int axes) {
  int64_t place = i;
  if (axes > 1)
    place = place * view.shape[1] + j;
  if (axes > 2)
    place = place * view.shape[2] + k;
  if (axes > 3)
    place = place * view.shape[3] + l;
  for (int d = axes; d < view.rank_; ++d)
    place *= view.shape[d];
  return place;
}

template <class T> __device__ inline T &element_at(const TensorView<T> &view, int64_t place) {
  int64_t offset = 0;
  for (int d = view.rank_ - 1; d >= 0; --d) {
    offset += place % view.shape[d] * view.strides[d];
    place /= view.shape[d];
  }
  return view.data_[offset];
}

/// Sums that fit into a sector, a power of two or one: those of float3 do not share it evenly.
template <class T>
constexpr int64_t sums_of_sector = KERNIX_SECTOR_BYTES % sizeof(Sum<T>) ? 1 : KERNIX_SECTOR_BYTES / sizeof(Sum<T>);

/// The place of an element's replica k, of N. The replicas of a sector lie side by side, so that those of an element
/// lie in different ones.
template <class T, int N> __device__ inline int64_t place_of_sum(int64_t place, int64_t k) {
  constexpr int64_t of_sector = sums_of_sector<T>;
  return (place / of_sector * N + k) * of_sector + place % of_sector;
}

template <class T, int N> struct ReplicatedView : ViewStores<ScratchDiffTensorView<T>> {
  using ScratchDiffTensorView<T>::primal;
  using ScratchDiffTensorView<T>::differential;
  using ScratchDiffTensorView<T>::scratch;

  __device__ void load_bwd(int64_t i, int64_t j, int64_t k, int64_t l, int axes, T g) const {
    if (!differential.data_)
      return;
    T &gradient = element(differential, i, j, k, l, axes); // which checks the index
    if (!scratch.data)
      return atomic_add(&gradient, g);
    const int64_t place = place_of_sum<T, N>(place_of(primal, i, j, k, l, axes), thread_number() % N);
    atomic_add(static_cast<Sum<T> *>(scratch.data) + place, static_cast<Sum<T>>(g));
  }
  __device__ Dual<T> load_fwd(int64_t i, int64_t j, int64_t k, int64_t l, int axes) const {
    return this->dual_at(i, j, k, l, axes);
  }
  KERNIX_DERIVATIVES(&ReplicatedView::load_bwd, &ReplicatedView::load_fwd)
  __device__ T load_at(int64_t i, int64_t j, int64_t k, int64_t l, int axes) const {
    return element(primal, i, j, k, l, axes);
  }
};

template <class T, int N> __global__ void reduce_replicas(TensorView<T> gradient, const Sum<T> *sums, int64_t count) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t place = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; place < count; place += step) {
    T &to = element_at(gradient, place);
    Sum<T> sum = sums[place_of_sum<T, N>(place, 0)];
    for (int k = 1; k < N; ++k)
      sum = add(sum, sums[place_of_sum<T, N>(place, k)]);
    to = static_cast<T>(add(static_cast<Sum<T>>(to), sum));
  }
}

/// What the threads of a launch have read, N notes for each: how many there are, then their places, then their values.
template <class T, int N> struct Notes {
  static constexpr size_t bytes_each = sizeof(T *) + sizeof(T);
  unsigned *counts;
  T **places;
  T *values;
  int64_t threads;

  KERNIX_HD static size_t bytes_of_counts(int64_t threads) {
    return (static_cast<size_t>(threads) * sizeof(unsigned) + 15) / 16 * 16;
  }
  /// Values first: float4 has the largest alignment.
  KERNIX_HD explicit Notes(const kernix_view_scratch &scratch) : threads(scratch.threads) {
    char *const start = static_cast<char *>(scratch.data);
    const size_t count = static_cast<size_t>(threads) * N;
    const size_t begin = bytes_of_counts(threads), bytes = (count * sizeof(T) + 15) / 16 * 16;
    counts = static_cast<unsigned *>(scratch.data);
    values = reinterpret_cast<T *>(start + begin);
    places = reinterpret_cast<T **>(start + begin + bytes);
  }
};

template <class T, int N> struct NotingView : ViewStores<ScratchDiffTensorView<T>> {
  using ScratchDiffTensorView<T>::primal;
  using ScratchDiffTensorView<T>::differential;
  using ScratchDiffTensorView<T>::scratch;

  __device__ void load_bwd(int64_t i, int64_t j, int64_t k, int64_t l, int axes, T g) const {
    if (!differential.data_)
      return;
    T *const gradient = &element(differential, i, j, k, l, axes);
    if (!scratch.data)
      return atomic_add(gradient, g);
    const Notes<T, N> notes(scratch);
    const int64_t thread = thread_number();
    const unsigned used = notes.counts[thread];
    if (used == N)
      return atomic_add(gradient, g);
    notes.places[used * notes.threads + thread] = gradient;
    notes.values[used * notes.threads + thread] = g;
    notes.counts[thread] = used + 1;
  }
  __device__ Dual<T> load_fwd(int64_t i, int64_t j, int64_t k, int64_t l, int axes) const {
    return this->dual_at(i, j, k, l, axes);
  }
  KERNIX_DERIVATIVES(&NotingView::load_bwd, &NotingView::load_fwd)
  __device__ T load_at(int64_t i, int64_t j, int64_t k, int64_t l, int axes) const {
    return element(primal, i, j, k, l, axes);
  }
};

template <class T, int N> __global__ void scatter_notes(kernix_view_scratch scratch) {
  const Notes<T, N> notes(scratch);
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t thread = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; thread < notes.threads;
       thread += step)
    for (unsigned k = 0; k < notes.counts[thread]; ++k)
      add_with_warp(notes.places[k * notes.threads + thread], notes.values[k * notes.threads + thread]);
}

} // namespace detail

/// load adds to one of N replicas of the gradient by atomic additions; after() adds them up. For elements that many
/// threads read. The replicas of 16-bit numbers are float.
template <class T, int N>
struct DiffTensorViewR : DiffTensorViewMembers<DiffTensorViewR<T, N>, detail::ReplicatedView<T, N>> {
  static_assert(detail::has_gradient<T>, "kernix: integers have no gradient; use DiffTensorViewAA");
  static_assert(N >= 1, "kernix: a gradient has at least one replica");
  using Members = DiffTensorViewMembers<DiffTensorViewR<T, N>, detail::ReplicatedView<T, N>>;
  using Members::differential;
  using Members::scratch;

  ScratchSize scratch_size(int64_t) const {
    constexpr int64_t of_sector = detail::sums_of_sector<T>;
    const int64_t sums = (this->numel() + of_sector - 1) / of_sector * of_sector * N;
    const size_t bytes = static_cast<size_t>(sums) * sizeof(detail::Sum<T>);
    return differential.data_ ? ScratchSize{bytes, bytes} : ScratchSize{};
  }
  void after(cudaStream_t stream) const {
    const int64_t count = this->numel();
    if (differential.data_ && scratch.data && count)
      detail::reduce_replicas<T, N><<<detail::after_grid(count), detail::after_block, 0, stream>>>(
          differential, static_cast<const detail::Sum<T> *>(scratch.data), count);
  }
};

/// load makes a note of element and gradient, N for each thread; after() adds them to the gradient by atomic additions,
/// one for those of a warp that have the same element. What a thread reads beyond N is added at once.
template <class T, int N>
struct DiffTensorViewASR : DiffTensorViewMembers<DiffTensorViewASR<T, N>, detail::NotingView<T, N>> {
  static_assert(detail::has_gradient<T>, "kernix: integers have no gradient; use DiffTensorViewAA");
  static_assert(N >= 1, "kernix: a thread has at least one note");
  using Members = DiffTensorViewMembers<DiffTensorViewASR<T, N>, detail::NotingView<T, N>>;
  using Members::differential;
  using Members::scratch;

  ScratchSize scratch_size(int64_t threads) const {
    if (!differential.data_)
      return {};
    const size_t counts = detail::Notes<T, N>::bytes_of_counts(threads), notes = static_cast<size_t>(threads) * N;
    return {counts + (notes * sizeof(T) + 15) / 16 * 16 + notes * sizeof(T *), counts};
  }
  void after(cudaStream_t stream) const {
    if (differential.data_ && scratch.data && scratch.threads)
      detail::scatter_notes<T, N><<<detail::after_grid(scratch.threads), detail::after_block, 0, stream>>>(scratch);
  }
};

namespace detail {

template <class View, class = void> struct AfterOf {
  static constexpr void (*function)(const void *, void *) = nullptr;
};
template <class View>
struct AfterOf<View, decltype(static_cast<const View *>(nullptr)->after(static_cast<cudaStream_t>(nullptr)))> {
  static void call(const void *view, void *stream) {
    static_cast<const View *>(view)->after(static_cast<cudaStream_t>(stream));
  }
  static constexpr void (*function)(const void *, void *) = &call;
};

template <class View, class = void> struct ScratchOf {
  static constexpr size_t (*function)(const void *, int64_t, size_t *) = nullptr;
};
template <class View> struct ScratchOf<View, decltype(void(static_cast<const View *>(nullptr)->scratch_size(0)))> {
  static size_t call(const void *view, int64_t threads, size_t *zeroed) {
    const ScratchSize size = static_cast<const View *>(view)->scratch_size(threads);
    *zeroed = size.zeroed;
    return size.bytes;
  }
  static constexpr size_t (*function)(const void *, int64_t, size_t *) = &call;
};

/// What descriptors of f_bwd refer to.
template <class View> struct ViewHooks {
  static constexpr kernix_view_hooks value = {ScratchOf<View>::function, AfterOf<View>::function};
};

} // namespace detail
} // namespace kernix

#endif // KERNIX_DIFF_TENSOR_VIEW_SCRATCH_H
