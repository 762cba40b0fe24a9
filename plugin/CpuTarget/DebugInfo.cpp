//===- DebugInfo.cpp - debug information of the functions that the CPU passes make -------------------------------===//

#include "CpuTarget/DebugInfo.h"
#include "llvm/IR/DIBuilder.h"

using namespace llvm;

namespace kernix {

DebugLoc describeAs(Function &Made, const Function &Kernel) {
  DISubprogram *Of = Kernel.getSubprogram();
  if (!Of)
    return DebugLoc();
  DIBuilder Builder(*Made.getParent(), /*AllowUnresolved=*/false, Of->getUnit());
  DISubroutineType *Type = Builder.createSubroutineType(Builder.getOrCreateTypeArray({}));
  DISubprogram::DISPFlags Flags = DISubprogram::SPFlagDefinition | DISubprogram::SPFlagLocalToUnit;
  if (Of->isOptimized())
    Flags |= DISubprogram::SPFlagOptimized;
  DISubprogram *Subprogram =
      Builder.createFunction(Of->getFile(), Of->getName(), Made.getName(), Of->getFile(), Of->getLine(), Type,
                             Of->getScopeLine(), DINode::FlagArtificial, Flags);
  Builder.finalizeSubprogram(Subprogram);
  Made.setSubprogram(Subprogram);
  return DILocation::get(Made.getContext(), Of->getLine(), 0, Subprogram);
}

} // namespace kernix
