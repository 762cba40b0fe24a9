//===- DerivativeRequest.h - asking the LLVM half for one derivative -----------------------------------*- C++ -*-===//
//
// Makes the two internal functions by which the halves meet (HandOver.h): one that calls the primal and one whose body
// the LLVM half writes. All their parameters are pointers, because how a struct is passed by value differs with its
// place and target.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_DERIVATIVEREQUEST_H
#define KERNIX_SYNTHESIS_DERIVATIVEREQUEST_H

#include "Attributes/AttributeStore.h"
#include "Synthesis/AstBuilder.h"
#include "Synthesis/DerivativeSignature.h"

namespace kernix {

/// Asks for the derivative of F in this pass. The function returned takes, for each parameter of F, the address of the
/// value and that of the shadow (null where it has none), then those of the result. Null after an error.
clang::FunctionDecl *requestDerivative(AstBuilder &B, AttributeStore &Store, const BoundFunction &F,
                                       kernix_derivative Mode, clang::VarDecl *Facts);

/// `[*result =] f(*p1, ..., *pn)` as an internal function of pointers alone; the object of a member function is the
/// first parameter of its record. Null after an error.
clang::FunctionDecl *primalByAddress(AstBuilder &B, const BoundFunction &F);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_DERIVATIVEREQUEST_H
