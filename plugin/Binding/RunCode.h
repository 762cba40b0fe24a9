//===- RunCode.h - the code that runs when a function is called ----------------------------------------*- C++ -*-===//
//
// Walks everything that a call of a function may run, each function once: what is written as a call, and the
// constructors, destructors, default arguments, default member initializers and conversions that nobody writes. What is
// never evaluated (sizeof, decltype, discarded branches, patterns of templates) is left out.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_RUNCODE_H
#define KERNIX_BINDING_RUNCODE_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseSet.h"
#include <vector>

namespace clang {
class CXXDestructorDecl;
} // namespace clang

namespace kernix {

class SkippedCode;

/// The function that a call runs, where the source tells: not the one behind a pointer, nor of a virtual function that
/// may be overridden.
const clang::FunctionDecl *calledFunction(const clang::CallExpr &Call);

/// Definitions of the functions that a call of `F` may run, its own first.
std::vector<const clang::FunctionDecl *> functionsThatRun(const clang::FunctionDecl *F);

/// Whether a call may update something atomically.
bool runsAtomics(const clang::FunctionDecl *F, const SkippedCode &Skipped);

class RunCode {
public:
  void visitFunction(const clang::FunctionDecl *F);
  void visitVariable(const clang::VarDecl *Variable);
  void walk(const clang::Stmt *S);

protected:
  RunCode() = default;
  ~RunCode() = default;

  /// The function whose code is walked; null for code that is given by itself.
  const clang::FunctionDecl *Current = nullptr;
  /// The answer is known; nothing is walked any more.
  bool IsDone = false;

  /// Each statement and expression, outer ones first. False leaves out what is inside, and what it calls.
  virtual bool visit(const clang::Stmt *S) = 0;
  /// Whether to look into a function.
  virtual bool enters(const clang::FunctionDecl *) { return true; }
  /// A definition, before its code.
  virtual void enter(const clang::FunctionDecl *) {}
  /// A function without a body here.
  virtual void visitUnseen(const clang::FunctionDecl *F) = 0;
  /// A call, or what amounts to one, of nobody knows which function.
  virtual void visitUnknownCall() = 0;

private:
  llvm::DenseSet<const clang::FunctionDecl *> Visited;
  llvm::DenseSet<const clang::Stmt *> Sources;

  void walkChildren(const clang::Stmt *S);
  void walkCalls(const clang::Stmt *S);
  void destroy(clang::QualType Type);
  void destroyParts(const clang::CXXDestructorDecl *Destructor);
};

} // namespace kernix

#endif // KERNIX_BINDING_RUNCODE_H
