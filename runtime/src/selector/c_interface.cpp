// runtime/src/selector/c_interface.cpp - kernix/selector_abi.h: checks every argument, then hands on.

#include "selector/call_times.h"
#include "selector/defaults.h"
#include "selector/registry.h"
#include "selector/selector.h"
#include "selector/watch.h"

#include <charconv>
#include <cmath>
#include <cstring>

using namespace kernix::selector;

namespace {

int bad(const char *expected, const char *what) {
  return kernix_set_error(KERNIX_ERROR_VALUE, "%s: expected %s", what, expected);
}

int check_operation(const char *operation, size_t length) {
  if (!operation)
    return bad("a name, got null", "operation");
  return length ? KERNIX_OK : bad("a name, got an empty one", "operation");
}

int check_dtype(int32_t dtype) {
  if (dtype >= KERNIX_KERNEL_FLOAT32 && dtype <= KERNIX_KERNEL_AUTO)
    return KERNIX_OK;
  return kernix_set_error(KERNIX_ERROR_VALUE, "kernel dtype: expected 0 to %d, got %d", KERNIX_KERNEL_AUTO, dtype);
}

/// Of a kernel, which always has one.
int check_kernel(int32_t dtype) {
  if (dtype == KERNIX_KERNEL_AUTO)
    return bad("Float32, Float16, BFloat16 or Mixed, got Auto, which no kernel has", "kernel dtype");
  return check_dtype(dtype);
}

int check_dtypes(const kernix_dtype *dtypes, int32_t count) {
  if (count < 0 || (count && !dtypes))
    return bad("a list, got null or a negative count", "input dtypes");
  for (int32_t i = 0; i < count; ++i)
    if (!is_known(dtypes[i]))
      return kernix_set_error(KERNIX_ERROR_VALUE,
                              "input dtypes: there is no dtype of code %d with %d bits and %d lanes (input %d)",
                              dtypes[i].code, dtypes[i].bits, dtypes[i].lanes, i);
  return KERNIX_OK;
}

int check_factor(const char *what, float factor) {
  if (std::isfinite(factor) && factor > 0)
    return KERNIX_OK;
  return kernix_set_error(KERNIX_ERROR_VALUE, "%s: expected a positive, finite number, got %g", what,
                          static_cast<double>(factor));
}

int check_device(kernix_device device) {
  if ((device.type == KERNIX_CPU && device.index == 0) || (device.type == KERNIX_CUDA && device.index >= 0))
    return KERNIX_OK;
  return kernix_set_error(KERNIX_ERROR_VALUE, "device: expected cpu or cuda:N, got type %d, number %d", device.type,
                          device.index);
}

int not_null(const char *what) { return bad("no null pointer", what); }

} // namespace

/// Returns from the function with the status of a check that fails.
#define KERNIX_TRY(check)                                                                                              \
  if (const int status = (check); status != KERNIX_OK)                                                                 \
  return status
#define KERNIX_TRY_POINTER(pointer)                                                                                    \
  if (!(pointer))                                                                                                      \
  return not_null(#pointer)

int kernix_device_parse(const char *text, kernix_device *device) {
  KERNIX_TRY_POINTER(text);
  KERNIX_TRY_POINTER(device);
  if (!std::strcmp(text, "cpu")) {
    *device = {KERNIX_CPU, 0};
    return KERNIX_OK;
  }
  constexpr size_t prefix = 5;
  int32_t index = !std::strcmp(text, "cuda") ? 0 : -1;
  if (!std::strncmp(text, "cuda:", prefix)) {
    const char *end = text + std::strlen(text);
    if (const auto [stop, error] = std::from_chars(text + prefix, end, index); error != std::errc{} || stop != end)
      index = -1;
  }
  if (index < 0)
    return kernix_set_error(KERNIX_ERROR_VALUE, "device: expected 'cpu', 'cuda' or 'cuda:N', got '%s'", text);
  *device = {KERNIX_CUDA, index};
  return KERNIX_OK;
}

int kernix_capability_check(const kernix_capability *capability) {
  KERNIX_TRY_POINTER(capability);
  KERNIX_TRY(check_kernel(capability->dtype));
  KERNIX_TRY(check_factor("performance factor", capability->performance_factor));
  return check_factor("memory efficiency", capability->memory_efficiency);
}

int kernix_selector_create(kernix_device device, kernix_selector **selector) {
  KERNIX_TRY_POINTER(selector);
  KERNIX_TRY(check_device(device));
  auto *made = new kernix_selector(device, kernix_selector::Owner::Caller);
  set_defaults(*made);
  *selector = made;
  return KERNIX_OK;
}

void kernix_selector_retain(kernix_selector *selector) {
  if (selector)
    selector->retain();
}

void kernix_selector_release(kernix_selector *selector) {
  if (selector)
    selector->release();
}

int kernix_selector_device(const kernix_selector *selector, kernix_device *device) {
  KERNIX_TRY_POINTER(selector);
  KERNIX_TRY_POINTER(device);
  *device = selector->device();
  return KERNIX_OK;
}

int kernix_kernel_dtype_of(const kernix_dtype *dtypes, int32_t count, int32_t *kernel_dtype) {
  KERNIX_TRY(check_dtypes(dtypes, count));
  KERNIX_TRY_POINTER(kernel_dtype);
  *kernel_dtype = kernel_dtype_of(dtypes, count);
  return KERNIX_OK;
}

int kernix_selector_kernel_dtype(const kernix_selector *selector, const char *operation, size_t length,
                                 const kernix_dtype *dtypes, int32_t count, int32_t *kernel_dtype) {
  KERNIX_TRY_POINTER(selector);
  KERNIX_TRY(check_operation(operation, length));
  KERNIX_TRY(check_dtypes(dtypes, count));
  KERNIX_TRY_POINTER(kernel_dtype);
  const std::string_view name(operation, length);
  *kernel_dtype = kernel_dtype_of(dtypes, count);
  if (!selector->is_available(name, *kernel_dtype))
    *kernel_dtype = selector->select(name, dtypes, count, KERNIX_KERNEL_AUTO).dtype;
  return KERNIX_OK;
}

int kernix_selector_is_available(const kernix_selector *selector, const char *operation, size_t length, int32_t dtype,
                                 int32_t *is_available) {
  KERNIX_TRY_POINTER(selector);
  KERNIX_TRY(check_operation(operation, length));
  KERNIX_TRY(check_dtype(dtype));
  KERNIX_TRY_POINTER(is_available);
  *is_available = selector->is_available({operation, length}, dtype);
  return KERNIX_OK;
}

int kernix_selector_select(const kernix_selector *selector, const char *operation, size_t length,
                           const kernix_dtype *dtypes, int32_t count, int32_t preferred, int32_t *dtype,
                           int32_t *reason) {
  KERNIX_TRY_POINTER(selector);
  KERNIX_TRY(check_operation(operation, length));
  KERNIX_TRY(check_dtypes(dtypes, count));
  KERNIX_TRY(check_dtype(preferred));
  KERNIX_TRY_POINTER(dtype);
  const Decision decision = selector->select({operation, length}, dtypes, count, preferred);
  *dtype = decision.dtype;
  if (reason)
    *reason = decision.reason;
  return KERNIX_OK;
}

int kernix_selector_register(kernix_selector *selector, const char *operation, size_t length,
                             const kernix_capability *capability) {
  KERNIX_TRY_POINTER(selector);
  KERNIX_TRY(check_operation(operation, length));
  KERNIX_TRY(kernix_capability_check(capability));
  selector->set_capability({operation, length}, *capability);
  if (!capability->is_available)
    watch(KERNIX_WATCH_AVAILABILITY);
  return KERNIX_OK;
}

int kernix_selector_capability(const kernix_selector *selector, const char *operation, size_t length, int32_t dtype,
                               kernix_capability *capability) {
  KERNIX_TRY_POINTER(selector);
  KERNIX_TRY(check_operation(operation, length));
  KERNIX_TRY(check_kernel(dtype));
  KERNIX_TRY_POINTER(capability);
  if (selector->capability({operation, length}, dtype, capability))
    return KERNIX_OK;
  return kernix_set_error(KERNIX_ERROR_KEY, "no capability of '%.*s' is registered for that dtype",
                          static_cast<int>(length), operation);
}

int kernix_selector_set_policy(kernix_selector *selector, const char *operation, size_t length, int32_t policy) {
  KERNIX_TRY_POINTER(selector);
  KERNIX_TRY(check_operation(operation, length));
  if (policy < KERNIX_POLICY_SEED || policy > KERNIX_POLICY_RANKED)
    return kernix_set_error(KERNIX_ERROR_VALUE, "policy: expected 0 to %d, got %d", KERNIX_POLICY_RANKED, policy);
  if (selector->set_policy({operation, length}, policy)) {
    if (policy != KERNIX_POLICY_SEED)
      watch(KERNIX_WATCH_POLICY);
    return KERNIX_OK;
  }
  return kernix_set_error(KERNIX_ERROR_KEY, "no capability of '%.*s' is registered", static_cast<int>(length),
                          operation);
}

int kernix_selector_policy(const kernix_selector *selector, const char *operation, size_t length, int32_t *policy) {
  KERNIX_TRY_POINTER(selector);
  KERNIX_TRY(check_operation(operation, length));
  KERNIX_TRY_POINTER(policy);
  *policy = selector->policy({operation, length});
  return KERNIX_OK;
}

int kernix_selector_update_performance(kernix_selector *selector, const char *operation, size_t length, int32_t dtype,
                                       float milliseconds) {
  KERNIX_TRY_POINTER(selector);
  KERNIX_TRY(check_operation(operation, length));
  KERNIX_TRY(check_kernel(dtype));
  if (!std::isfinite(milliseconds) || milliseconds < 0)
    return kernix_set_error(KERNIX_ERROR_VALUE, "execution time: expected a finite number that is not negative, got %g",
                            static_cast<double>(milliseconds));
  selector->statistics({operation, length}, dtype).add(milliseconds + 0.0f); // no -0
  return KERNIX_OK;
}

int kernix_selector_performance(const kernix_selector *selector, const char *operation, size_t length, int32_t dtype,
                                kernix_performance *performance) {
  KERNIX_TRY_POINTER(selector);
  KERNIX_TRY(check_operation(operation, length));
  KERNIX_TRY(check_kernel(dtype));
  KERNIX_TRY_POINTER(performance);
  collect_call_times();
  if (selector->performance({operation, length}, dtype, performance))
    return KERNIX_OK;
  return kernix_set_error(KERNIX_ERROR_KEY, "nothing was measured of '%.*s' with that dtype", static_cast<int>(length),
                          operation);
}

int kernix_selector_visit_performance(const kernix_selector *selector, kernix_visit_performance visit, void *context) {
  KERNIX_TRY_POINTER(selector);
  KERNIX_TRY_POINTER(visit);
  collect_call_times();
  selector->visit_performance(visit, context);
  return KERNIX_OK;
}

int kernix_registry_selector(kernix_device device, kernix_selector **selector) {
  KERNIX_TRY(check_device(device));
  KERNIX_TRY_POINTER(selector);
  *selector = Registry::instance().selector(device);
  return KERNIX_OK;
}

int kernix_registry_register_defaults(kernix_device device, kernix_selector *selector, int32_t compute_capability) {
  KERNIX_TRY(check_device(device));
  KERNIX_TRY_POINTER(selector);
  if (compute_capability < 0)
    return kernix_set_error(KERNIX_ERROR_VALUE, "compute capability: expected 10 * major + minor, got %d",
                            compute_capability);
  register_defaults(device, *selector, compute_capability);
  return KERNIX_OK;
}

uint32_t kernix_watched = 0;

void kernix_watch_calls(uint32_t bits, int is_on) { is_on ? watch(bits) : watch_no_longer(bits); }

int kernix_registry_has_policy(const char *operation, size_t length) {
  bool found = false;
  for (kernix_selector *selector : Registry::instance().all()) {
    found = found || selector->policy({operation, length}) != KERNIX_POLICY_SEED;
    selector->release();
  }
  return found;
}

int kernix_registry_clear() {
  Registry::instance().clear();
  return KERNIX_OK;
}

int kernix_registry_visit(kernix_visit_selector visit, void *context) {
  KERNIX_TRY_POINTER(visit);
  collect_call_times(); // which may make a selector
  for (kernix_selector *selector : Registry::instance().all()) {
    visit(context, selector);
    selector->release();
  }
  return KERNIX_OK;
}
