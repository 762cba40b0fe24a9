// runtime/src/core/error.cpp - the calling thread's last error message.
//
// Strings are built only when something fails; the good path never comes here.

#include "kernix/abi.h"

#include <cstdarg>
#include <cstdio>
#include <string>

namespace {
thread_local std::string message;
} // namespace

const char *kernix_last_error() { return message.c_str(); }

int kernix_set_error(int status, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = std::vsnprintf(nullptr, 0, format, args);
  va_end(args);
  std::string text(length > 0 ? static_cast<size_t>(length) : 0, '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  message = std::move(text);
  return status;
}

uint32_t kernix_runtime_abi_version() { return KERNIX_ABI_VERSION; }
const char *kernix_runtime_version() { return KERNIX_VERSION; }
