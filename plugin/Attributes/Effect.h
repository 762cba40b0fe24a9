//===- Effect.h - checks that several attributes share ------------------------------------------------------------===//
//
// What finished declarations show: whether an attribute has an effect, stands on a kernel, contradicts another one.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_EFFECT_H
#define KERNIX_ATTRIBUTES_EFFECT_H

#include "Attributes/Attribute.h"

namespace kernix {

/// Warns that the attribute changes nothing because the function "is not ...".
void warnNoEffect(clang::Sema &S, const FinishedSubject &Subject, const AttributeBase &Own, llvm::StringRef Name,
                  llvm::StringRef Reason);
void warnUnlessBound(clang::Sema &S, const FinishedSubject &Subject, const AttributeBase &Own, llvm::StringRef Name);

/// The function must be a kernel; false after an error.
bool checkKernel(clang::Sema &S, const FinishedSubject &Subject, const AttributeBase &Own, llvm::StringRef Name);

/// The parameter may be a tensor, as far as its type alone says; false after an error.
bool checkTensor(clang::Sema &S, const FinishedSubject &Subject, const AttributeBase &Own, llvm::StringRef Name);

/// Reports a contradiction.
void refuseBoth(clang::Sema &S, const AttributeBase &Own, llvm::StringRef Name, const AttributeBase &Other,
                llvm::StringRef OtherName);

} // namespace kernix

#endif
