//===- Describe.cpp - "a struct", "a loop" ------------------------------------------------------------------------===//
//
// Words for the kinds of declarations and statements, for messages about attributes in the wrong place.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/Describe.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace kernix {

llvm::StringRef describe(const Decl *D) {
  if (isa<CXXConstructorDecl>(D))
    return "a constructor";
  if (isa<CXXDestructorDecl>(D))
    return "a destructor";
  if (isa<CXXConversionDecl>(D))
    return "a conversion function";
  if (isa<CXXDeductionGuideDecl>(D))
    return "a deduction guide";
  if (isa<FunctionDecl>(D))
    return "a function";
  if (isa<ParmVarDecl>(D))
    return "a parameter";
  if (const auto *Variable = dyn_cast<VarDecl>(D))
    return Variable->isLocalVarDecl() || Variable->isExceptionVariable() ? "a variable inside a function"
                                                                         : "a variable outside functions";
  if (isa<FieldDecl>(D))
    return "a data member";
  if (const auto *Record = dyn_cast<RecordDecl>(D))
    return Record->isUnion() ? "a union" : Record->isClass() ? "a class" : "a struct";
  if (isa<EnumDecl>(D))
    return "an enumeration";
  if (isa<EnumConstantDecl>(D))
    return "an enumerator";
  if (isa<NamespaceDecl, NamespaceAliasDecl>(D))
    return "a namespace";
  if (isa<TypedefNameDecl, TypeAliasTemplateDecl>(D))
    return "a type alias";
  if (isa<LabelDecl>(D))
    return "a label";
  if (isa<ConceptDecl>(D))
    return "a concept";
  if (isa<BindingDecl>(D))
    return "a structured binding";
  if (isa<TemplateTypeParmDecl, NonTypeTemplateParmDecl, TemplateTemplateParmDecl>(D))
    return "a template parameter";
  if (isa<UsingDecl, UsingDirectiveDecl, UnresolvedUsingValueDecl, UsingEnumDecl>(D))
    return "a using declaration";
  if (isa<EmptyDecl>(D))
    return "an empty declaration";
  return "this kind of declaration";
}

llvm::StringRef describe(const Stmt *Statement) {
  if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(Statement))
    return "a loop";
  if (isa<NullStmt>(Statement))
    return "an empty statement";
  if (isa<CompoundStmt>(Statement))
    return "a block";
  if (isa<IfStmt>(Statement))
    return "an if statement";
  if (isa<SwitchStmt>(Statement))
    return "a switch statement";
  if (isa<SwitchCase>(Statement))
    return "a case label";
  if (isa<ReturnStmt, CoreturnStmt>(Statement))
    return "a return statement";
  if (isa<BreakStmt, ContinueStmt, GotoStmt, IndirectGotoStmt>(Statement))
    return "a jump statement";
  if (isa<CXXTryStmt>(Statement))
    return "a try block";
  if (isa<CallExpr>(Statement))
    return "a call statement";
  if (isa<Expr>(Statement))
    return "an expression statement";
  return "this kind of statement";
}

} // namespace kernix
