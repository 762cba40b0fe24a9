// A second source of the same file name, with a function of the same name that is its own, and a header of the project.
#include "project.h"

#include <kernix/kernix.h>

static __device__ __host__ int fill() { return PROJECT_VALUE + PROJECT_OFFSET; }

[[kernix::bind]]
int project_value() {
  return fill();
}
