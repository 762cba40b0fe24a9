/* kernix/batched.h - kernels of a module that take a batch of calls in one launch. */
#ifndef KERNIX_BATCHED_H
#define KERNIX_BATCHED_H

#include "kernix/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Gives a CUDA module what was compiled from its sources with kernix-batched.cfg: `count` texts of PTX. A call with a
 * batch is one launch from now on, where the kernel has such a version, and a launch for each element elsewhere. Asks
 * the driver that the process has loaded; a kernix_status. */
KERNIX_API int kernix_add_batched(const kernix_module_info *module, const char *const *ptx, int32_t count);

#ifdef __cplusplus
}
#endif
#endif /* KERNIX_BATCHED_H */
