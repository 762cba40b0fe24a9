//===- Specializations.cpp - specializations say themselves what holds for them -----------------------------------===//

#include "Attributes/Specializations.h"
#include "Attributes/AttributeStore.h"
#include "HandOver.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"

using namespace clang;

namespace kernix {

namespace {

/// Whether Own, what D says itself, has what the annotation A hands over.
bool isSaid(const AnnotateAttr &A, const DeclAttributes *Own) {
  llvm::StringRef Text = A.getAnnotation();
  if (Text == NoDiffAnnotation)
    return Own && Own->NoDiff;
  llvm::StringRef Mark = Text.split(':').first;
  if (Mark == StoreAnnotation)
    return Own && Own->Store;
  return Mark != RecomputeAnnotation || (Own && Own->Recompute);
}

void keepOnlySaid(Decl &D, const DeclAttributes *Own) {
  if (llvm::all_of(D.specific_attrs<AnnotateAttr>(), [&](const AnnotateAttr *A) { return isSaid(*A, Own); }))
    return;
  AttrVec All(D.attr_begin(), D.attr_end());
  D.dropAttrs();
  for (Attr *A : All)
    if (const auto *Annotation = dyn_cast<AnnotateAttr>(A); !Annotation || isSaid(*Annotation, Own))
      D.addAttr(A);
}

} // namespace

void forgetAttributesOfTemplate(Decl &D, AttributeStore &Store) {
  auto *F = dyn_cast<FunctionDecl>(&D);
  if (!F || F->getTemplateSpecializationKind() != TSK_ExplicitSpecialization)
    return;
  keepOnlySaid(*F, Store.lookup(F));
  for (ParmVarDecl *Parameter : F->parameters())
    keepOnlySaid(*Parameter, Store.lookup(Parameter));
}

} // namespace kernix
