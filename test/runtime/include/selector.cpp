// test/runtime/include/selector.cpp - kernix/kernel_selector.h compiles alone, with other compilers too.

#include "kernix/kernel_selector.h"

kernix::KernelDtype choose(kernix::KernelSelector selector) {
  selector.register_kernel_capability("blend", kernix::KernelCapability::create_float16());
  for (const auto &[device, each] : kernix::KernelRegistry::get_all_selectors())
    if (device == kernix::Device("cuda") && each.is_kernel_available("blend", kernix::KernelDtype::Mixed))
      selector = each;
  return selector.select_best_kernel("blend", {kernix::DType::Float16}, kernix::KernelDtype::BFloat16);
}
