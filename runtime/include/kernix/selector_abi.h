/* kernix/selector_abi.h - the C interface of the kernel selector.
 *
 * kernix/kernel_selector.h is the same for C++. A selector knows, for each operation, for which dtypes it has kernels,
 * and chooses among them; the registry holds one selector for each device of the process. Functions that return int
 * return a kernix_status, KERNIX_ERROR_VALUE for anything that is wrong with an argument: a null pointer, an enumerator
 * or a dtype that does not exist, an empty name, a time that is negative or not finite. All of them may be called by
 * any thread at any time.
 */
#ifndef KERNIX_SELECTOR_ABI_H
#define KERNIX_SELECTOR_ABI_H

#include "kernix/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

enum kernix_kernel_dtype {
  KERNIX_KERNEL_FLOAT32 = 0,
  KERNIX_KERNEL_FLOAT16 = 1,
  KERNIX_KERNEL_BFLOAT16 = 2,
  KERNIX_KERNEL_MIXED = 3, /* inputs of several floating-point dtypes */
  KERNIX_KERNEL_AUTO = 4   /* no preference; no kernel has it */
};

/* How an operation chooses where no preferred dtype is available. */
enum kernix_policy {
  KERNIX_POLICY_SEED = 0,    /* the first input dtype with a kernel, else Float32 */
  KERNIX_POLICY_PROMOTE = 1, /* the dtype that holds all inputs, Float32 if its kernel is missing */
  KERNIX_POLICY_RANKED = 2   /* the fastest kernel, whatever the inputs are */
};

enum kernix_selection_reason {
  KERNIX_REASON_PREFERRED = 0,
  KERNIX_REASON_MIXED = 1,    /* inputs are mixed, and there is a kernel for that */
  KERNIX_REASON_INPUT = 2,    /* dtype of an input */
  KERNIX_REASON_PROMOTED = 3, /* policy promote */
  KERNIX_REASON_MEASURED = 4, /* policy ranked, by measured times */
  KERNIX_REASON_FACTOR = 5,   /* policy ranked, by performance factors */
  KERNIX_REASON_FALLBACK = 6  /* nothing fits: Float32, whether or not it has a kernel */
};

typedef struct kernix_device {
  int32_t type; /* KERNIX_CPU or KERNIX_CUDA */
  int32_t index;
} kernix_device;

typedef struct kernix_capability {
  int32_t dtype; /* kernix_kernel_dtype, not AUTO */
  int32_t is_available;
  int32_t supports_tensor_cores;
  float performance_factor; /* positive; higher is faster */
  float memory_efficiency;  /* positive; higher is more efficient */
} kernix_capability;

/* Times are in milliseconds, NaN where no call was timed. */
typedef struct kernix_performance {
  float average;
  float min;
  float max;
  int64_t count; /* of executions */
  int64_t timed; /* of these, how many the times are of */
} kernix_performance;

/* Operations are named by `length` bytes. A name that ends in _fp32, _fp16 or _bf16 and the dtype that it ends in mean
 * the operation without the ending: ("conv2d_fp16", FLOAT16) and ("conv2d", FLOAT16) are the same. */
typedef struct kernix_selector kernix_selector;

/* "cpu", "cuda" (the first one), "cuda:1". */
KERNIX_API int kernix_device_parse(const char *text, kernix_device *device);
/* Whether a capability can be registered. */
KERNIX_API int kernix_capability_check(const kernix_capability *capability);

/* A selector of the caller's own, held once. It has the default capabilities of its device; the first capability that
 * is registered for an operation takes the place of the defaults of that operation. It lives until every holder has
 * released it. */
KERNIX_API int kernix_selector_create(kernix_device device, kernix_selector **selector);
KERNIX_API void kernix_selector_retain(kernix_selector *selector);
KERNIX_API void kernix_selector_release(kernix_selector *selector);
KERNIX_API int kernix_selector_device(const kernix_selector *selector, kernix_device *device);

/* Float32 for no dtypes, the dtype's for equal ones (Float32 if it is none of the three), else Mixed. */
KERNIX_API int kernix_kernel_dtype_of(const kernix_dtype *dtypes, int32_t count, int32_t *kernel_dtype);
/* That of the dtypes if it has a kernel, else that of kernix_selector_select. */
KERNIX_API int kernix_selector_kernel_dtype(const kernix_selector *selector, const char *operation, size_t length,
                                            const kernix_dtype *dtypes, int32_t count, int32_t *kernel_dtype);
/* 0 for an unknown operation. */
KERNIX_API int kernix_selector_is_available(const kernix_selector *selector, const char *operation, size_t length,
                                            int32_t dtype, int32_t *is_available);
/* `preferred`: AUTO for none. `reason` may be NULL. */
KERNIX_API int kernix_selector_select(const kernix_selector *selector, const char *operation, size_t length,
                                      const kernix_dtype *dtypes, int32_t count, int32_t preferred, int32_t *dtype,
                                      int32_t *reason);

/* Replaces what was registered for that operation and dtype. */
KERNIX_API int kernix_selector_register(kernix_selector *selector, const char *operation, size_t length,
                                        const kernix_capability *capability);
/* KERNIX_ERROR_KEY: none is registered. */
KERNIX_API int kernix_selector_capability(const kernix_selector *selector, const char *operation, size_t length,
                                          int32_t dtype, kernix_capability *capability);
/* KERNIX_ERROR_KEY: the operation has no capability. */
KERNIX_API int kernix_selector_set_policy(kernix_selector *selector, const char *operation, size_t length,
                                          int32_t policy);
KERNIX_API int kernix_selector_policy(const kernix_selector *selector, const char *operation, size_t length,
                                      int32_t *policy);

KERNIX_API int kernix_selector_update_performance(kernix_selector *selector, const char *operation, size_t length,
                                                  int32_t dtype, float milliseconds);
/* KERNIX_ERROR_KEY: nothing was measured. */
KERNIX_API int kernix_selector_performance(const kernix_selector *selector, const char *operation, size_t length,
                                           int32_t dtype, kernix_performance *performance);
/* Calls `visit` for each operation and dtype that was executed or measured; AUTO: calls of functions without kernel
 * dtype. */
typedef void (*kernix_visit_performance)(void *context, const char *operation, int32_t dtype,
                                         const kernix_performance *performance);
KERNIX_API int kernix_selector_visit_performance(const kernix_selector *selector, kernix_visit_performance visit,
                                                 void *context);

/* The process's selector of a device, made with the default capabilities and those of bound functions if there is none.
 * What is registered with it is added to the defaults. Held for the caller. */
KERNIX_API int kernix_registry_selector(kernix_device device, kernix_selector **selector);
/* Registers the default capabilities of a device, in addition to what is registered. `compute_capability` is 10 * major
 * + minor of a CUDA device, 0: ask the driver; where it does not know the device, that of a new one is assumed. */
KERNIX_API int kernix_registry_register_defaults(kernix_device device, kernix_selector *selector,
                                                 int32_t compute_capability);
/* Forgets all selectors. Those that are held go on working, apart from the registry. */
KERNIX_API int kernix_registry_clear(void);
/* Calls `visit` for each selector of the registry; it is held during the call. */
typedef void (*kernix_visit_selector)(void *context, kernix_selector *selector);
KERNIX_API int kernix_registry_visit(kernix_visit_selector visit, void *context);

/* The capabilities of an operation's variants are registered for the devices of its module's target; this registers
 * them for another type of device, KERNIX_CPU or KERNIX_CUDA, for which the module will be opened too. */
KERNIX_API int kernix_registry_register_operation(const kernix_operation *operation, int32_t device_type);

/* The kernel dtype of a variant of a bound operation: by the floating-point tensors in which its variants differ; AUTO
 * where it has none, as with float64. */
KERNIX_API int kernix_operation_kernel_dtype(const kernix_operation *operation, int32_t variant, int32_t *kernel_dtype);

/* What calls have to look at, as bits; 0 in a process that uses none of it. Read it atomically. */
enum kernix_watch {
  KERNIX_WATCH_PREFERENCE = 1u << 0,   /* a dtype was preferred somewhere, for a while */
  KERNIX_WATCH_POLICY = 1u << 1,       /* an operation was given another policy than that of the seed */
  KERNIX_WATCH_TIMES = 1u << 2,        /* calls are counted, and a share of them is timed */
  KERNIX_WATCH_EVERYWHERE = 1u << 3,   /* a dtype is preferred in the whole process */
  KERNIX_WATCH_AVAILABILITY = 1u << 4, /* a kernel was registered as unavailable */
  KERNIX_WATCH_EVERY_TIME = 1u << 5    /* with TIMES: every call is timed */
};
KERNIX_API extern uint32_t kernix_watched;
/* Sets bits of kernix_watched, or clears them. */
KERNIX_API void kernix_watch_calls(uint32_t bits, int is_on);
/* Whether a selector of the registry has another policy than that of the seed for an operation. */
KERNIX_API int kernix_registry_has_policy(const char *operation, size_t length);

#ifdef __cplusplus
}
#endif
#endif /* KERNIX_SELECTOR_ABI_H */
