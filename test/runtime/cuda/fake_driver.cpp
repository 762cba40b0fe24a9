// test/runtime/cuda/fake_driver.cpp - functions of libcuda.so.1, without a GPU.

#include "fake_driver.h"

namespace kernix::test {

FakeDriver &fake_driver() {
  static FakeDriver driver;
  return driver;
}

} // namespace kernix::test

using kernix::test::fake_driver;

namespace {

constexpr int invalid_device = 101, invalid_context = 201, not_ready = 600;

} // namespace

extern "C" {

int cuInit(unsigned) { return 0; }

int cuDeviceGet(int *handle, int index) {
  *handle = index;
  return index < fake_driver().num_devices ? 0 : invalid_device;
}

int cuDeviceGetAttribute(int *value, int attribute, int handle) {
  constexpr int major_attribute = 75;
  const int major = handle == 0 ? fake_driver().major : 9, minor = handle == 0 ? fake_driver().minor : 0;
  *value = attribute == major_attribute ? major : minor;
  return 0;
}

int cuStreamIsCapturing(void *, int *status) {
  *status = fake_driver().is_capturing;
  return 0;
}

int cuEventCreate(void **event, unsigned) {
  if (!fake_driver().has_context)
    return invalid_context;
  *event = new int(++fake_driver().num_events);
  return 0;
}

int cuEventRecord(void *event, void *) {
  fake_driver().times[event] = fake_driver().now;
  return 0;
}

int cuEventQuery(void *event) {
  const auto &driver = fake_driver();
  return driver.times.at(event) + driver.runs_for <= driver.now ? 0 : not_ready;
}

int cuEventElapsedTime(float *milliseconds, void *begin, void *end) {
  *milliseconds = static_cast<float>(fake_driver().times.at(end) - fake_driver().times.at(begin));
  return 0;
}
}
