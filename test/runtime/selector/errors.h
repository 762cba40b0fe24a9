// test/runtime/selector/errors.h - what an error says.

#ifndef KERNIX_TEST_SELECTOR_ERRORS_H
#define KERNIX_TEST_SELECTOR_ERRORS_H

#include "kernix/error.h"

#include <string>

namespace kernix::test {

/// The message of the value error that `action` throws; "" if it throws none.
template <class Action> std::string value_error(Action &&action) {
  try {
    action();
  } catch (const KernelError &error) {
    return error.status() == KERNIX_ERROR_VALUE ? error.what() : std::string();
  }
  return {};
}

} // namespace kernix::test

#endif // KERNIX_TEST_SELECTOR_ERRORS_H
