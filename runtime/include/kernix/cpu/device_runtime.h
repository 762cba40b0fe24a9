/* kernix/cpu/device_runtime.h - what device code on the CPU target may ask of the runtime.
 *
 * Building blocks, in C, that CUDA's spelling (threadIdx, __syncthreads, __shfl_down_sync, cooperative groups ...) is
 * written on; users do not include it. The plugin knows these functions by name: geometry becomes loop counters or
 * thread-local loads, and a kernel that can reach a function of part 2 runs its threads as fibers. A lane is a thread's
 * place in its warp of 32, threads counted x first, then y, then z.
 */
#ifndef KERNIX_CPU_DEVICE_RUNTIME_H
#define KERNIX_CPU_DEVICE_RUNTIME_H

#ifndef KERNIX_CPU_DEVICE
#define KERNIX_CPU_DEVICE __attribute__((device))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. Geometry: constant for a thread, so that the compiler may merge and move the calls --------------------------
 */

#define KERNIX_CPU_GEOMETRY KERNIX_CPU_DEVICE __attribute__((const, nothrow))
KERNIX_CPU_GEOMETRY unsigned kernix_cpu_thread_idx_x(void);
KERNIX_CPU_GEOMETRY unsigned kernix_cpu_thread_idx_y(void);
KERNIX_CPU_GEOMETRY unsigned kernix_cpu_thread_idx_z(void);
KERNIX_CPU_GEOMETRY unsigned kernix_cpu_block_idx_x(void);
KERNIX_CPU_GEOMETRY unsigned kernix_cpu_block_idx_y(void);
KERNIX_CPU_GEOMETRY unsigned kernix_cpu_block_idx_z(void);
KERNIX_CPU_GEOMETRY unsigned kernix_cpu_block_dim_x(void);
KERNIX_CPU_GEOMETRY unsigned kernix_cpu_block_dim_y(void);
KERNIX_CPU_GEOMETRY unsigned kernix_cpu_block_dim_z(void);
KERNIX_CPU_GEOMETRY unsigned kernix_cpu_grid_dim_x(void);
KERNIX_CPU_GEOMETRY unsigned kernix_cpu_grid_dim_y(void);
KERNIX_CPU_GEOMETRY unsigned kernix_cpu_grid_dim_z(void);
/* Bytes of dynamic shared memory of the launch. */
KERNIX_CPU_GEOMETRY unsigned kernix_cpu_dynamic_shared_size(void);
#undef KERNIX_CPU_GEOMETRY

/* ---- 2. Waiting for other threads (these make a kernel run as fibers) -----------------------------------------------
 */

/* __syncthreads(): waits for every thread of the block that has not returned. */
KERNIX_CPU_DEVICE void kernix_cpu_barrier(void);

/* __syncthreads_count, _and, _or. `predicate` counts as true when it is not 0. */
enum { KERNIX_CPU_REDUCE_COUNT = 0, KERNIX_CPU_REDUCE_AND = 1, KERNIX_CPU_REDUCE_OR = 2 };
KERNIX_CPU_DEVICE int kernix_cpu_barrier_reduce(int op, int predicate);

/* The warp functions wait for every lane in `mask` that has not returned. Lanes that have returned take no part,
 * whatever the mask says. The caller's own lane must be in the mask: otherwise the launch ends with an error. */
KERNIX_CPU_DEVICE void kernix_cpu_warp_sync(unsigned mask);

/* The `value` of lane `source_lane` (0..31); the caller's own value if that lane takes no part. */
KERNIX_CPU_DEVICE __UINT64_TYPE__ kernix_cpu_warp_shuffle(unsigned mask, __UINT64_TYPE__ value, int source_lane);

/* Bit per lane whose predicate is not 0. */
KERNIX_CPU_DEVICE unsigned kernix_cpu_warp_ballot(unsigned mask, int predicate);

/* Bit per lane whose value equals the caller's. */
KERNIX_CPU_DEVICE unsigned kernix_cpu_warp_match(unsigned mask, __UINT64_TYPE__ value);

/* The lanes that run together with the caller: those that wait here once every other lane of the warp waits
 * elsewhere or has returned. */
KERNIX_CPU_DEVICE unsigned kernix_cpu_active_mask(void);

/* ---- 3. Everything else
 * ---------------------------------------------------------------------------------------------- */

/* End the launch with cudaErrorAssert or cudaErrorLaunchFailure; the message is kept. They do not return. */
KERNIX_CPU_DEVICE void kernix_cpu_assert_fail(const char *expression, const char *file, unsigned line,
                                              const char *function) __attribute__((noreturn));
KERNIX_CPU_DEVICE void kernix_cpu_trap(void) __attribute__((noreturn));
/* Called by the plugin in place of `called`, which would throw or end the process. */
KERNIX_CPU_DEVICE void kernix_cpu_end(const char *called) __attribute__((noreturn));

/* Called by the plugin before a function that the host calls: it is the only thread of a launch. */
KERNIX_CPU_DEVICE void kernix_cpu_run_alone(unsigned shared_bytes);

/* Another one for each launch of the process; never 0. */
KERNIX_CPU_DEVICE __UINT64_TYPE__ kernix_cpu_launch_number(void);

/* The time stamp counter; its rate is cudaDevAttrClockRate, about. */
KERNIX_CPU_DEVICE long long kernix_cpu_clock64(void);
KERNIX_CPU_DEVICE void kernix_cpu_nanosleep(unsigned nanoseconds);

#ifdef __cplusplus
}
#endif
#endif /* KERNIX_CPU_DEVICE_RUNTIME_H */
