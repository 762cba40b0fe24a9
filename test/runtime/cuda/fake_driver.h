// test/runtime/cuda/fake_driver.h - what the fake driver does, and what it was asked.

#ifndef KERNIX_TEST_FAKE_DRIVER_H
#define KERNIX_TEST_FAKE_DRIVER_H

#include <map>

namespace kernix::test {

struct FakeDriver {
  int num_devices = 2;
  int major = 7, minor = 5; ///< compute capability of device 0; that of device 1 is 9.0
  bool has_context = true;
  bool is_capturing = false;
  int now = 0;        ///< milliseconds
  int num_events = 0; ///< made so far
  std::map<void *, int>
      times; ///< when an event was recorded; it has happened when `now` is later than `runs_for` after
  int runs_for = 0;
};

FakeDriver &fake_driver();

} // namespace kernix::test

#endif // KERNIX_TEST_FAKE_DRIVER_H
