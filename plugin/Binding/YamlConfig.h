//===- YamlConfig.h - -fplugin-arg-kernix-config=bind.yaml --------------------------------------------------------===//
//
// Attributes given from outside to a source that cannot be edited. They go into the AttributeStore as if they stood in
// the source, and win over those that do.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_YAMLCONFIG_H
#define KERNIX_BINDING_YAMLCONFIG_H

#include "llvm/ADT/StringRef.h"

namespace clang {
class Sema;
} // namespace clang

namespace kernix {

class AttributeStore;

/// To be called at the end of the translation unit, before checkAttributes. False after an error was reported.
bool readYamlConfig(clang::Sema &S, AttributeStore &Store, llvm::StringRef Path);

} // namespace kernix

#endif
