//===- ConstantViews.h - calls of members of views without a gradient -----------------------------------*- C++ -*-===//
//
// The members of kernix::DiffTensorView and of classes like it have rules, which add to a gradient that the object
// knows. A view that comes as a parameter marked `no_diff`, or that holds integers, has none.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_CUSTOMRULES_CONSTANTVIEWS_H
#define KERNIX_DERIVATIVE_CUSTOMRULES_CONSTANTVIEWS_H

namespace llvm {
class CallBase;
} // namespace llvm

namespace kernix {

struct DerivativeRequest;
struct Prepared;

/// Marks the calls of rules that hold gradients in objects each of which is such a parameter of a kernel, in full.
void markConstantViews(const Prepared &P, const DerivativeRequest &Request);

/// Whether there is no gradient that Call could add to or take away.
bool isOnConstantView(const llvm::CallBase &Call);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_CUSTOMRULES_CONSTANTVIEWS_H
