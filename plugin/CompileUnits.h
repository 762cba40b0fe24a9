//===- CompileUnits.h - debug information that can be verified ----------------------------------------*- C++ -*-===//

#ifndef KERNIX_PLUGIN_COMPILEUNITS_H
#define KERNIX_PLUGIN_COMPILEUNITS_H

namespace llvm {
class Module;
}

namespace kernix {

/// Gives a name to the files of compile units that have none, as -fdebug-prefix-map can take it. To the verifier each
/// function of such a unit is broken. Places in it keep their files.
void nameCompileUnits(llvm::Module &M);

} // namespace kernix

#endif // KERNIX_PLUGIN_COMPILEUNITS_H
