//===- Annotations.h - what the front half writes into a module ---------------------------------------------------===//
//
// Reading and removing the annotations of HandOver.h. What they mean is known by Requests.cpp and CustomRules.cpp.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ANNOTATIONS_H
#define KERNIX_DERIVATIVE_ANNOTATIONS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/JSON.h"
#include <optional>

namespace kernix {

/// The functions and variables that carry `annotate(Text, arguments...)`, with the arguments; null for none.
void forEachAnnotation(llvm::Module &M, llvm::StringRef Text,
                       llvm::function_ref<void(llvm::GlobalObject &, const llvm::ConstantStruct *)> Visit);
/// Those whose text starts with this, with what follows it.
void forEachAnnotationWith(llvm::Module &M, llvm::StringRef Prefix,
                           llvm::function_ref<void(llvm::GlobalObject &, llvm::StringRef)> Visit);

/// Takes the annotations of local variables and parameters out of the module that start with Text, and visits their
/// addresses with what follows it and the place in the source, or null.
void forEachVariableAnnotation(
    llvm::Module &M, llvm::StringRef Text,
    llvm::function_ref<void(llvm::Value &, llvm::StringRef, const llvm::DILocation *)> Visit);

/// Removes all annotations of the functions for which `IsGone` holds, and their names from the lists of what is used.
void removeAnnotations(llvm::Module &M, llvm::function_ref<bool(llvm::Constant *)> IsGone);
/// Removes all annotations whose text starts with this.
void removeAnnotations(llvm::Module &M, llvm::StringRef Text);
/// Removes the constants that held F as an argument of an annotation.
void removeArgumentsOfAnnotations(llvm::Function &F);

/// The JSON object of an annotation whose "parameters" Read takes one by one; none where Text is no such object.
std::optional<llvm::json::Object> parseDescription(llvm::StringRef Text,
                                                   llvm::function_ref<bool(const llvm::json::Object &)> Read);

llvm::StringRef constantString(const llvm::Value *V);
unsigned constantInteger(const llvm::Constant *C);
llvm::Function *constantFunction(const llvm::Constant *C);
/// A location in a file that has no debug information: a scope of its own around it.
llvm::DebugLoc makeLocation(llvm::Module &M, llvm::StringRef File, unsigned Line, unsigned Column);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ANNOTATIONS_H
