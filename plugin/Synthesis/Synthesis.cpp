//===- Synthesis.cpp - from records to declarations -------------------------------------------------------------===//

#include "Synthesis/Synthesis.h"
#include "Diagnostics/Diagnostics.h"
#include "Synthesis/Descriptor.h"
#include "Synthesis/LaunchThunk.h"
#include "Synthesis/NumbaShim.h"
#include "Synthesis/Reflection.h"
#include "Synthesis/TvmFfiEntry.h"
#include "Synthesis/XlaHandler.h"
#include <set>

using namespace clang;
using namespace kernix;

namespace {

/// Everything that is synthesized uses the header's declarations: its absence is one error, not one per name.
bool hasHeader(Sema &S, const Bindings &Bindings) {
  AstBuilder Builder(S, SourceLocation());
  if (Bindings.Functions.empty() || Builder.hasDetail("Thunk"))
    return true;
  if (S.getLangOpts().CPlusPlus17 && Builder.hasDetail("ElementWithoutConst")) {
    Diagnostics(S).error(
        Bindings.Functions.front().Location,
        "<kernix/kernix.h> was preprocessed without the plugin: a file that binds functions cannot be "
        "compiled with -save-temps (use -E, -S or -S -emit-llvm to see what is compiled) or from a preprocessed "
        "file");
    return false;
  }
  Diagnostics(S).error(Bindings.Functions.front().Location,
                       S.getLangOpts().CPlusPlus17
                           ? "a file that binds functions has to include <kernix/kernix.h>"
                           : "a file that binds functions has to be compiled with -std=c++17 or newer");
  return false;
}

/// Defines what has the symbol `F.*Symbol` for each function that has one: once, though it be bound under several
/// names.
void define(Sema &S, const Bindings &Bindings, std::string BoundFunction::*Symbol,
            bool (*Define)(AstBuilder &, const BoundFunction &)) {
  std::set<llvm::StringRef> Done;
  for (const BoundFunction &F : Bindings.Functions) {
    AstBuilder Builder(S, F.Location);
    if (!(F.*Symbol).empty() && Done.insert(F.*Symbol).second && !Define(Builder, F))
      return;
  }
}

} // namespace

void kernix::synthesizeHost(Sema &S, const Bindings &Bindings) {
  if (!hasHeader(S, Bindings))
    return;
  for (const BoundFunction &F : Bindings.Functions) {
    AstBuilder Builder(S, F.Location);
    if (!synthesizeDescriptor(Builder, F))
      return;
  }
  for (const Operation &O : Bindings.Operations) {
    AstBuilder Builder(S, O.Variants.front()->Location);
    VarDecl *Slot = synthesizeReflection(Builder, O);
    if (!Slot || !synthesizeTvmFfiEntry(Builder, O, Slot) || !synthesizeXlaHandler(Builder, O, Slot))
      return;
  }
  define(S, Bindings, &BoundFunction::NumbaShim, synthesizeNumbaShim);
  S.PerformPendingInstantiations();
  // Without this a wrong call inside a host-device template would compile silently.
  S.emitDeferredDiags();
}

namespace {

void synthesizeDevice(Sema &S, const Bindings &Bindings, std::string BoundFunction::*Symbol,
                      bool (*Define)(AstBuilder &, const BoundFunction &)) {
  if (!hasHeader(S, Bindings))
    return;
  define(S, Bindings, Symbol, Define);
  S.PerformPendingInstantiations();
}

} // namespace

void kernix::synthesizeCpuDevice(Sema &S, const Bindings &Bindings) {
  synthesizeDevice(S, Bindings, &BoundFunction::DeviceThunk, synthesizeDeviceThunk);
}

void kernix::synthesizeForNumba(Sema &S, const Bindings &Bindings) {
  synthesizeDevice(S, Bindings, &BoundFunction::NumbaShim, synthesizeNumbaShim);
}
