/* kernix/cpu/object.h - what objects compiled for the CPU target and the runtime share. Users do not include it.
 *
 * The plugin's CPU passes write these structures (plugin/CpuTarget/ObjectLayout.h repeats them in LLVM's types) and
 * the runtime reads them. A unit is one source file: its device object holds bodies and variables, its host object the
 * table that ties CUDA's handles (stubs, shadow variables) to them. KERNIX_CPU_OBJECT_VERSION changes with any of it.
 */
#ifndef KERNIX_CPU_OBJECT_H
#define KERNIX_CPU_OBJECT_H

#include <stdint.h>

#define KERNIX_CPU_OBJECT_VERSION 2

#ifdef __cplusplus
extern "C" {
#endif

/* Where the running CUDA thread stands. One per host thread; kernels reach it by thread-local storage. */
typedef struct kernix_cpu_state {
  uint32_t thread_idx[3];
  uint32_t block_idx[3];
  uint32_t block_dim[3];
  uint32_t grid_dim[3];
  uint32_t dynamic_shared_size;
  uint32_t reserved;
  char *shared;         /* the block's arena: the unit's static __shared__ variables at fixed offsets */
  char *dynamic_shared; /* extern __shared__ */
  char *frame;          /* what the threads of the block keep from one phase to the next, see kernix_cpu_kernel */
} kernix_cpu_state;

/* Initial-exec by attribute: kernels read it in loops, and the runtime's share of static TLS is small. */
extern __thread
    __attribute__((tls_model("initial-exec"), visibility("default"))) kernix_cpu_state kernix_cpu_current_state;

/* A kernel's body. `params[j]` points at the value of the compiled function's j-th parameter. Exactly one of run_blocks
 * and run_thread is set. */
typedef struct kernix_cpu_kernel {
  uint32_t version;
  uint32_t num_params;
  const char *name;             /* mangled */
  uint32_t static_shared_bytes; /* of the __shared__ variables that the kernel can reach */
  uint32_t unit_shared_bytes;   /* of all of the unit: what the arena must hold */
  uint32_t frame_bytes;         /* of each thread; state->frame holds that for the block's threads, rounded up to 64 */
  uint32_t side_by_side; /* 1: the work of a block does not depend on it, and neighbours are best run by one thread */
  uint32_t has_atomics;  /* 1: it may have atomic operations on memory that other launches reach */
  uint32_t reserved;
  /* Runs the blocks first .. last-1 of the grid, counted x first, each as loops over its threads. */
  void (*run_blocks)(void *const *params, kernix_cpu_state *state, uint64_t first, uint64_t last);
  /* NULL, or the same with plain additions to gradients: for when no other host thread runs a kernel that has atomics.
   */
  void (*run_blocks_alone)(void *const *params, kernix_cpu_state *state, uint64_t first, uint64_t last);
  /* Runs one thread, which may wait for others: the caller provides a fiber and keeps the state. */
  void (*run_thread)(void *const *params);
} kernix_cpu_kernel;

/* Frames: slot after slot, each an array over the threads. These come first, at so many bytes times the number of
 * threads (rounded up to 64). */
enum kernix_cpu_frame_slot {
  KERNIX_CPU_FRAME_RESULT = 0,  /* uint64_t: the answer to what a thread has asked for */
  KERNIX_CPU_FRAME_VALUE = 8,   /* uint64_t: value or predicate that it brings */
  KERNIX_CPU_FRAME_NEXT = 16,   /* uint32_t: the cut that it is at; KERNIX_CPU_RETURNED */
  KERNIX_CPU_FRAME_READY = 20,  /* uint32_t: 1 if it may go on */
  KERNIX_CPU_FRAME_MASK = 24,   /* uint32_t: warp functions */
  KERNIX_CPU_FRAME_SOURCE = 28, /* int32_t: source lane of a shuffle, operation of a barrier's reduction */
  KERNIX_CPU_FRAME_OWN = 32
};
#define KERNIX_CPU_RETURNED 0x7fffffffu

/* What a thread waits for at a cut. */
enum kernix_cpu_wait {
  KERNIX_CPU_WAIT_NOTHING = 0,
  KERNIX_CPU_WAIT_BARRIER,
  KERNIX_CPU_WAIT_BARRIER_REDUCE,
  KERNIX_CPU_WAIT_WARP_SYNC,
  KERNIX_CPU_WAIT_WARP_SHUFFLE,
  KERNIX_CPU_WAIT_WARP_BALLOT,
  KERNIX_CPU_WAIT_WARP_MATCH
};

/* Decides who of the block's threads may go on, and answers them; `waits[cut]` is a kernix_cpu_wait. Returns 0 if all
 * have returned; -1 - n if those that have not are the first n, all may go on, and all stand at one cut; otherwise how
 * many may go on. Does not return from a deadlock. */
__attribute__((visibility("default"))) int kernix_cpu_resolve_waits(char *frame, uint32_t threads,
                                                                    const uint8_t *waits);

/* Where a parameter lies in what cudaLaunchKernel gets: `offset` bytes into the object that args[arg] points at, or,
 * for KERNIX_CPU_PARAM_ADDRESS, the pointer args[arg] itself is the parameter. */
#define KERNIX_CPU_PARAM_ADDRESS 0xffffffffu
typedef struct kernix_cpu_param {
  uint32_t arg;
  uint32_t offset;
} kernix_cpu_param;

typedef struct kernix_cpu_kernel_entry {
  const void *stub;
  const kernix_cpu_kernel *kernel; /* NULL: the device pass has no such kernel */
  const char *name;
  uint64_t num_params;
  const kernix_cpu_param *params;
} kernix_cpu_kernel_entry;

typedef struct kernix_cpu_variable {
  void *address;
  uint64_t size;
  uint64_t writable; /* 0: a const variable, which lies in read-only memory */
} kernix_cpu_variable;

typedef struct kernix_cpu_variable_entry {
  const void *shadow;
  const kernix_cpu_variable *variable; /* NULL: the device pass has no such variable */
  const char *name;
} kernix_cpu_variable_entry;

typedef struct kernix_cpu_unit {
  uint64_t version;
  uint64_t num_kernels;
  const kernix_cpu_kernel_entry *kernels;
  uint64_t num_variables;
  const kernix_cpu_variable_entry *variables;
} kernix_cpu_unit;

/* Called when an object is loaded and unloaded. */
__attribute__((visibility("default"))) void kernix_cpu_register_unit(const kernix_cpu_unit *unit);
__attribute__((visibility("default"))) void kernix_cpu_unregister_unit(const kernix_cpu_unit *unit);

/* Calls function(argument), which runs device code outside of a launch, as thread 0 of a grid of one block of one
 * thread. Returns a cudaError_t: an assertion or a trap ends the call, not the process. */
__attribute__((visibility("default"))) int kernix_cpu_call(void (*function)(void *argument), void *argument,
                                                           const char *name);

#ifdef __cplusplus
}
#endif
#endif /* KERNIX_CPU_OBJECT_H */
