//===- HandOver.h - what passes between the halves of the plugin -----------------------------------------------------===//
//
// kernix.so exports these functions for kernix-front.so. No Clang type appears here.
//
//===----------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_HANDOVER_H
#define KERNIX_PLUGIN_HANDOVER_H

namespace llvm {
class PassBuilder;
}

/// Puts the passes of the CPU target into the pipelines that Builder makes, at every optimisation level. Unit names the
/// source file: equal in its host and its device pass, different from every other file that it may be linked with.
/// Empty: a hash of the file's name.
extern "C" __attribute__((visibility("default"))) void kernixAddCpuPasses(llvm::PassBuilder &Builder, bool IsDevice,
                                                                          const char *Unit);

#endif
