//===- Synthesis.cpp - from records to declarations -------------------------------------------------------------===//

#include "Synthesis/Synthesis.h"
#include "Synthesis/Descriptor.h"
#include "Synthesis/LaunchThunk.h"
#include "Synthesis/Reflection.h"
#include "Synthesis/TvmFfiEntry.h"

using namespace clang;
using namespace kernix;

void kernix::synthesizeHost(Sema &S, const Bindings &Bindings) {
  for (const BoundFunction &F : Bindings.Functions) {
    AstBuilder Builder(S, F.Location);
    if (!synthesizeDescriptor(Builder, F))
      return;
  }
  for (const Operation &O : Bindings.Operations) {
    AstBuilder Builder(S, O.Variants.front()->Location);
    VarDecl *Slot = synthesizeReflection(Builder, O);
    if (!Slot || !synthesizeTvmFfiEntry(Builder, O, Slot))
      return;
  }
  S.PerformPendingInstantiations();
  // Without this a wrong call inside a host-device template would compile silently.
  S.emitDeferredDiags();
}

void kernix::synthesizeCpuDevice(Sema &S, const Bindings &Bindings) {
  for (const BoundFunction &F : Bindings.Functions) {
    AstBuilder Builder(S, F.Location);
    if (F.Kind == KERNIX_DEVICE_FUNCTION && !synthesizeDeviceThunk(Builder, F))
      return;
  }
  S.PerformPendingInstantiations();
}
