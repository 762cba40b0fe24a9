//===- AttributeStore.h - the attributes of a translation unit ----------------------------------------------------===//
//
// Keeps what was written in kernix attributes beside the AST (an attribute in the AST would change the code that clang
// makes) and answers, for any declaration of an entity, what all its declarations say together. Does not check that
// the attributes fit their declarations: checkAttributes does.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_ATTRIBUTESTORE_H
#define KERNIX_ATTRIBUTES_ATTRIBUTESTORE_H

#include "Attributes/Bind.h"
#include "Attributes/Block.h"
#include "Attributes/Capability.h"
#include "Attributes/CustomDerivative.h"
#include "Attributes/Diff.h"
#include "Attributes/Differentiable.h"
#include "Attributes/Grid.h"
#include "Attributes/Instantiate.h"
#include "Attributes/Intent.h"
#include "Attributes/MaxIters.h"
#include "Attributes/MaxRegisters.h"
#include "Attributes/NoDiff.h"
#include "Attributes/Optional.h"
#include "Attributes/Shape.h"
#include "Attributes/SharedBytes.h"
#include "Attributes/Storage.h"
#include "Attributes/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace clang {
class ASTContext;
class Decl;
class FunctionDecl;
class ParmVarDecl;
class Sema;
class Stmt;
class VarDecl;
} // namespace clang

namespace kernix {

/// The attributes of a function, a bound variable, a parameter, or a local variable.
struct DeclAttributes {
  // Functions and bound variables.
  std::optional<BindAttribute> Bind;
  std::optional<InstantiateAttribute> Instantiate;
  std::optional<GridAttribute> Grid;
  std::optional<BlockAttribute> Block;
  std::optional<SharedBytesAttribute> SharedBytes;
  std::optional<MaxRegistersAttribute> MaxRegisters;
  std::optional<CapabilityAttribute> Capability;
  std::optional<DifferentiableAttribute> Differentiable;
  std::optional<CustomDerivativeAttribute> ForwardDerivative;
  std::optional<CustomDerivativeAttribute> BackwardDerivative;
  std::optional<CustomDerivativeAttribute> ForwardDerivativeOf;
  std::optional<CustomDerivativeAttribute> BackwardDerivativeOf;
  // Parameters.
  std::optional<IntentAttribute> Intent;
  std::optional<ShapeAttribute> Shape;
  std::optional<ValueAttribute> Value;
  std::optional<OptionalAttribute> Optional;
  std::optional<DiffAttribute> Diff;
  // Functions, parameters, local variables.
  std::optional<NoDiffAttribute> NoDiff;
  // Functions, local variables.
  std::optional<RecomputeAttribute> Recompute;
  std::optional<StoreAttribute> Store;
};

/// The attributes of a loop or a call statement.
struct StmtAttributes {
  /// The statement of the source (of the pattern, in a template) and the function it was parsed in.
  const clang::Stmt *Statement = nullptr;
  const clang::FunctionDecl *Function = nullptr;
  std::optional<MaxItersAttribute> MaxIters;
  std::optional<NoDiffAttribute> NoDiff;
  std::optional<RecomputeAttribute> Recompute;
  std::optional<StoreAttribute> Store;
};

class AttributeStore {
public:
  /// The store of a translation unit; made on first use, lives as long as the context.
  static AttributeStore &get(clang::ASTContext &Context);

  /// What all declarations of the function say, those of the template it was instantiated from included, and the YAML
  /// file, which wins. Null where nobody says anything.
  const DeclAttributes *lookup(const clang::FunctionDecl *Function);
  /// As for functions; the parameter is found by its index.
  const DeclAttributes *lookup(const clang::ParmVarDecl *Parameter);
  /// As for functions; local variables of an instantiated function are found by their location.
  const DeclAttributes *lookup(const clang::VarDecl *Variable);
  /// Statements of an instantiated function are found by their location.
  const StmtAttributes *lookup(const clang::Stmt *Statement);

  /// Functions, and variables outside functions, that were annotated themselves or through a parameter: each once (the
  /// declaration that was annotated first), in source order; then those that only the YAML file annotates.
  llvm::ArrayRef<const clang::Decl *> annotated();
  /// The statements annotated in a function (in its pattern), in source order.
  llvm::SmallVector<const StmtAttributes *, 4> statementsIn(const clang::FunctionDecl *Function);

  /// All annotated statements of the file, in the order of parsing.
  llvm::SmallVector<const StmtAttributes *, 0> allStatements() const;

  bool empty() const;

  /// Everything that was written on declarations, in the order of parsing.
  llvm::SmallVector<std::pair<const clang::Decl *, const DeclAttributes *>, 0> allWritten() const;
  /// Reports declarations of one entity, and source and YAML file, that disagree. Once, at the end.
  void checkAgreement(clang::Sema &S);

  /// The attributes written on exactly this declaration; made on first use. For the attributes' own handlers.
  DeclAttributes &written(const clang::Decl *D);
  StmtAttributes &written(const clang::Stmt *Statement, const clang::FunctionDecl *Function);
  /// The YAML file's attributes of a function or parameter; made on first use.
  DeclAttributes &external(const clang::Decl *D);

  /// `__host__ __device__` functions are bound as device functions: for callers in device code.
  bool BindsForDevice = false;
  /// How debug information names files, as -fdebug-prefix-map says.
  llvm::SmallVector<std::pair<std::string, std::string>, 0> DebugPrefixMap;
  /// Those annotated since the last declaration was handed over: one in an initializer is in no other declaration.
  llvm::SmallVector<clang::Decl *, 0> Lambdas;

  explicit AttributeStore(clang::ASTContext &Context);
  ~AttributeStore();

private:
  struct Implementation;
  std::unique_ptr<Implementation> Impl;
};

} // namespace kernix

#endif
