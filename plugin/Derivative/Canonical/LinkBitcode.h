//===- LinkBitcode.h - linking single functions of a library into a module --------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CANONICAL_LINKBITCODE_H
#define KERNIX_DERIVATIVE_CANONICAL_LINKBITCODE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <memory>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace kernix {

/// The functions of M whose names start with Prefix, that are used and have no body.
llvm::SmallVector<llvm::StringRef> missingFunctions(const llvm::Module &M, llvm::StringRef Prefix);

/// A function with a body whose target attributes those that come in shall have; nullptr: there is none.
const llvm::Function *modelFunction(const llvm::Module &M);

/// Links what M lacks and Library has, as internal functions compiled for the same processor as the others of M.
/// Returns the functions that came in. False in Failed if the linker says so.
llvm::SmallVector<llvm::Function *> linkNeeded(llvm::Module &M, std::unique_ptr<llvm::Module> Library, bool &Failed);

/// Prints an error and returns false.
bool reportLinkError(llvm::Module &M, const llvm::Twine &Message);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CANONICAL_LINKBITCODE_H
