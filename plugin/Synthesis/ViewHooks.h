//===- ViewHooks.h - what views do around the launch of a backward kernel ----------------------------*- C++ -*--===//
//
// Views whose class has members `scratch_size` and `after` (kernix/diff_tensor_view_scratch.h): descriptors of f_bwd
// refer to them through kernix::detail::ViewHooks<View>.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_VIEWHOOKS_H
#define KERNIX_SYNTHESIS_VIEWHOOKS_H

#include "Binding/BoundFunction.h"
#include "Synthesis/AstBuilder.h"

namespace kernix {

/// Whether parameter P of F has some.
bool hasViewHooks(clang::Sema &S, const BoundFunction &F, const Parameter &P);

/// The kernix_view_hooks of parameter P of F as an expression, a null pointer where there are none. Null after an
/// error.
clang::Expr *viewHooks(AstBuilder &Builder, const BoundFunction &F, const Parameter &P);

/// Makes the kernels that these launch, in a device pass. False after an error.
bool instantiateViewHooks(clang::Sema &S, const Bindings &Bindings);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_VIEWHOOKS_H
