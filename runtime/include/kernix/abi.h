/* kernix/abi.h - the C interface between compiled objects, the runtime and its callers.
 *
 * This is the bottom layer: plain C, no other kernix header, no framework header. Objects compiled with the plugin hold
 * constants of the types of part 2; the runtime (libkernix_runtime) reads them; every caller (Python, tvm-ffi, C++)
 * goes through the functions of part 3. KERNIX_ABI_VERSION changes whenever a structure here changes; an object carries
 * the number it was compiled with and is refused by a runtime of another one.
 */
#ifndef KERNIX_ABI_H
#define KERNIX_ABI_H

#include <stddef.h>
#include <stdint.h>

#define KERNIX_ABI_VERSION 8
#define KERNIX_MAX_RANK 8

#if defined(__GNUC__)
#define KERNIX_API __attribute__((visibility("default")))
#else
#define KERNIX_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. Values -------------------------------------------------------------------------------------------------- */

/* Type of one element. The numbers are DLPack's (DLDataType). `lanes` is 1 everywhere in kernix: a CUDA vector type is
 * a trailing axis of the tensor, not a lane. */
typedef struct kernix_dtype {
  uint8_t code; /* kernix_dtype_code */
  uint8_t bits;
  uint16_t lanes;
} kernix_dtype;

enum kernix_dtype_code {
  KERNIX_INT = 0,
  KERNIX_UINT = 1,
  KERNIX_FLOAT = 2,
  KERNIX_BFLOAT = 4,
  KERNIX_COMPLEX = 5,
  KERNIX_BOOL = 6,
  KERNIX_NO_DTYPE = 255 /* strings, streams, structs: nothing with one element type */
};

/* DLPack's DLDeviceType. */
enum kernix_device_type { KERNIX_CPU = 1, KERNIX_CUDA = 2, KERNIX_CUDA_HOST = 3, KERNIX_CUDA_MANAGED = 13 };

/* A tensor as a caller has it; the layout is DLPack's DLTensor. Borrowed: nothing here is owned. */
typedef struct kernix_dltensor {
  void *data;
  int32_t device_type;
  int32_t device_id;
  int32_t ndim;
  kernix_dtype dtype;
  int64_t *shape;       /* ndim elements */
  int64_t *strides;     /* in elements; NULL: row-major, contiguous */
  uint64_t byte_offset; /* added to data */
} kernix_dltensor;

/* kernix::Tensor, by value: dtype and rank known at run time. `data` already contains the byte offset. */
typedef struct kernix_tensor {
  void *data;
  int64_t shape[KERNIX_MAX_RANK];
  int64_t strides[KERNIX_MAX_RANK]; /* in elements */
  int32_t ndim;
  kernix_dtype dtype;
  int32_t device_type;
  int32_t device_id;
} kernix_tensor;

/* kernix::TensorView<T>, by value into kernels: element type known at compile time. */
typedef struct kernix_tensor_view {
  void *data;
  int64_t shape[KERNIX_MAX_RANK];
  int64_t strides[KERNIX_MAX_RANK]; /* in elements of T */
  int32_t ndim;
  int32_t reserved;
} kernix_tensor_view;

/* Behind the two views of a kernix::DiffTensorView, in a build with KERNIX_CHECK_ACCUMULATION. */
typedef struct kernix_view_check {
  uint64_t launch;  /* another one for each call */
  uint64_t name[7]; /* the parameter's as text, cut off where there is no room */
} kernix_view_check;

/* Behind these in views that have scratch memory in backward kernels. */
typedef struct kernix_view_scratch {
  void *data;      /* NULL outside of calls of f_bwd, and where none is wanted */
  int64_t threads; /* of the launch */
} kernix_view_scratch;

/* What the class of such a view, an input of f, does around a launch of f_bwd. */
typedef struct kernix_view_hooks {
  /* Bytes of scratch memory for a launch of so many threads; the first *zeroed of them have to be zero. NULL: the
   * object has no kernix_view_scratch. */
  size_t (*scratch_size)(const void *view, int64_t threads, size_t *zeroed);
  /* Called when the kernel has been enqueued on the stream. NULL: nothing to do. */
  void (*after)(const void *view, void *stream);
} kernix_view_hooks;

/* ---- 2. What the plugin writes into an object -------------------------------------------------------------------- */

/* Integer expressions of shape, value, grid, block and shared_bytes, in postfix form, checked by the plugin: 64-bit
 * signed, an overflow or a division by zero is an error of the call. `parameter` indexes the function's parameters. */
enum kernix_opcode {
  KERNIX_OP_CONSTANT = 0, /* push value */
  KERNIX_OP_SCALAR,       /* push integer parameter */
  KERNIX_OP_SIZE,  /* push size of axis `value` of tensor parameter (axes of elements: trailing vector axes excluded) */
  KERNIX_OP_RANK,  /* push rank of tensor parameter */
  KERNIX_OP_NUMEL, /* push number of elements of tensor parameter */
  KERNIX_OP_BLOCK, /* push block size, value 0: x, 1: y, 2: z */
  KERNIX_OP_NEGATE,
  KERNIX_OP_ADD,
  KERNIX_OP_SUBTRACT,
  KERNIX_OP_MULTIPLY,
  KERNIX_OP_DIVIDE, /* truncates as in C; ceil_div and % likewise */
  KERNIX_OP_REMAINDER,
  KERNIX_OP_CEIL_DIV,
  KERNIX_OP_MIN,
  KERNIX_OP_MAX
};
typedef struct kernix_instruction {
  int32_t opcode;
  int32_t parameter;
  int64_t value;
} kernix_instruction;
typedef struct kernix_expression {
  const kernix_instruction *code; /* NULL: absent */
  int32_t size;                   /* instructions; the stack never grows beyond this */
  const char *text;               /* as the user wrote it, for messages */
} kernix_expression;

/* Shape of a tensor: either that of another tensor parameter, or one expression per axis. */
typedef struct kernix_shape {
  int32_t declared; /* 0: no shape attribute; the rest is unset then */
  int32_t like;     /* parameter whose shape is copied, or -1 */
  int32_t ndim;     /* number of `axes` when like < 0 */
  const kernix_expression *axes;
} kernix_shape;

enum kernix_role { KERNIX_ARG = 0, KERNIX_RET = 1, KERNIX_ATTR = 2, KERNIX_STREAM = 3 };

enum kernix_intent {
  KERNIX_INTENT_DEFAULT = 0,
  KERNIX_INTENT_IN,
  KERNIX_INTENT_INOUT_PTR,
  KERNIX_INTENT_OUT_PTR,
  KERNIX_INTENT_OUT_RETURN,
  KERNIX_INTENT_OUT_ARRAY_RETURN
};

/* How a value reaches the function: what its C++ parameter is. */
enum kernix_passing {
  KERNIX_PASS_VOID = 0,    /* results only */
  KERNIX_PASS_POINTER,     /* T *, contiguous tensor */
  KERNIX_PASS_TENSOR_VIEW, /* kernix_tensor_view */
  KERNIX_PASS_TENSOR,      /* kernix_tensor */
  KERNIX_PASS_SCALAR,      /* arithmetic, enum, half, bfloat16, complex: `size` bytes of dtype */
  KERNIX_PASS_STRUCT,      /* trivially copyable struct: fields */
  KERNIX_PASS_C_STRING,    /* const char * */
  KERNIX_PASS_STRING_VIEW, /* {size_t, const char *} in libstdc++'s order, see the runtime */
  KERNIX_PASS_STREAM,      /* cudaStream_t or an int64_t of the same bits */
  KERNIX_PASS_REFERENCE,   /* T & or T && to a scalar or struct with an intent, T (&)[N] with out_array_return: the
                              object itself, `size` bytes; thunk argument: its address */
  KERNIX_PASS_ARRAY        /* T *, T[N] with out_array_return: storage of `size` bytes; thunk argument: address of a
                              pointer to it */
};

enum kernix_parameter_flags {
  KERNIX_OPTIONAL = 1u << 0,    /* None allowed and the default: null pointer or empty view */
  KERNIX_HAS_DEFAULT = 1u << 1, /* default_* below is set */
  KERNIX_ZERO_INIT = 1u << 2,   /* the body reads or atomically updates this output: allocate it zeroed */
  KERNIX_DIFF = 1u << 3,        /* f's derivatives have a shadow of it */
  KERNIX_NO_DIFF = 1u << 4,     /* marked no_diff */
  KERNIX_WRITTEN = 1u << 5,     /* the function writes through it (ret, inout, out): must not be read-only */
  /* Of parameters of derivatives only; see "Derivatives" below. */
  KERNIX_GRADIENT = 1u << 6,       /* shadow in f_bwd: f_bwd adds to it */
  KERNIX_COTANGENT = 1u << 7,      /* shadow in f_bwd: gradient of an output's final value, read */
  KERNIX_TANGENT = 1u << 8,        /* shadow in f_fwd */
  KERNIX_PRIMAL_OUTPUT = 1u << 9,  /* in f_bwd: the value of an output of f */
  KERNIX_HOST_MEMORY = 1u << 10,   /* a pointer of a host function to a value of the caller's: never device memory */
  KERNIX_LAUNCH_OUTPUT = 1u << 11, /* in derivatives: an output of f itself; default launches are sized after it */
  /* Of views that carry their gradients (kernix::DiffTensorView). */
  KERNIX_DIFF_VIEW = 1u << 12,       /* the object, of `size` bytes, begins with two kernix_tensor_view, the second its
                                        shadow's; a kernix_view_check follows if there is room, and in views with
                                        `scratch_size` a kernix_view_scratch at the end of these */
  KERNIX_CARRIED = 1u << 13,         /* a shadow that lies in the object of `shadow_of`: no argument of its own */
  KERNIX_NEVER_NULL = 1u << 14,      /* gradient: scratch memory where it is not wanted; output of f: it has one */
  KERNIX_UNKNOWN_DEFAULT = 1u << 15, /* its default argument is not a constant, therefore callers give a value */
  KERNIX_ONLY_TESTED = 1u << 16      /* in the f_bwd of an f_bwd: a gradient, which is compared with null and no more */
};

/* What f does with a parameter, as its derivatives see it. */
enum kernix_access {
  KERNIX_ACCESS_NONE = 0, /* integers, strings, streams, no_diff */
  KERNIX_ACCESS_IN,       /* read */
  KERNIX_ACCESS_OUT,      /* written; its value from before the call does not matter */
  KERNIX_ACCESS_INOUT     /* read and written: its value from before the call matters */
};

/* Derivatives. f with [[kernix::differentiable]] has f_fwd and f_bwd, functions and operations of their own. Their
 * parameters are those of f, in order, each one that has KERNIX_DIFF followed by its shadow; of device and host
 * functions also others may be followed by one, which then has no flag and may be left out. A result that is
 * differentiable has its cotangent as the last parameter of f_bwd; f_fwd returns a struct of value and tangent.
 *
 * In f_bwd, by the access of the parameter in f:
 *
 * - in: the value is read, unless kernix_read_values says otherwise: then it may be None, and sizes come from the
 *   shadow. The shadow, GRADIENT, is added to; not given: allocated zeroed; None: not wanted, null unless NEVER_NULL.
 * - out: the value, PRIMAL_OUTPUT, is never written; None is allowed, and sizes then come from the shadow. The shadow,
 *   COTANGENT, is read. Where f is an f_bwd itself and the value a gradient, both may be None: it was not wanted.
 *   A value without a shadow may be None, too: with NEVER_NULL f has one nevertheless, whose sizes are those that it
 *   declares; otherwise f is taken to have had none.
 * - inout: the value, PRIMAL_OUTPUT, is that from before the call, and read. The shadow, COTANGENT | GRADIENT, enters
 * as the cotangent of the final value and leaves as the gradient of the initial one.
 *
 * A scalar's shadow is a tensor of one element, a struct's a tensor of one element with the struct's layout; `fields`
 * of that shadow are its floating-point leaves (dtype uint8 and element_shape {size} where the struct mixes types).
 *
 * In f_fwd a shadow, TANGENT, has the type of its value: read for in (not given: zeros), written for out, both for
 * inout; a scalar's tangent is a scalar, a struct's a struct. Allocated gradients and tangents of outputs are returned.
 */
enum kernix_derivative { KERNIX_NO_DERIVATIVE = 0, KERNIX_FORWARD_DERIVATIVE = 1, KERNIX_BACKWARD_DERIVATIVE = 2 };

/* Beside each derivative of a kernel, in device memory: what only the device pass knows. Written by the plugin's LLVM
 * half, except `record_hash`. The runtime reads it once per device before the first launch. */
typedef struct kernix_launch_facts {
  uint64_t record_hash; /* that of the derivative's kernix_function: both passes saw the same code */
  /* Thread and block ids that all stores of f depend on: bits 0-2 threadIdx.xyz, 3-5 blockIdx.xyz. A launch whose
   * extent is above one along another id would count gradients several times and is refused. */
  uint32_t store_ids;
  /* Ids by which proofs of distinct addresses tell threads apart. The kernel itself tests what they assume of the
   * launch, and adds by atomic operations where it does not hold. */
  uint32_t proof_ids;
  uint32_t dynamic_shared_factor; /* dynamic shared memory that the derivative needs, in multiples of f's */
  /* Bit k: f_bwd reads nothing of what the tensor that is f's parameter k points to, so that its value need neither be
   * kept nor given. Parameters from 32 on are taken to be read. */
  uint32_t unread_values;
  /* Bit k: the gradient of f's parameter k is added to without atomic operations, unless its pointer is odd: one is
   * added to the pointers of gradients that overlap each other. */
  uint32_t plain_gradients;
  /* Bit k: so many numbers may be added to an element of the gradient of f's parameter k that 16 bits are not enough
   * for their sum. If its pointer is odd, one less is a float for its first element, and the others lie twice as far
   * from there as their elements lie from the first. Not set where the gradient has more than 16 bits. */
  uint32_t float_gradients;
  /* Whether threads decide no order in which gradients are summed: 0, or KERNIX_FIXED_ORDER with a bit for each of f's
   * parameters whose value must be usual for that. It says nothing of unordered_gradients. */
  uint32_t fixed_order;
  /* Bit k: threads decide the order in which the gradient of f's parameter k is summed, where it is asked for. */
  uint32_t unordered_gradients;
  /* Bit k: the gradient of f's parameter k may be given as the `replicas` or `notes` of its kernix_parameter say. */
  uint32_t scratch_gradients;
  /* Five bits for each id of store_ids, the lowest ones for threadIdx.x: where they are b > 0, no store of f depends on
   * more than the lowest b bits of the id, and an extent above 2^b would count gradients several times. */
  uint32_t store_bits;
} kernix_launch_facts;

/* kernix_launch_facts::fixed_order. A launch is usual if its extents are 1 along ids that are not in proof_ids, and its
 * threads fewer than KERNIX_USUAL_LIMIT; an integer, if it is from 0 to below that; a view, if its sizes are and its
 * strides, and those of its gradient, are positive and below it. */
#define KERNIX_FIXED_ORDER (1u << 30)
#define KERNIX_FIXED_ORDER_ALWAYS (1u << 31) /* the kernel itself fails where it would be another */
#define KERNIX_USUAL_LIMIT (INT64_C(1) << 30)

/* One scalar inside a struct; nested structs are flattened to leaves with a dotted name. */
typedef struct kernix_field {
  const char *name; /* "position.x" */
  kernix_dtype dtype;
  int32_t offset;   /* bytes from the start of the struct */
  int32_t count;    /* > 1: a fixed-size array */
  const char *type; /* C++ spelling */
} kernix_field;

/* A GPU's second-level cache adds to so many bytes at a time: copies of an element that have one in common would wait
 * for each other. */
#define KERNIX_SECTOR_BYTES 32

typedef struct kernix_parameter {
  const char *name;
  const char *type; /* canonical C++ spelling */
  int32_t role;
  int32_t intent;
  int32_t passing;
  uint32_t flags;
  kernix_dtype dtype;   /* element type of tensors, type of scalars; tensors with code KERNIX_NO_DTYPE take any */
  int32_t rank;         /* of tensors, -1: any; trailing element axes not counted */
  int32_t element_ndim; /* trailing axes that make up one element: 0 plain, 1 vector type or struct ... */
  int64_t element_shape[2];
  int32_t element_alignment; /* bytes that a pointer to an element must be aligned to */
  int32_t size;              /* bytes of the C++ object that is passed */
  int32_t alignment;
  int32_t num_fields;
  const kernix_field *fields; /* KERNIX_PASS_STRUCT; references to and results of struct type */
  int32_t array_length;       /* out_array_return: elements */
  /* default argument: by dtype code, integers and bool in integer, floating point in real[0], complex in both. A struct
   * is its `size` bytes at default_string. A default_string of NULL is a null const char *. */
  int64_t default_integer;
  double default_real[2];
  const char *default_string;
  kernix_shape shape;       /* tensors */
  kernix_expression value;  /* computed scalars */
  int32_t access;           /* kernix_access: in f and its derivatives, what f does with it */
  int32_t shadow_of;        /* of shadows: the parameter of this function whose shadow it is; -1 (also: the result's) */
  int32_t shadow;           /* of values in derivatives: the parameter of this function that is its shadow, or -1 */
  int32_t primal_parameter; /* in derivatives: the parameter of f that this is, or is the shadow of; -1: the result */
  const kernix_view_hooks *view_hooks; /* of views that are inputs of f, in f_bwd; else NULL */
  /* Of gradients in an f_bwd that the plugin has written, where the source says diff(replicated, N) or
   * diff(scatter, N); else 0. f_bwd adds to the gradient itself where its pointer is even, and always where
   * kernix_launch_facts::scratch_gradients does not have it.
   *
   * replicas: if its pointer is odd, one less is where N copies of its first element begin. What lies in one sector of
   * the gradient has N copies side by side: where an element lies b bytes from the first one, twice as many where
   * floats stand for elements of 16 bits (kernix_launch_facts::float_gradients), its copy k is found at (floor(b /
   * KERNIX_SECTOR_BYTES) * N + k) * KERNIX_SECTOR_BYTES + b mod KERNIX_SECTOR_BYTES. f_bwd adds to any.
   *
   * notes: if its pointer is odd, one less is a kernix_notes. */
  int32_t replicas;
  int32_t notes;
} kernix_parameter;

/* What threads have noted instead of adding it. */
typedef struct kernix_note {
  void *element; /* to be added to; NULL: there is no note */
  union {
    float of_float;
    double of_double;
  } added; /* of the element's type */
} kernix_note;

/* Threads are numbered through the launch, blocks in the order x, y, z, threads in a block likewise. The notes of one
 * lie as many notes apart as there are threads. */
typedef struct kernix_notes {
  void *gradient; /* the first element */
  uint64_t reserved;
  kernix_note notes[1]; /* as many as there are threads, N times; none is set */
} kernix_notes;

enum kernix_function_kind { KERNIX_KERNEL = 0, KERNIX_HOST_FUNCTION = 1, KERNIX_DEVICE_FUNCTION = 2 };

enum kernix_function_flags {
  KERNIX_USES_ONLY_X = 1u << 0, /* kernel reads no y or z of threadIdx, blockIdx, ...: a default launch exists */
  KERNIX_DIFFERENTIABLE = 1u << 1,
  KERNIX_FOR_CUDA = 1u << 2, /* compiled for the CUDA target: takes CUDA tensors; unset: the CPU target */
  /* What the default launch of a kernel may be: */
  KERNIX_SINGLE_THREAD = 1u << 8,  /* nothing in it depends on the thread: it is launched with one */
  KERNIX_SHARED_OUTPUT = 1u << 9,  /* threads may share elements of the first output: no default grid */
  KERNIX_IGNORES_BLOCKS = 1u << 10 /* all its blocks do the same: no default grid of several */
};

typedef struct kernix_launch {
  kernix_expression grid[3];  /* code NULL: not given */
  kernix_expression block[3]; /* likewise */
  kernix_expression shared_bytes;
} kernix_launch;

typedef struct kernix_dim3 {
  uint32_t x, y, z;
} kernix_dim3;

/* CUDA runtime entry points of the object itself, so that a launch uses the runtime that registered the kernel. On the
 * CPU target they are kernix's own functions of the same meaning. Results are cudaError_t. */
typedef struct kernix_cuda_api {
  int (*launch_kernel)(const void *stub, kernix_dim3 grid, kernix_dim3 block, void **args, size_t shared_bytes,
                       void *stream);
  int (*get_device)(int *device);
  int (*set_device)(int device);
  int (*get_device_attribute)(int *value, int attribute, int device);
  int (*function_set_attribute)(const void *stub, int attribute, int value);
  int (*function_get_attributes)(void *cuda_func_attributes, const void *stub);
  int (*get_last_error)(void);
  int (*stream_synchronize)(void *stream);
  int (*occupancy)(int *blocks, const void *stub, int block_size, size_t shared_bytes);
  const char *(*error_string)(int error);
  int (*memset_async)(void *data, int value, size_t size, void *stream);
  /* From a device variable; waits for the device. */
  int (*read_symbol)(void *to, const void *symbol, size_t size);
  /* *status 0: not being captured into a graph. NULL: streams cannot be captured. */
  int (*stream_capture_status)(void *stream, int *status);
  int (*malloc_async)(void **data, size_t size, void *stream);
  int (*free_async)(void *data, void *stream);
} kernix_cuda_api;

/* Calls a host or device function: args[i] points at the C++ object of parameter i (for references: at the referenced
 * object), result at storage for the returned value (NULL for void). May throw. */
typedef void (*kernix_thunk)(void *const *args, void *result);

/* One bound function: a variant of an operation. All strings are UTF-8 and live as long as the object. */
typedef struct kernix_function {
  uint32_t abi_version;
  uint32_t struct_size;       /* sizeof(kernix_function) of the writer */
  const char *name;           /* public name: that of the operation */
  const char *qualified_name; /* ns::f<float> */
  const char *mangled_name;
  const char *signature; /* "f(const float *x, float *y, int n)", for messages */
  const char *doc;       /* doc comment, "" if none */
  const char *json;      /* the whole record, see docs/reflection.md */
  int32_t kind;
  uint32_t flags;
  int32_t num_parameters;
  const kernix_parameter *parameters;
  kernix_parameter result; /* passing KERNIX_PASS_VOID: none */
  const void *stub;        /* kernels: the handle for launch_kernel */
  kernix_thunk thunk;      /* host functions; device functions on the CPU target */
  const kernix_launch *launch;
  const kernix_cuda_api *cuda;
  uint64_t record_hash;
  const char *forward; /* public name of the derivative, NULL: none */
  const char *backward;
  const char *primal; /* of derivatives: public name of f; NULL for other functions */
  int32_t derivative; /* kernix_derivative: what this function is */
  const void *facts;  /* derivatives of kernels: handle of the device variable of kernix_launch_facts, or NULL */
} kernix_function;

enum kernix_target { KERNIX_TARGET_CPU = 0, KERNIX_TARGET_CUDA = 1 };

/* `kernix_module_info`: one per shared object, first thing to read. */
typedef struct kernix_module_info {
  uint32_t abi_version; /* KERNIX_ABI_VERSION of the compiler */
  uint32_t target;      /* kernix_target */
  const char *compiler;
  const kernix_function *const *functions_begin; /* bounds of the section kernix_functions */
  const kernix_function *const *functions_end;
} kernix_module_info;

/* One per public name; entry points pass its address. `resolved` belongs to the runtime. */
typedef struct kernix_operation_slot {
  const char *name;
  const kernix_module_info *module;
  const struct kernix_operation *resolved;
} kernix_operation_slot;

/* ---- 3. The runtime's functions ---------------------------------------------------------------------------------- */

/* All functions that return int return a kernix_status. On anything but KERNIX_OK a message waits in thread-local
 * storage; pointers to it stay valid until the thread's next failing call. */
enum kernix_status {
  KERNIX_OK = 0,
  KERNIX_ERROR_RUNTIME = 1, /* launch failures, exceptions of the called function, everything else */
  KERNIX_ERROR_TYPE = 2,    /* KernelError that is also a TypeError: wrong kind of object, wrong dtype */
  KERNIX_ERROR_VALUE = 3,   /* also a ValueError: wrong shape, device, range */
  KERNIX_ERROR_MEMORY = 4,
  KERNIX_ERROR_KEY = 5 /* no such operation */
};
KERNIX_API const char *kernix_last_error(void);
/* Sets the calling thread's message (printf-style) and returns `status`. */
KERNIX_API int kernix_set_error(int status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

KERNIX_API uint32_t kernix_runtime_abi_version(void);
KERNIX_API const char *kernix_runtime_version(void);

/* An operation: all functions of one module bound under one name. Owned by the runtime, lives as long as the process.
 */
typedef struct kernix_operation {
  const char *name;
  int32_t num_functions;
  const kernix_function *const *functions;
  const kernix_module_info *module;
} kernix_operation;

/* Groups the functions of a loaded object into operations and checks its ABI number. Idempotent. */
KERNIX_API int kernix_module_operations(const kernix_module_info *module, const kernix_operation *const **operations,
                                        int32_t *count);
/* The operation of a slot; NULL on error. */
KERNIX_API const kernix_operation *kernix_operation_resolve(kernix_operation_slot *slot);

/* One argument, as a caller has it, before conversion to the parameter's type. */
enum kernix_value_kind {
  KERNIX_VALUE_ABSENT = 0, /* not given: default, computed value, or allocated output */
  KERNIX_VALUE_NONE,       /* Python's None */
  KERNIX_VALUE_INT,
  KERNIX_VALUE_UINT,    /* above INT64_MAX only */
  KERNIX_VALUE_BIG_INT, /* an integer that fits neither; real[0] is the nearest double, or 0 if that is not known */
  KERNIX_VALUE_BOOL,
  KERNIX_VALUE_FLOAT,
  KERNIX_VALUE_COMPLEX,
  KERNIX_VALUE_STRING,
  KERNIX_VALUE_TENSOR,
  KERNIX_VALUE_FIELDS, /* struct: one value per leaf, in the order of kernix_parameter.fields (arrays: count in a row)
                        */
  KERNIX_VALUE_STREAM,
  KERNIX_VALUE_OTHER /* an object that is none of these; `type_name` says what */
};
enum kernix_value_flags { KERNIX_VALUE_READ_ONLY = 1u << 0 };
typedef struct kernix_value {
  int32_t kind;
  uint32_t flags;
  union {
    int64_t integer;
    uint64_t unsigned_integer;
    double real[2];
    struct {
      const char *data;
      size_t size;
    } string; /* `data[size]` is 0 */
    const kernix_dltensor *tensor;
    const struct kernix_value *fields;
    void *stream;
    const char *type_name;
  } as;
} kernix_value;

/* Allocates an output in the caller's framework. Fills *tensor (borrowed, kept alive by the caller until the call is
 * done) and returns 0, or sets an error and returns its status. Parameter -1: scratch memory, used on the call's
 * stream; the caller may leave tensor->data NULL, and kernix then has its own. */
typedef int (*kernix_allocate)(void *context, int32_t parameter, kernix_dtype dtype, int32_t ndim, const int64_t *shape,
                               int32_t device_type, int32_t device_id, int zeroed, kernix_dltensor *tensor);

typedef struct kernix_call_options {
  int32_t has_block, has_grid, has_shared_bytes, has_stream;
  int64_t block[3], grid[3]; /* as given, before checks; unset axes are 1 */
  int64_t shared_bytes;
  void *stream;             /* the caller's current stream; has_stream 0: the default stream */
  kernix_allocate allocate; /* NULL: outputs must be given */
  void *allocate_context;
} kernix_call_options;

/* What a call gives back, in the packing order of docs/calling.md: the function's own result, then outputs in parameter
 * order. Storage for scalars, structs and arrays is inside `storage` (the caller's, kernix_result_storage bytes). */
typedef struct kernix_output {
  int32_t parameter; /* -1: the function's own result */
  const void *data;  /* scalars, structs, arrays; NULL for tensors: the one given or allocated for `parameter` */
} kernix_output;

/* Chooses the variant by the dtypes of the given arguments. `values` has one entry per parameter position in the order
 * of the C++ parameters; all variants of an operation have the same number and names of parameters. */
KERNIX_API int kernix_select(const kernix_operation *operation, const kernix_value *values, int32_t num_values,
                             const kernix_function **function);

/* Shape of an output (a tensor with a shape attribute) without a call. Parameter -1: only checks the arguments. */
KERNIX_API int kernix_output_shape(const kernix_function *function, const kernix_value *values, int32_t num_values,
                                   int32_t parameter, int64_t shape[KERNIX_MAX_RANK], int32_t *ndim);

/* Bytes of `storage` that kernix_call needs for `function`. */
KERNIX_API size_t kernix_result_storage(const kernix_function *function);

/* Checks everything, allocates missing outputs, computes missing values, launches or calls. Nothing is written when a
 * check fails. `outputs` has room for num_parameters + 1 entries. */
KERNIX_API int kernix_call(const kernix_function *function, const kernix_value *values, int32_t num_values,
                           const kernix_call_options *options, void *storage, kernix_output *outputs,
                           int32_t *num_outputs);

/* kernix_call for who wants the same bits in each run. A backward derivative in which threads decide the order of a
 * sum, in this launch, is an error, and nothing is written. Of functions that are not derivatives nothing is known
 * here. */
KERNIX_API int kernix_call_in_fixed_order(const kernix_function *function, const kernix_value *values,
                                          int32_t num_values, const kernix_call_options *options, void *storage,
                                          kernix_output *outputs, int32_t *num_outputs);

/* Of a derivative: for each of its parameters whether the value of a tensor is read (1) or may be left away; 1 for all
 * others and where it is not known. `device` is that of the call's tensors, -1: the current one; no other is asked.
 * An error while `stream`, of that device, is captured into a graph, unless asked before. */
KERNIX_API int kernix_read_values(const kernix_function *function, int32_t device, void *stream, uint8_t *is_read);

/* Resources of a kernel on the current device. On the CPU target registers is 0. */
typedef struct kernix_resources {
  int32_t registers;    /* a thread */
  int64_t shared_bytes; /* static, a block */
  int64_t constant_bytes;
  int64_t local_bytes; /* a thread */
  int32_t max_threads_per_block;
  int32_t occupancy_blocks; /* resident blocks of `block_size` threads a multiprocessor */
  double occupancy;         /* 0..1 */
  int32_t fibers;           /* CPU target: 1 if its threads run as fibers */
} kernix_resources;
KERNIX_API int kernix_kernel_resources(const kernix_function *function, int32_t block_size, size_t shared_bytes,
                                       kernix_resources *resources);

/* ---- tvm-ffi: packed calls, C ABI of tvm-ffi only (layouts checked in the runtime) ---- */
struct TVMFFIAny;
KERNIX_API int kernix_tvm_ffi_call(kernix_operation_slot *slot, const struct TVMFFIAny *args, int32_t num_args,
                                   struct TVMFFIAny *result);
KERNIX_API int kernix_tvm_ffi_metadata(kernix_operation_slot *slot, struct TVMFFIAny *result);
KERNIX_API int kernix_tvm_ffi_doc(kernix_operation_slot *slot, struct TVMFFIAny *result);

#ifdef __cplusplus
}
#endif
#endif /* KERNIX_ABI_H */
