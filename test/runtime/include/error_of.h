// test/runtime/include/error_of.h - what is thrown, as text to compare.

#ifndef KERNIX_TEST_ERROR_OF_H
#define KERNIX_TEST_ERROR_OF_H

#include "kernix/error.h"

#include <string>

namespace kernix {

template <class F> std::string error_of(F f) {
  try {
    f();
  } catch (const KernelError &error) {
    return std::to_string(error.status()) + ": " + error.what();
  }
  return "none";
}

} // namespace kernix

#endif // KERNIX_TEST_ERROR_OF_H
