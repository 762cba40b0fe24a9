//===- HandOver.h - what passes between the halves of the plugin
//-----------------------------------------------------===//
//
// kernix.so exports these functions for kernix-front.so, and both know the annotations by which the front half asks the
// LLVM half for work. No Clang type appears here.
//
//===----------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_HANDOVER_H
#define KERNIX_PLUGIN_HANDOVER_H

namespace llvm {
class PassBuilder;
}

namespace kernix {

/// `annotate("kernix.differentiate", &f, "file", line, column)` on a function that stands for the derivatives of f. The
/// pointer is the only link to f: nothing is found by name.
inline constexpr char DifferentiateAnnotation[] = "kernix.differentiate";

} // namespace kernix

/// Puts the passes of the CPU target into the pipelines that Builder makes, at every optimisation level. Unit names the
/// source file: equal in its host and its device pass, different from every other file that it may be linked with.
/// Empty: a hash of the file's name.
extern "C" __attribute__((visibility("default"))) void kernixAddCpuPasses(llvm::PassBuilder &Builder, bool IsDevice,
                                                                          const char *Unit);

/// Puts `kernix-derive` at the start of the pipelines that Builder makes. Libdevice: path of the bitcode of CUDA's math
/// library that this compilation links, or "".
extern "C" __attribute__((visibility("default"))) void kernixAddDerivativePasses(llvm::PassBuilder &Builder,
                                                                                 const char *Libdevice);

#endif // KERNIX_PLUGIN_HANDOVER_H
