//===- Operations.cpp - functions of one public name ------------------------------------------------------------===//

#include "Binding/Operations.h"
#include "Attributes/AttributeStore.h"
#include "Diagnostics/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace kernix;

namespace {

bool haveSameNames(const BoundFunction &A, const BoundFunction &B) {
  return llvm::equal(A.Parameters, B.Parameters,
                     [](const Parameter &P, const Parameter &Q) { return P.Name == Q.Name; });
}

bool isSame(kernix_dtype A, kernix_dtype B) { return A.code == B.code && A.bits == B.bits; }

/// Whether no argument fits one parameter and not the other.
bool takesTheSame(const Parameter &P, const Parameter &Q) {
  if (P.Passing == KERNIX_PASS_STREAM && Q.Passing == KERNIX_PASS_STREAM)
    return true;
  return P.isTensor() == Q.isTensor() && P.Fields.empty() == Q.Fields.empty() &&
         isSame(P.Element.Dtype, Q.Element.Dtype) && P.Element.Shape == Q.Element.Shape;
}

bool checkVariant(Sema &S, const BoundFunction &Earlier, const BoundFunction &F) {
  auto noteEarlier = [&] {
    Diagnostics(S).note(Earlier.Decl->getLocation(), "%0 is bound as '%1' too") << Earlier.Signature << F.Name;
  };
  if (Earlier.Kind != F.Kind || !haveSameNames(Earlier, F)) {
    Diagnostics(S).error(F.Location,
                         "functions bound as '%0' are variants of one operation and need the same kind and the "
                         "same parameter names; bind this one under another name")
        << F.Name;
    noteEarlier();
    return false;
  }
  if (llvm::equal(Earlier.Parameters, F.Parameters, takesTheSame)) {
    Diagnostics(S).error(F.Location,
                         "no argument tells %0 from %1, and both are bound as '%2'; bind this one through a "
                         "variable of another name")
        << F.Signature << Earlier.Signature << F.Name;
    noteEarlier();
    return false;
  }
  return true;
}

/// Callers in device code tell overloads apart as C++ does. Those that cannot be variants become operations of their
/// own.
void makeOwnOperation(const llvm::MapVector<llvm::StringRef, Operation> &Known, BoundFunction &F) {
  const std::string Name = F.Name;
  for (unsigned Number = 2;; ++Number) {
    auto Entry = Known.find(F.Name);
    if (Entry == Known.end() || llvm::all_of(Entry->second.Variants, [&](const BoundFunction *Earlier) {
          return haveSameNames(*Earlier, F) && !llvm::equal(Earlier->Parameters, F.Parameters, takesTheSame);
        }))
      return;
    F.OverloadOf = Name;
    F.Name = Name + "_" + std::to_string(Number);
  }
}

} // namespace

void kernix::groupOperations(Sema &S, Bindings &B) {
  llvm::MapVector<llvm::StringRef, Operation> Operations;
  for (BoundFunction &F : B.Functions) {
    if (F.Kind == KERNIX_DEVICE_FUNCTION && AttributeStore::get(S.Context).BindsForDevice)
      makeOwnOperation(Operations, F);
    Operation &O = Operations[F.Name];
    O.Name = F.Name;
    if (llvm::all_of(O.Variants, [&](const BoundFunction *Earlier) { return checkVariant(S, *Earlier, F); }))
      O.Variants.push_back(&F);
  }
  for (auto &Entry : Operations)
    B.Operations.push_back(std::move(Entry.second));
}
