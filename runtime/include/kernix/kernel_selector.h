// kernix/kernel_selector.h - which kernel of an operation fits the dtypes of its inputs.
//
// Thin C++ over kernix/selector_abi.h: no state of its own, no logic. Mistakes are KernelErrors of status
// KERNIX_ERROR_VALUE. docs/selector.md says how a selector chooses. C++20.
#ifndef KERNIX_KERNEL_SELECTOR_H
#define KERNIX_KERNEL_SELECTOR_H

#include "kernix/dtype.h"
#include "kernix/error.h"
#include "kernix/selector_abi.h"
#include "kernix/tensor.h"

#include <compare>
#include <cstdio>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace kernix {

enum class KernelDtype : int32_t {
  Float32 = KERNIX_KERNEL_FLOAT32,   ///< default precision
  Float16 = KERNIX_KERNEL_FLOAT16,   ///< half precision
  BFloat16 = KERNIX_KERNEL_BFLOAT16, ///< brain float
  Mixed = KERNIX_KERNEL_MIXED,       ///< several dtypes
  Auto = KERNIX_KERNEL_AUTO          ///< by the tensors: no preference
};

enum class KernelPolicy : int32_t {
  Seed = KERNIX_POLICY_SEED,
  Promote = KERNIX_POLICY_PROMOTE,
  Ranked = KERNIX_POLICY_RANKED
};

enum class SelectionReason : int32_t {
  Preferred = KERNIX_REASON_PREFERRED,
  Mixed = KERNIX_REASON_MIXED,
  Input = KERNIX_REASON_INPUT,
  Promoted = KERNIX_REASON_PROMOTED,
  Measured = KERNIX_REASON_MEASURED,
  Factor = KERNIX_REASON_FACTOR,
  Fallback = KERNIX_REASON_FALLBACK
};

struct KernelSelection {
  KernelDtype dtype;
  SelectionReason reason;
};

constexpr const char *to_string(KernelDtype dtype) {
  constexpr const char *names[] = {"Float32", "Float16", "BFloat16", "Mixed", "Auto"};
  const auto index = static_cast<uint32_t>(dtype);
  return index < std::size(names) ? names[index] : "invalid";
}

namespace detail {

inline void check(int status) {
  if (status != KERNIX_OK)
    throw KernelError(kernix_last_error(), status);
}

/// False for what is not there, an exception for other errors.
inline bool found(int status) {
  if (status == KERNIX_ERROR_KEY)
    return false;
  check(status);
  return true;
}

} // namespace detail

/// A device that kernels run on.
class Device {
public:
  /// "cpu", "cuda" (the first one) or "cuda:1".
  Device(const char *text) { detail::check(kernix_device_parse(text, &raw_)); }
  Device(const std::string &text) : Device(text.c_str()) {}
  explicit Device(kernix_device raw) : raw_(raw) {}

  bool is_cuda() const { return raw_.type == KERNIX_CUDA; }
  int index() const { return raw_.index; }
  const kernix_device &raw() const { return raw_; }
  std::string to_string() const { return is_cuda() ? "cuda:" + std::to_string(raw_.index) : "cpu"; }

  friend bool operator==(const Device &a, const Device &b) { return (a <=> b) == 0; }
  friend std::strong_ordering operator<=>(const Device &a, const Device &b) {
    return std::pair(a.raw_.type, a.raw_.index) <=> std::pair(b.raw_.type, b.raw_.index);
  }

private:
  kernix_device raw_{};
};

/// What a kernel can do.
class KernelCapability {
public:
  explicit KernelCapability(KernelDtype dtype, bool is_available = true, bool supports_tensor_cores = false,
                            float performance_factor = 1.0f, float memory_efficiency = 1.0f)
      : raw_{static_cast<int32_t>(dtype), is_available, supports_tensor_cores, performance_factor, memory_efficiency} {
    detail::check(kernix_capability_check(&raw_));
  }
  explicit KernelCapability(const kernix_capability &raw) : raw_(raw) {}

  KernelDtype dtype() const { return static_cast<KernelDtype>(raw_.dtype); }
  bool is_available() const { return raw_.is_available != 0; }
  bool supports_tensor_cores() const { return raw_.supports_tensor_cores != 0; }
  /// Relative; higher is faster.
  float performance_factor() const { return raw_.performance_factor; }
  /// Higher is more efficient.
  float memory_efficiency() const { return raw_.memory_efficiency; }
  const kernix_capability &raw() const { return raw_; }

  static KernelCapability create_float32(bool supports_tensor_cores = false) {
    return KernelCapability(KernelDtype::Float32, true, supports_tensor_cores);
  }
  static KernelCapability create_float16(bool supports_tensor_cores = true) {
    return KernelCapability(KernelDtype::Float16, true, supports_tensor_cores);
  }
  static KernelCapability create_bfloat16(bool supports_tensor_cores = true) {
    return KernelCapability(KernelDtype::BFloat16, true, supports_tensor_cores);
  }

private:
  kernix_capability raw_;
};

/// Times of a kernel, in milliseconds.
class KernelPerformanceStats {
public:
  /// `timed_count`: of the executions, how many the times are of; all if it is not given.
  KernelPerformanceStats(std::string operation_name, KernelDtype dtype, float average_execution_time,
                         float min_execution_time, float max_execution_time, int64_t execution_count,
                         std::optional<int64_t> timed_count = std::nullopt)
      : operation_name_(std::move(operation_name)), dtype_(dtype),
        raw_{average_execution_time, min_execution_time, max_execution_time, execution_count,
             timed_count.value_or(execution_count)} {}

  const std::string &operation_name() const { return operation_name_; }
  KernelDtype dtype() const { return dtype_; }
  float average_execution_time() const { return raw_.average; }
  float min_execution_time() const { return raw_.min; }
  float max_execution_time() const { return raw_.max; }
  int64_t execution_count() const { return raw_.count; }
  int64_t timed_count() const { return raw_.timed; }

  /// "conv2d (Float16): average 1.500 ms, min 1.000 ms, max 2.000 ms, 2 executions"; ", 1 timed" if not all were.
  std::string to_string() const {
    char text[160];
    std::snprintf(text, sizeof text, " (%s): average %.3f ms, min %.3f ms, max %.3f ms, %lld execution%s",
                  kernix::to_string(dtype_), static_cast<double>(raw_.average), static_cast<double>(raw_.min),
                  static_cast<double>(raw_.max), static_cast<long long>(raw_.count), raw_.count == 1 ? "" : "s");
    const std::string timed = raw_.timed == raw_.count ? "" : ", " + std::to_string(raw_.timed) + " timed";
    return operation_name_ + text + timed;
  }

private:
  std::string operation_name_;
  KernelDtype dtype_;
  kernix_performance raw_;
};

/// Chooses the kernel of an operation by dtype. A handle: copies are the same selector, which every thread may use.
class KernelSelector {
public:
  /// A new one, with the default capabilities of the device: those of an operation until one is registered for it. The
  /// process's own, which knows bound functions, is KernelRegistry::get_or_create_selector.
  explicit KernelSelector(const Device &device) {
    kernix_selector *made = nullptr;
    detail::check(kernix_selector_create(device.raw(), &made));
    raw_.reset(made);
  }
  /// Takes over one hold of `raw`.
  explicit KernelSelector(kernix_selector *raw) : raw_(raw) {}
  KernelSelector(const KernelSelector &other) : raw_(held(other.raw())) {}
  KernelSelector &operator=(const KernelSelector &other) {
    raw_.reset(held(other.raw()));
    return *this;
  }
  KernelSelector(KernelSelector &&) noexcept = default;
  KernelSelector &operator=(KernelSelector &&) noexcept = default;
  ~KernelSelector() = default;

  Device device() const {
    kernix_device found{};
    detail::check(kernix_selector_device(raw(), &found));
    return Device(found);
  }

  KernelDtype get_kernel_dtype(const Tensor &tensor) const { return dtype_of(&tensor.raw().dtype, 1); }
  /// Float32 for none, that of equal ones, else Mixed.
  KernelDtype get_kernel_dtype(std::span<const Tensor> tensors) const {
    KernelDtype dtype = tensors.empty() ? KernelDtype::Float32 : get_kernel_dtype(tensors[0]);
    for (const Tensor &tensor : tensors) {
      const kernix_dtype both[] = {tensors[0].raw().dtype, tensor.raw().dtype};
      if (dtype_of(both, 2) == KernelDtype::Mixed)
        dtype = KernelDtype::Mixed;
    }
    return dtype;
  }
  KernelDtype get_kernel_dtype(std::initializer_list<Tensor> tensors) const {
    return get_kernel_dtype(std::span<const Tensor>(tensors.begin(), tensors.size()));
  }
  /// Of an operation: that of the inputs if it has a kernel, else that of select_best_kernel.
  KernelDtype get_kernel_dtype(std::string_view operation_name, std::span<const DType> input_dtypes) const {
    const Dtypes dtypes(input_dtypes);
    int32_t found = 0;
    detail::check(kernix_selector_kernel_dtype(raw(), operation_name.data(), operation_name.size(), dtypes.data(),
                                               dtypes.size(), &found));
    return static_cast<KernelDtype>(found);
  }
  KernelDtype get_kernel_dtype(std::string_view operation_name, std::initializer_list<DType> input_dtypes) const {
    return get_kernel_dtype(operation_name, std::span<const DType>(input_dtypes.begin(), input_dtypes.size()));
  }

  bool is_kernel_available(std::string_view operation_name, KernelDtype dtype) const {
    int32_t is_available = 0;
    detail::check(kernix_selector_is_available(raw(), operation_name.data(), operation_name.size(),
                                               static_cast<int32_t>(dtype), &is_available));
    return is_available != 0;
  }

  void register_kernel_capability(std::string_view operation_name, const KernelCapability &capability) {
    detail::check(kernix_selector_register(raw(), operation_name.data(), operation_name.size(), &capability.raw()));
  }
  /// What is registered for an operation and dtype.
  std::optional<KernelCapability> capability(std::string_view operation_name, KernelDtype dtype) const {
    kernix_capability found{};
    if (detail::found(kernix_selector_capability(raw(), operation_name.data(), operation_name.size(),
                                                 static_cast<int32_t>(dtype), &found)))
      return KernelCapability(found);
    return std::nullopt;
  }

  /// The preferred dtype if it is available, else by the operation's policy; Float32 in the end.
  KernelDtype select_best_kernel(std::string_view operation_name, std::span<const DType> input_dtypes,
                                 std::optional<KernelDtype> preferred_dtype = std::nullopt) const {
    return select(operation_name, input_dtypes, preferred_dtype).dtype;
  }
  KernelDtype select_best_kernel(std::string_view operation_name, std::initializer_list<DType> input_dtypes,
                                 std::optional<KernelDtype> preferred_dtype = std::nullopt) const {
    return select(operation_name, input_dtypes, preferred_dtype).dtype;
  }
  /// The same with the reason.
  KernelSelection select(std::string_view operation_name, std::span<const DType> input_dtypes,
                         std::optional<KernelDtype> preferred_dtype = std::nullopt) const {
    const Dtypes dtypes(input_dtypes);
    int32_t dtype = 0, reason = 0;
    detail::check(
        kernix_selector_select(raw(), operation_name.data(), operation_name.size(), dtypes.data(), dtypes.size(),
                               static_cast<int32_t>(preferred_dtype.value_or(KernelDtype::Auto)), &dtype, &reason));
    return {static_cast<KernelDtype>(dtype), static_cast<SelectionReason>(reason)};
  }
  KernelSelection select(std::string_view operation_name, std::initializer_list<DType> input_dtypes,
                         std::optional<KernelDtype> preferred_dtype = std::nullopt) const {
    return select(operation_name, std::span<const DType>(input_dtypes.begin(), input_dtypes.size()), preferred_dtype);
  }

  void set_policy(std::string_view operation_name, KernelPolicy policy) {
    detail::check(
        kernix_selector_set_policy(raw(), operation_name.data(), operation_name.size(), static_cast<int32_t>(policy)));
  }
  KernelPolicy policy(std::string_view operation_name) const {
    int32_t found = 0;
    detail::check(kernix_selector_policy(raw(), operation_name.data(), operation_name.size(), &found));
    return static_cast<KernelPolicy>(found);
  }

  std::optional<KernelPerformanceStats> get_performance_stats(std::string_view operation_name,
                                                              KernelDtype dtype) const {
    kernix_performance found{};
    if (detail::found(kernix_selector_performance(raw(), operation_name.data(), operation_name.size(),
                                                  static_cast<int32_t>(dtype), &found)))
      return KernelPerformanceStats(std::string(operation_name), dtype, found.average, found.min, found.max,
                                    found.count, found.timed);
    return std::nullopt;
  }
  void update_performance_stats(std::string_view operation_name, KernelDtype dtype, float execution_time) {
    detail::check(kernix_selector_update_performance(raw(), operation_name.data(), operation_name.size(),
                                                     static_cast<int32_t>(dtype), execution_time));
  }

  kernix_selector *raw() const { return raw_.get(); }
  friend bool operator==(const KernelSelector &a, const KernelSelector &b) { return a.raw() == b.raw(); }

private:
  struct Release {
    void operator()(kernix_selector *selector) const { kernix_selector_release(selector); }
  };

  /// DTypes as the C interface has them, on the stack for as many inputs as operations usually have.
  class Dtypes {
  public:
    explicit Dtypes(std::span<const DType> dtypes) : size_(dtypes.size()) {
      if (size_ > std::size(few_))
        many_ = std::make_unique<kernix_dtype[]>(size_);
      kernix_dtype *to = many_ ? many_.get() : few_;
      for (size_t i = 0; i < size_; ++i)
        to[i] = from_dtype(dtypes[i]);
    }
    const kernix_dtype *data() const { return many_ ? many_.get() : few_; }
    int32_t size() const { return static_cast<int32_t>(size_); }

  private:
    size_t size_;
    kernix_dtype few_[8];
    std::unique_ptr<kernix_dtype[]> many_;
  };

  static kernix_selector *held(kernix_selector *selector) {
    kernix_selector_retain(selector);
    return selector;
  }
  static KernelDtype dtype_of(const kernix_dtype *dtypes, int32_t count) {
    int32_t found = 0;
    detail::check(kernix_kernel_dtype_of(dtypes, count, &found));
    return static_cast<KernelDtype>(found);
  }

  std::unique_ptr<kernix_selector, Release> raw_;
};

/// The selectors of the process, one for each device.
class KernelRegistry {
public:
  KernelRegistry() = delete;

  static KernelSelector get_or_create_selector(const Device &device) {
    kernix_selector *found = nullptr;
    detail::check(kernix_registry_selector(device.raw(), &found));
    return KernelSelector(found);
  }
  /// `compute_capability`: 10 * major + minor of a CUDA device; 0: that of the device.
  static void register_default_capabilities(const Device &device, const KernelSelector &selector,
                                            int compute_capability = 0) {
    detail::check(kernix_registry_register_defaults(device.raw(), selector.raw(), compute_capability));
  }
  /// Forgets all selectors. Those that somebody holds go on working, apart from the registry.
  static void clear() { detail::check(kernix_registry_clear()); }
  static std::map<Device, KernelSelector> get_all_selectors() {
    std::map<Device, KernelSelector> all;
    detail::check(kernix_registry_visit(
        [](void *context, kernix_selector *raw) {
          kernix_selector_retain(raw);
          KernelSelector selector(raw);
          static_cast<std::map<Device, KernelSelector> *>(context)->emplace(selector.device(), selector);
        },
        &all));
    return all;
  }
};

} // namespace kernix

#endif // KERNIX_KERNEL_SELECTOR_H
