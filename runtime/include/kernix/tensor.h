// kernix/tensor.h - kernix::Tensor: a tensor whose dtype and rank are known at run time. A view: it owns nothing.

#ifndef KERNIX_TENSOR_H
#define KERNIX_TENSOR_H

#include "kernix/abi.h"
#include "kernix/dtype.h"
#include "kernix/raise.h"

namespace kernix {

class Tensor {
public:
  Tensor() = default;
  KERNIX_HD explicit Tensor(const kernix_tensor &raw) : raw_(raw) {}
  /// Row-major view of `data` on the CPU; for other devices set raw().device_type and device_id.
  Tensor(void *data, DType dtype, const int64_t *shape, int ndim) {
    if (ndim < 0 || ndim > KERNIX_MAX_RANK)
      kernix_raise(KERNIX_ERROR_VALUE, "Tensor: expected a rank from 0 to %d, got %d", KERNIX_MAX_RANK, ndim);
    raw_.data = data;
    raw_.ndim = ndim;
    raw_.dtype = from_dtype(dtype);
    raw_.device_type = KERNIX_CPU;
    int64_t stride = 1;
    for (int d = ndim - 1; d >= 0; --d) {
      raw_.shape[d] = shape[d];
      raw_.strides[d] = stride;
      stride *= shape[d];
    }
  }

  /// The same in brainevent's order.
  Tensor(void *data, const int64_t *shape, int ndim, DType dtype) : Tensor(data, dtype, shape, ndim) {}

  KERNIX_HD void *data_ptr() const { return raw_.data; }
  KERNIX_HD void *data() const { return raw_.data; }
  /// Typed, after a check of the dtype. Integers may be had as signed or unsigned, 16-bit floats and bool also as
  /// integers of their size, anything as void.
  template <class T> T *data_ptr() const {
    if constexpr (!__is_void(T))
      check_element<T>();
    return static_cast<T *>(raw_.data);
  }

  KERNIX_HD int ndim() const { return raw_.ndim; }
  /// Size along axis i; negative axes count from the end.
  KERNIX_HD int64_t size(int i) const { return raw_.shape[axis(i)]; }
  KERNIX_HD int64_t shape(int i) const { return raw_.shape[axis(i)]; }
  /// In elements.
  KERNIX_HD int64_t stride(int i) const { return raw_.strides[axis(i)]; }
  KERNIX_HD const int64_t *shape_ptr() const { return raw_.shape; }
  KERNIX_HD const int64_t *strides_ptr() const { return raw_.strides; }

  DType dtype() const { return to_dtype(raw_.dtype); }
  KERNIX_HD size_t element_size() const { return raw_.dtype.bits / 8; }
  KERNIX_HD int64_t numel() const {
    int64_t count = 1;
    for (int d = 0; d < raw_.ndim; ++d)
      count *= raw_.shape[d];
    return count;
  }
  /// For launch sizes that are int.
  int numel_checked_int() const {
    const int64_t count = numel();
    if (count > __INT_MAX__)
      kernix_raise(KERNIX_ERROR_VALUE, "Tensor: %lld elements are more than an int can count",
                   static_cast<long long>(count));
    return static_cast<int>(count);
  }
  KERNIX_HD size_t nbytes() const { return static_cast<size_t>(numel()) * element_size(); }
  KERNIX_HD bool is_contiguous() const {
    int64_t expected = 1;
    for (int d = raw_.ndim - 1; d >= 0; --d) {
      if (raw_.shape[d] != 1 && raw_.strides[d] != expected && numel() != 0)
        return false;
      expected *= raw_.shape[d];
    }
    return true;
  }

  /// kernix_device_type and number of the device that holds the data.
  KERNIX_HD int device_type() const { return raw_.device_type; }
  KERNIX_HD int device_id() const { return raw_.device_id; }
  KERNIX_HD bool is_cuda() const { return raw_.device_type == KERNIX_CUDA || raw_.device_type == KERNIX_CUDA_MANAGED; }
  KERNIX_HD const kernix_tensor &raw() const { return raw_; }
  KERNIX_HD kernix_tensor &raw() { return raw_; }

private:
  KERNIX_HD int axis(int i) const {
    const int counted = i < 0 ? i + raw_.ndim : i;
#if !defined(__CUDA_ARCH__)
    if (counted < 0 || counted >= raw_.ndim)
      kernix_raise(KERNIX_ERROR_VALUE, "Tensor: axis %d of a tensor of rank %d", i, raw_.ndim);
#endif
    return counted;
  }
  template <class T> void check_element() const {
    constexpr kernix_dtype wanted = ElementOf<T>::dtype;
    static_assert(ElementOf<T>::count == 1, "kernix: data_ptr<T> takes the type of one scalar");
    const kernix_dtype &held = raw_.dtype;
    const bool is_raw = (wanted.code == KERNIX_UINT || wanted.code == KERNIX_INT) && wanted.bits == held.bits &&
                        (held.code == KERNIX_UINT || held.code == KERNIX_INT || held.code == KERNIX_BOOL ||
                         (held.bits == 16 && (held.code == KERNIX_FLOAT || held.code == KERNIX_BFLOAT)));
    if (!is_raw && (held.code != wanted.code || held.bits != wanted.bits || held.lanes != 1))
      kernix_raise(KERNIX_ERROR_TYPE, "Tensor: expected a tensor of %s, got one of %s", dtype_name(to_dtype(wanted)),
                   dtype_name(to_dtype(held)));
  }

  kernix_tensor raw_ = {};
};

static_assert(sizeof(Tensor) == sizeof(kernix_tensor), "passed by value as kernix_tensor");

} // namespace kernix

#endif // KERNIX_TENSOR_H
