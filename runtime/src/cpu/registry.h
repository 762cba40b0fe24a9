// cpu/registry.h - the kernels and device variables of the loaded objects, by their handles in host code.
#pragma once

#include "cpu/thread_choice.h"
#include "kernix/cpu/object.h"
#include <atomic>

namespace kernix::cpu {

/// What is known of one kernel handle.
struct KernelRecord {
  const kernix_cpu_kernel_entry *entry;
  std::atomic<int> max_dynamic_shared; // -1: not set by cudaFuncSetAttribute
  ThreadChoice choice;
};

/// The record of a stub; nullptr if no loaded object has it. Valid until the object is unloaded.
KernelRecord *find_kernel(const void *stub);

/// The variable that `shadow` stands for in host code; nullptr if there is none.
const kernix_cpu_variable *find_variable(const void *shadow);

} // namespace kernix::cpu
