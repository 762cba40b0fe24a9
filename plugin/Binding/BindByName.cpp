//===- BindByName.cpp - bindings that stand apart from their functions ------------------------------------------===//

#include "Binding/BindByName.h"
#include "Attributes/AttributeStore.h"
#include "Binding/FunctionNames.h"
#include "Diagnostics/Diagnostics.h"
#include "clang/AST/Decl.h"
#include "clang/Sema/Sema.h"
#include <numeric>

using namespace clang;
using namespace kernix;

namespace {

class NameBinder {
public:
  NameBinder(Sema &S, AttributeStore &Store, const NamedBinding &Binding)
      : Store(Store), Diag(S), Binding(Binding), Name(llvm::StringRef(Binding.Name.Text).trim()) {}

  bool bind(const FunctionNames &Names) {
    if (BindAttribute *Known = boundAs(Name))
      return addArgSpec(*Known);
    llvm::SmallVector<const FunctionDecl *, 2> Functions = Names.find(Diag, Binding.Name);
    bool Ok = !Functions.empty();
    for (const FunctionDecl *F : Functions)
      Ok = Ok && bind(F);
    return Ok;
  }

private:
  AttributeStore &Store;
  Diagnostics Diag;
  const NamedBinding &Binding;
  llvm::StringRef Name;

  /// The attribute that gives this public name to a function or variable.
  BindAttribute *boundAs(llvm::StringRef PublicName) {
    for (auto [D, Attributes] : Store.allWritten())
      if (Attributes->Bind && Attributes->Bind->Name && Attributes->Bind->Name->Text == PublicName)
        return &*Store.written(D).Bind;
    return nullptr;
  }

  BindAttribute *attributeOf(const FunctionDecl *F) {
    for (const FunctionDecl *Each : F->redecls())
      for (auto [D, Attributes] : Store.allWritten())
        if (D == Each && Attributes->Bind)
          return &*Store.written(Each).Bind;
    return nullptr;
  }

  bool bind(const FunctionDecl *F) {
    if (BindAttribute *Known = attributeOf(F)) {
      if (!Known->Name)
        return addArgSpec(*Known);
      Diag.error(Binding.Name.location(), "%0 is bound as '%1'") << F << Known->Name->Text << Binding.Name.Range;
      Diag.note(Known->location(), "bound here") << Known->Range;
      return false;
    }
    BindAttribute New;
    New.Range = Binding.Name.Range;
    // f of a namespace, where the name alone says which one is meant; without this it would be space::f.
    if (firstByteNoName(Name) == llvm::StringRef::npos && F->getQualifiedNameAsString() != Name)
      New.Name = Binding.Name;
    New.ArgSpec = Binding.ArgSpec;
    Store.written(F).Bind = std::move(New);
    return true;
  }

  bool addArgSpec(BindAttribute &Known) {
    if (!Binding.ArgSpec)
      return true;
    if (Known.ArgSpec && !Binding.Overrides && Known.ArgSpec->Text != Binding.ArgSpec->Text) {
      Diag.error(Binding.ArgSpec->location(), "'%0' has another arg_spec already") << Name << Binding.ArgSpec->Range;
      Diag.note(Known.ArgSpec->location(), "it is given here") << Known.ArgSpec->Range;
      return false;
    }
    Known.ArgSpec = Binding.ArgSpec;
    return true;
  }
};

} // namespace

StringArgument kernix::textAt(SourceLocation Begin, llvm::StringRef Text) {
  StringArgument Result;
  Result.Text = Text.str();
  Result.Range = SourceRange(Begin, Begin.getLocWithOffset(static_cast<int>(Text.empty() ? 0 : Text.size() - 1)));
  Result.ByteOffsets.resize(Text.size() + 1);
  std::iota(Result.ByteOffsets.begin(), Result.ByteOffsets.end(), 0u);
  return Result;
}

bool kernix::bindByName(Sema &S, AttributeStore &Store, const FunctionNames &Names, const NamedBinding &Binding) {
  return NameBinder(S, Store, Binding).bind(Names);
}
