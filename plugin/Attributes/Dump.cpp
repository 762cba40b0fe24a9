//===- Dump.cpp - -fplugin-arg-kernix-dump=attributes -------------------------------------------------------------===//
//
// Prints what the store answers, for tests.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/Dump.h"
#include "Attributes/AttributeStore.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/Sema.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace kernix {
namespace {

class Printer {
public:
  Printer(llvm::raw_ostream &Out, Sema &S, AttributeStore &Store) : Out(Out), S(S), Store(Store) {}

  void print() {
    for (const Decl *D : Store.annotated()) {
      if (const auto *Variable = dyn_cast<VarDecl>(D)) {
        Out << "variable " << Variable->getQualifiedNameAsString() << ":";
        print(Store.lookup(Variable), nullptr);
        continue;
      }
      const auto *Function = cast<FunctionDecl>(D);
      print(Function);
      if (FunctionTemplateDecl *Template = Function->getDescribedFunctionTemplate())
        for (const FunctionDecl *Instance : Template->specializations())
          print(Instance);
    }
    for (auto [D, Attributes] : Store.allWritten())
      if (const auto *Variable = dyn_cast<VarDecl>(D); Variable && Variable->isLocalVarDecl()) {
        Out << "local variable " << *Variable << " at " << place(Variable->getLocation()) << ":";
        print(Store.lookup(Variable), nullptr);
      }
  }

private:
  std::string place(SourceLocation Location) {
    PresumedLoc Presumed = S.getSourceManager().getPresumedLoc(Location);
    if (Presumed.isInvalid())
      return "nowhere";
    return std::to_string(Presumed.getLine()) + ":" + std::to_string(Presumed.getColumn());
  }

  void print(const FunctionDecl *Function) {
    Out << "function ";
    Function->getNameForDiagnostic(Out, S.getPrintingPolicy(), /*Qualified=*/true);
    Out << ":";
    print(Store.lookup(Function), Function);
    for (const ParmVarDecl *Parameter : Function->parameters())
      if (const DeclAttributes *Attributes = Store.lookup(Parameter)) {
        Out << "  parameter " << Parameter->getFunctionScopeIndex() << " " << *Parameter << ":";
        print(Attributes, Function);
      }
    for (const StmtAttributes *Each : Store.statementsIn(Function)) {
      Out << "  " << Each->Statement->getStmtClassName() << " at " << place(Each->Statement->getBeginLoc()) << ":";
      if (Each->MaxIters) {
        start(*Each->MaxIters, "max_iters");
        add(Each->MaxIters->Count, Function);
        end();
      }
      flag(Each->NoDiff, "no_diff");
      flag(Each->Recompute, "recompute");
      flag(Each->Store, "store");
      Out << "\n";
    }
  }

  void print(const DeclAttributes *A, const FunctionDecl *In) {
    if (!A) {
      Out << " nothing\n";
      return;
    }
    if (A->Bind) {
      start(*A->Bind, "bind");
      add(A->Bind->Name);
      add(A->Bind->ArgSpec);
      end();
    }
    if (A->Instantiate)
      list(*A->Instantiate, "instantiate", A->Instantiate->Types, In);
    if (A->Grid)
      list(*A->Grid, "grid", A->Grid->Extents, In);
    if (A->Block)
      list(*A->Block, "block", A->Block->Extents, In);
    if (A->SharedBytes) {
      start(*A->SharedBytes, "shared_bytes");
      add(A->SharedBytes->Bytes, In);
      end();
    }
    if (A->MaxRegisters) {
      start(*A->MaxRegisters, "max_registers");
      add(A->MaxRegisters->Count, In);
      end();
    }
    if (A->Capability) {
      start(*A->Capability, "capability");
      word(A->Capability->TensorCores ? "tensor_cores" : "plain");
      word(llvm::formatv("{0:f2}", A->Capability->PerformanceFactor).str());
      word(llvm::formatv("{0:f2}", A->Capability->MemoryEfficiency).str());
      end();
    }
    if (A->Differentiable) {
      start(*A->Differentiable, "differentiable");
      if (A->Differentiable->Forward)
        word("forward");
      if (A->Differentiable->Backward)
        word("backward");
      word(std::to_string(A->Differentiable->Order));
      end();
    }
    derivative(A->ForwardDerivative, "forward_derivative");
    derivative(A->BackwardDerivative, "backward_derivative");
    derivative(A->ForwardDerivativeOf, "forward_derivative_of");
    derivative(A->BackwardDerivativeOf, "backward_derivative_of");
    if (A->Intent) {
      start(*A->Intent, "intent");
      word(spelling(A->Intent->Kind));
      if (A->Intent->Length)
        add(*A->Intent->Length, In);
      add(A->Intent->ElementType);
      end();
    }
    if (A->Shape)
      list(*A->Shape, "shape", A->Shape->Axes, In);
    if (A->Value) {
      start(*A->Value, "value");
      add(A->Value->Expression, In);
      end();
    }
    flag(A->Optional, "optional");
    if (A->Diff) {
      start(*A->Diff, "diff");
      if (A->Diff->Kind != Accumulation::Automatic)
        word(spelling(A->Diff->Kind));
      if (A->Diff->Count)
        add(*A->Diff->Count, In);
      end();
    }
    flag(A->NoDiff, "no_diff");
    flag(A->Recompute, "recompute");
    flag(A->Store, "store");
    Out << "\n";
  }

  void start(const AttributeBase &A, llvm::StringRef Name) {
    Out << " " << Name << "@" << place(A.location()) << "(";
    First = true;
  }
  void end() { Out << ")"; }
  void word(llvm::StringRef Word) {
    Out << (First ? "" : ", ") << Word;
    First = false;
  }
  template <class T> void flag(const std::optional<T> &A, llvm::StringRef Name) {
    if (!A)
      return;
    start(*A, Name);
    end();
  }
  /// With the places of its first byte and of its end.
  void add(const StringArgument &String, const FunctionDecl *) {
    word("\"" + String.Text + "\" " + place(String.locationOf(0, S.Context)) + "-" +
         place(String.locationOf(String.Text.size(), S.Context)));
  }
  void add(const std::optional<StringArgument> &String) {
    if (String)
      add(*String, nullptr);
  }
  void add(const IntegerArgument &Integer, const FunctionDecl *In) {
    if (Integer.Value)
      return word(std::to_string(*Integer.Value));
    if (!In || In->isDependentContext())
      return word("dependent");
    std::optional<int64_t> Value = Integer.valueIn(S, In);
    word(Value ? std::to_string(*Value) + " here" : "error");
  }
  void add(const ExtentArgument &Extent, const FunctionDecl *In) {
    if (Extent.Integer)
      add(*Extent.Integer, In);
    else
      add(*Extent.Expression, In);
  }
  template <class List>
  void list(const AttributeBase &A, llvm::StringRef Name, const List &Items, const FunctionDecl *In) {
    start(A, Name);
    for (const auto &Item : Items)
      add(Item, In);
    end();
  }
  void derivative(const std::optional<CustomDerivativeAttribute> &A, llvm::StringRef Name) {
    if (!A)
      return;
    start(*A, Name);
    std::string Text;
    llvm::raw_string_ostream Stream(Text);
    A->Function->printPretty(Stream, nullptr, S.getPrintingPolicy());
    word(Text);
    end();
  }

  llvm::raw_ostream &Out;
  Sema &S;
  AttributeStore &Store;
  bool First = true;
};

} // namespace

void dumpAttributes(llvm::raw_ostream &Out, Sema &S, AttributeStore &Store) { Printer(Out, S, Store).print(); }

} // namespace kernix
