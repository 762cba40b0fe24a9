//===- CheckUses.cpp - parameters against what the body does ----------------------------------------------------===//

#include "Binding/CheckUses.h"
#include "Binding/RunCode.h"
#include "Binding/SkippedCode.h"
#include "Binding/TensorUses.h"
#include "Binding/ThreadUses.h"
#include "Diagnostics/Diagnostics.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include <utility>

using namespace clang;
using namespace kernix;

namespace {

class UseChecker {
public:
  UseChecker(Sema &S, BoundFunction &F, const SkippedCode &Skipped) : S(S), F(F), Skipped(Skipped) {
    if (F.Kind != KERNIX_KERNEL)
      return;
    Threads = threadUses(F.Decl, Skipped);
    F.UsesOnlyX = Threads.OnlyX;
    F.SingleThread = Threads.SingleThread;
    F.IgnoresBlocks = Threads.IgnoresBlocks;
  }

  bool check(Parameter &P, const DeclAttributes *Attributes) {
    HasIntent = Attributes && Attributes->Intent;
    if (P.isTensor())
      return checkTensor(P, tensorUses(F.Decl, P.Decl, Skipped));
    if (P.Passing == KERNIX_PASS_REFERENCE && P.Decl->getType()->isReferenceType())
      checkReference(P, referenceUses(F.Decl, P.Decl, Skipped));
    else if (P.Passing == KERNIX_PASS_REFERENCE || P.Passing == KERNIX_PASS_ARRAY)
      setZeroInit(P, tensorUses(F.Decl, P.Decl, Skipped));
    return true;
  }

private:
  Sema &S;
  BoundFunction &F;
  const SkippedCode &Skipped;
  bool HasIntent = false;
  bool HasOutput = false;
  ThreadUses Threads;

  /// One thread per element of the first output says nothing about a kernel whose threads share an element of it.
  void setSharedOutput(const Parameter &P, const TensorUses &Uses) {
    if (Threads.SingleThread || Threads.FirstThreadOnly)
      return;
    bool IsLookedThrough = Uses.Unknown && Threads.OnlyX;
    const TensorUses Output = IsLookedThrough ? usesThroughObjects(F.Decl, P.Decl, Skipped) : Uses;
    F.SharedOutput = Output.Atomic || (Output.Write && !Output.Unknown && !Output.Spread);
    if (IsLookedThrough && Output.Unknown) // it may be what an atomic function updates
      F.SharedOutput |= runsAtomics(F.Decl, Skipped);
  }

  void setZeroInit(Parameter &P, const TensorUses &Uses) {
    // An inout_ptr comes with its value.
    P.ZeroInit =
        P.Role == KERNIX_RET && P.Intent != KERNIX_INTENT_INOUT_PTR && (Uses.Read || Uses.Unknown || !Uses.BodyVisible);
  }

  bool checkTensor(Parameter &P, const TensorUses &Uses) {
    setZeroInit(P, Uses);
    if (Uses.CutOff) {
      Diagnostics(S).error(Uses.CutOff->getExprLoc(),
                           "an element of '%0' becomes an integer here, as the other side of ?: is; write that as a "
                           "floating-point number, or use load")
          << P.Name << Uses.CutOff->getSourceRange();
      return false;
    }
    P.IsReadBack = P.IsDiffView && Uses.Read && Uses.Write;
    P.IsOnlyRead = Uses.Read && !Uses.Write && !Uses.Unknown;
    if (Uses.Indices && !Uses.Unknown)
      P.Rank = static_cast<int>(*Uses.Indices);
    if (P.Role == KERNIX_RET) {
      if (F.Kind == KERNIX_KERNEL && !std::exchange(HasOutput, true))
        setSharedOutput(P, Uses);
      if (Uses.Read && !Uses.Write && !Uses.Unknown && !HasIntent && !P.IsConst)
        warnOnlyRead(P, Uses);
      return true;
    }
    if (Uses.Write) {
      Diagnostics(S).error(
          Uses.Write->getExprLoc(),
          "'%0' is %select{declared const|bound with intent(in)|'arg' in its arg_spec}1, an input, but %2 "
          "writes to it here")
          << P.Name << reason(P) << F.Decl << Uses.Write->getSourceRange();
      auto Note = Diagnostics(S).note(P.Decl->getLocation(),
                                      "%select{remove 'const'|remove the intent|write 'ret'}0 to make '%1' an output");
      Note << reason(P) << P.Name;
      if (P.IsConst)
        if (std::optional<CharSourceRange> Const = constToken(P))
          Note << FixItHint::CreateRemoval(*Const);
      return false;
    }
    if (const Expr *Lost = Uses.Escape ? Uses.Escape : Uses.Stored) {
      Diagnostics(S).warning(
          WarningGroup::ConstTensor, Lost->getExprLoc(),
          "'%0' is %select{declared const|bound with intent(in)|'arg' in its arg_spec}1, an input, but "
          "%select{what is "
          "stored here|a function whose body is not visible}2 may write to it")
          << P.Name << reason(P) << (Uses.Escape != nullptr) << Lost->getSourceRange();
      Diagnostics(S).note(P.Decl->getLocation(), "'%0' is declared here") << P.Name;
    }
    return true;
  }

  /// Why it is an input, as a choice in the messages.
  int reason(const Parameter &P) const { return P.IsConst ? 0 : HasIntent ? 1 : 2; }

  void warnOnlyRead(const Parameter &P, const TensorUses &Uses) {
    Diagnostics(S).warning(WarningGroup::ConstTensor, P.Decl->getLocation(),
                           "'%0' is not const and therefore an output, but %1 only reads it")
        << P.Name << F.Decl;
    auto Note = Diagnostics(S).note(Uses.Read->getExprLoc(), "it is read here; make it an input with 'const'");
    Note << Uses.Read->getSourceRange();
    SourceLocation Begin = P.Decl->getTypeSpecStartLoc();
    if (Begin.isValid() && !Begin.isMacroID())
      Note << FixItHint::CreateInsertion(Begin, "const ");
  }

  void checkReference(Parameter &P, const TensorUses &Uses) {
    setZeroInit(P, Uses);
    if (P.Role != KERNIX_ATTR || !Uses.Write)
      return;
    Diagnostics(S).warning(
        WarningGroup::LostUpdate, Uses.Write->getExprLoc(),
        "'%0' is an input%select{ unless an intent says otherwise|, by its intent}1: callers of the bound "
        "function do not see this update")
        << P.Name << HasIntent << Uses.Write->getSourceRange();
    Diagnostics(S).note(P.Decl->getLocation(),
                        "intent(inout_ptr), intent(out_ptr) or intent(out_return) make it an output");
  }

  /// The `const` that makes a parameter an input, with the blanks after it; nothing where it is not certain.
  std::optional<CharSourceRange> constToken(const Parameter &P) const {
    const SourceManager &SM = S.getSourceManager();
    SourceLocation Begin = P.Decl->getBeginLoc(), End = P.Decl->getLocation();
    if (Begin.isMacroID() || End.isMacroID() || Begin.isInvalid() || SM.getFileID(Begin) != SM.getFileID(End))
      return std::nullopt;
    bool Invalid = false;
    llvm::StringRef Buffer = SM.getBufferData(SM.getFileID(Begin), &Invalid);
    if (Invalid)
      return std::nullopt;
    Lexer Raw(SM.getLocForStartOfFile(SM.getFileID(Begin)), S.getLangOpts(), Buffer.begin(),
              Buffer.begin() + SM.getFileOffset(Begin), Buffer.end());
    std::optional<CharSourceRange> Found;
    unsigned Count = 0;
    for (Token Tok; !Raw.LexFromRawLexer(Tok) && SM.isBeforeInTranslationUnit(Tok.getLocation(), End);) {
      if (Tok.is(tok::star))
        break; // what follows belongs to the pointer
      if (Tok.isNot(tok::raw_identifier) || Tok.getRawIdentifier() != "const")
        continue;
      ++Count;
      unsigned After = SM.getFileOffset(Tok.getEndLoc());
      while (After < Buffer.size() && isHorizontalWhitespace(Buffer[After]))
        ++After;
      Found = CharSourceRange::getCharRange(
          Tok.getLocation(), SM.getLocForStartOfFile(SM.getFileID(Begin)).getLocWithOffset(static_cast<int>(After)));
    }
    return Count == 1 ? Found : std::nullopt;
  }
};

} // namespace

bool kernix::checkUses(Sema &S, BoundFunction &F, llvm::ArrayRef<const DeclAttributes *> Attributes,
                       const SkippedCode &Skipped) {
  UseChecker Checker(S, F, Skipped);
  bool Ok = true;
  for (size_t I = 0; I < F.Parameters.size(); ++I)
    Ok &= Checker.check(F.Parameters[I], Attributes[I]);
  return Ok;
}
