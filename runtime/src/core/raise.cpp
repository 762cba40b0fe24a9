// runtime/src/core/raise.cpp - throws for headers that do not include <stdexcept>.

#include "kernix/raise.h"

#include "kernix/error.h"

#include <cstdarg>
#include <cstdio>

void kernix_raise(int status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char text[1024];
  std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  throw kernix::KernelError(text, status);
}
