//===- Attribute.h - base of all attributes -----------------------------------------------------------------------===//
//
// One object per attribute, registered with clang: says where it may stand, reads its arguments into a record of the
// AttributeStore, and later checks the record against the finished declaration. Each attribute is in its own file.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_ATTRIBUTE_H
#define KERNIX_ATTRIBUTES_ATTRIBUTE_H

#include "Attributes/AttributeStore.h"
#include "Attributes/WrittenArguments.h"
#include "Diagnostics/Diagnostics.h"
#include "clang/Basic/ParsedAttrInfo.h"

namespace kernix {

/// Where an attribute may stand.
enum Subject : unsigned {
  OnFunction = 1,       ///< functions and function templates
  OnVariable = 2,       ///< constexpr function pointers, which bind the function they point to
  OnGlobal = 64,        ///< variables outside functions
  OnParameter = 4,      ///< parameters of functions
  OnLocalVariable = 8,  ///< variables inside functions
  OnLoop = 16,          ///< for, while, do
  OnCallStatement = 32, ///< statements that are one call or contain calls
};

/// One annotated declaration when its translation unit is complete.
struct FinishedSubject {
  /// The declaration that the attribute was written on.
  const clang::Decl *Written = nullptr;
  /// What was written on it.
  const DeclAttributes *Own = nullptr;
  /// What all declarations together say.
  const DeclAttributes *All = nullptr;
  /// The function itself, the function of a parameter, or the function a variable points to; null where there is none.
  const clang::FunctionDecl *Function = nullptr;
  /// The attributes of Function, or of the variable that binds it.
  const DeclAttributes *FunctionAttributes = nullptr;
  /// Function is bound, by itself or through a variable, or named as the derivative of another.
  bool Bound = false;
  /// Function is differentiable, which itself or the variable that binds it says.
  bool IsDifferentiable = false;
};

class Attribute : public clang::ParsedAttrInfo {
public:
  llvm::StringRef name() const { return Name; }

  /// Reports what the finished declaration shows to be wrong. Called where Own has this attribute.
  virtual void check(clang::Sema &S, const FinishedSubject &Subject) const {}
  /// The attribute among the attributes of a declaration; null where it is absent, and of one for statements.
  virtual const AttributeBase *find(const DeclAttributes &Attributes) const { return nullptr; }

  AttrHandling handleDeclAttribute(clang::Sema &S, clang::Decl *D, const clang::ParsedAttr &Written) const final;
  AttrHandling handleStmtAttribute(clang::Sema &S, clang::Stmt *Statement, const clang::ParsedAttr &Written,
                                   clang::Attr *&Result) const final;

  /// All registered attributes, in no order.
  static llvm::ArrayRef<const Attribute *> all();

protected:
  /// `Subjects` is a set of Subject.
  Attribute(const char *Name, unsigned Subjects);

  /// Reads the arguments into `Record`; false after an error. One attribute implements those of its subjects.
  virtual bool apply(WrittenArguments &Arguments, DeclAttributes &Record) const { return false; }
  virtual bool apply(WrittenArguments &Arguments, StmtAttributes &Record) const { return false; }

private:
  bool checkUse(clang::Sema &S, clang::SourceRange Range) const;

  const char *Name;
  unsigned Subjects;
  std::string FullName;
  Spelling Spelled[1];
};

/// An attribute of declarations, which has one slot in their records.
template <auto Slot> class DeclAttribute : public Attribute {
public:
  const AttributeBase *find(const DeclAttributes &Attributes) const final {
    return Attributes.*Slot ? &*(Attributes.*Slot) : nullptr;
  }

protected:
  using Attribute::Attribute;

  /// What check() is called for.
  static const auto &own(const FinishedSubject &Subject) { return *(Subject.Own->*Slot); }
};

/// Puts `New` into its slot; a second one is an error with a note at the first.
template <class Record> bool setOnce(WrittenArguments &Arguments, std::optional<Record> &Slot, Record New) {
  New.Range = Arguments.range();
  if (Slot)
    return Arguments.refuseSecond(Slot->Range);
  Slot = std::move(New);
  return true;
}

} // namespace kernix

#endif
