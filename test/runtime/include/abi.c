/* test/runtime/include/abi.c - compile only: kernix/abi.h is C. */

#include "kernix/abi.h"
#include "kernix/selector_abi.h"

int version(void) { return (int)kernix_runtime_abi_version() + KERNIX_ABI_VERSION; }
