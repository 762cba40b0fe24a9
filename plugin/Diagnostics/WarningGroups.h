//===- WarningGroups.h - -Wkernix-... -----------------------------------------------------------------------------===//
//
// The warning groups of the plugin and what the user asked for them: -Wkernix-x, -Wno-kernix-x, -Werror=kernix-x,
// -Wno-error=kernix-x, -Werror, -w, `#pragma clang diagnostic`. Clang processes -W options before it loads plugins and
// calls these unknown
// ([-Wunknown-warning-option]); the same words as plugin arguments, -fplugin-arg-kernix-Wno-kernix-x, are always quiet.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DIAGNOSTICS_WARNINGGROUPS_H
#define KERNIX_DIAGNOSTICS_WARNINGGROUPS_H

#include "clang/Basic/DiagnosticIDs.h"

namespace clang {
class CompilerInstance;
class DiagnosticsEngine;
} // namespace clang

namespace kernix {

enum class WarningGroup {
  ConstTensor,  ///< a tensor that is const here and written there
  LostUpdate,   ///< a write that no caller will see
  ArgSpec,      ///< an explicit arg_spec that disagrees with the signature
  NoEffect,     ///< an attribute that changes nothing
  LostGradient, ///< a gradient that is dropped
};

/// "kernix-const-tensor"
llvm::StringRef name(WarningGroup Group);

/// Takes over what the command line says about the groups and listens for pragmas. Before anything is parsed.
void beginWarningGroups(clang::CompilerInstance &CI);

/// One plugin argument that begins with W: "Wkernix-x", "Wno-kernix-x", "Werror=kernix-x", "Wno-error=kernix-x". An
/// error where it is none of these.
void applyWarningArgument(clang::DiagnosticsEngine &Engine, llvm::StringRef Argument);

/// Ignored, Warning, Error or Fatal.
clang::DiagnosticIDs::Level warningLevel(clang::DiagnosticsEngine &Engine, WarningGroup Group,
                                         clang::SourceLocation Location);

} // namespace kernix

#endif
