/* kernix/xla.h - bound functions as handlers of XLA's FFI. Its C API only; layouts are checked in the runtime. No name
 * here begins with kernix_xla_, since what follows that is the name of a function of the user's. */
#ifndef KERNIX_XLA_H
#define KERNIX_XLA_H

#include "kernix/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

struct XLA_FFI_CallFrame;
struct XLA_FFI_Error;
typedef struct XLA_FFI_Error *(*kernix_handler_for_xla)(struct XLA_FFI_CallFrame *frame);

/* What kernix_xla_<name> is, which an object has for each operation. Operands are the tensors that are read, results
 * those that are written, in the order of the parameters, attributes the rest by name; NULL or an error of XLA's. */
KERNIX_API struct XLA_FFI_Error *kernix_handle_xla_call(kernix_operation_slot *slot, struct XLA_FFI_CallFrame *frame);

/* The handler of a target that has a name, on the platform of the operation's module: always the same for one name. It
 * stands for `operation` from now on; *is_replaced: it stood for another before. `capturable`, whether calls may be
 * recorded in a CUDA graph: 0 never, -1 those of kernels, 1 those of host functions as well; those of derivatives
 * never. A kernix_status. */
KERNIX_API int kernix_target_for_xla(const char *name, const kernix_operation *operation, int32_t capturable,
                                     kernix_handler_for_xla *handler, int32_t *is_replaced);

#ifdef __cplusplus
}
#endif
#endif /* KERNIX_XLA_H */
