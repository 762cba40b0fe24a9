//===- GradientAddition.h - how additions to gradients are known ------------------------------------------------===//

#ifndef KERNIX_PLUGIN_GRADIENTADDITION_H
#define KERNIX_PLUGIN_GRADIENTADDITION_H

namespace kernix {

/// Metadata of atomic additions that derivatives make to gradients and tangents. They are atomic for the threads of
/// kernels alone: no other code shares a gradient with a running kernel.
inline constexpr char GradientAddition[] = "kernix.gradient";

} // namespace kernix

#endif // KERNIX_PLUGIN_GRADIENTADDITION_H
