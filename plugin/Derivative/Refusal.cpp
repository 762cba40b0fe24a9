//===- Refusal.cpp - located errors, warnings and remarks of the derivative pass --------------------------------===//

#include "Derivative/Refusal.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace kernix;

namespace {

constexpr char RemarkPass[] = "kernix";

/// In place of whatever else is to be said of such an operation: it is due to how the source is compiled.
constexpr char IsStrict[] = "operations that keep to a rounding mode or to floating-point exceptions have no "
                            "derivative: compile without -frounding-math, -ftrapping-math, -ffp-exception-behavior, "
                            "-ffp-model=strict and pragmas that ask for the same";

/// True for a file that users do not write: CUDA's headers, clang's, the standard library's and kernix's own.
bool isLibraryFile(const DILocation *L) {
  SmallString<256> Path(L->getDirectory());
  sys::path::append(Path, L->getFilename());
  if (sys::path::is_absolute(L->getFilename()))
    Path = L->getFilename();
  StringRef P = Path;
  return P.contains("/include/c++/") || P.contains("/lib/clang/") || P.contains("/include/kernix/") ||
         P.contains("/include/crt/") || P.contains("/usr/include/") || P.contains("/usr/local/include/") ||
         P.contains("cuda/include") || P.contains("targets/x86_64-linux/include");
}

/// The place in the user's source: out of the headers that were inlined there.
const DILocation *userLocation(const Instruction &I, const DILocation *&Inner) {
  const DILocation *L = I.getDebugLoc().get();
  Inner = nullptr;
  if (!L || !L->getLine())
    return nullptr;
  const DILocation *Place = userPlace(L);
  if (Place != L)
    Inner = L;
  return Place;
}

} // namespace

const DILocation *kernix::userPlace(const DILocation *L) {
  const DILocation *Place = L;
  while (Place && isLibraryFile(Place) && Place->getInlinedAt())
    Place = Place->getInlinedAt();
  return Place && Place->getLine() ? Place : L;
}

/// Forward and reverse derivative of a function, and those of its variants, find the same at the same place.
bool Refusals::isNew(const DILocation *L, StringRef Text) {
  if (!L)
    L = Request.Location.get();
  std::string Key = Text.str();
  if (L)
    raw_string_ostream(Key) << '\n'
                            << L->getDirectory() << '/' << L->getFilename() << ':' << L->getLine() << ':'
                            << L->getColumn();
  return Request.Errors ? Request.Errors->insert(Key).second : Said.insert({L, hash_value(StringRef(Text))}).second;
}

void Refusals::error(const Instruction &I, const Twine &Message) {
  Failed = true;
  if (Quiet)
    return;
  const DILocation *Inner = nullptr;
  const DILocation *L = userLocation(I, Inner);
  std::string Text =
      "cannot differentiate '" + Request.Name + "': " + (isa<ConstrainedFPIntrinsic>(I) ? IsStrict : Message.str());
  if (!isNew(L, Text))
    return;
  LLVMContext &Context = I.getContext();
  Context.diagnose(DiagnosticInfoUnsupported(*Request.Body, Text, L ? DebugLoc(L) : Request.Location));
  if (Request.FactsOfPrimal) {
    std::string Note = "'" + Request.Name +
                       "' is a derivative that was written for this place, with stores and "
                       "barriers of its own: this is about a second derivative; where the first is enough, ask for "
                       "[[kernix::differentiable]] alone";
    const DILocation *Place = L ? L : Request.Location.get();
    if (Request.Says && Request.Says->Say)
      say(Report::ErrorNote, Place, Note, "");
    else
      Context.diagnose(DiagnosticInfoUnsupported(*Request.Body, Note, DebugLoc(Place), DS_Note));
  }
  if (!Inner)
    return;
  if (Request.Says && Request.Says->Say)
    return say(Report::ErrorNote, Inner, "this is where it happens, in a function that is called there", "");
  std::string Note = "reached from here through " + sys::path::filename(Inner->getFilename()).str() + ":" +
                     std::to_string(Inner->getLine());
  Context.diagnose(DiagnosticInfoUnsupported(*Request.Body, Note, DebugLoc(L), DS_Note));
}

void Refusals::error(const Twine &Message) {
  Failed = true;
  if (Quiet)
    return;
  std::string Text = "cannot differentiate '" + Request.Name + "': " + Message.str();
  if (!isNew(nullptr, Text))
    return;
  Request.Body->getContext().diagnose(DiagnosticInfoUnsupported(*Request.Body, Text, Request.Location));
}

void Refusals::say(Report::KindType Kind, const DILocation *Place, const Twine &Message, const Twine &Note) {
  if (!Place)
    Place = Request.Location.get();
  std::string Text = Message.str(), NoteText = Note.str(), File, Directory;
  Report Said;
  Said.Kind = Kind;
  Said.Message = Text.c_str();
  Said.Note = NoteText.c_str();
  if (Place) {
    File = Place->getFilename();
    Directory = Place->getDirectory();
    Said.File = File.c_str();
    Said.Directory = Directory.c_str();
    Said.Line = Place->getLine();
    Said.Column = Place->getColumn();
  }
  Request.Says->Say(Request.Says->Context, Said);
}

void Refusals::warnOfLostGradient(const Instruction &I, const Twine &Message, const Twine &Note) {
  if (Quiet)
    return;
  const DILocation *Inner = nullptr;
  const DILocation *L = userLocation(I, Inner);
  if (!isNew(L, Message.str()))
    return;
  if (Request.Says && Request.Says->Say)
    return say(Report::LostGradient, L, Message, Note);
  DebugLoc Place = L ? DebugLoc(L) : Request.Location;
  I.getContext().diagnose(DiagnosticInfoUnsupported(*Request.Body, Message, Place, DS_Warning));
  I.getContext().diagnose(DiagnosticInfoUnsupported(*Request.Body, Note, Place, DS_Note));
}

static bool hasListener(const DerivativeRequest &Request) {
  return Request.Says && Request.Says->Say && Request.Says->WantsRemarks;
}

bool Refusals::wantsRemarks() const {
  const DiagnosticHandler *Handler = Request.Body->getContext().getDiagHandlerPtr();
  return !Quiet && !Request.isWrittenAgain() &&
         (hasListener(Request) || (Handler && Handler->isPassedOptRemarkEnabled(RemarkPass)));
}

void Refusals::remark(const Instruction *I, const Twine &Message) {
  const DILocation *Inner = nullptr, *L = I ? userLocation(*I, Inner) : nullptr;
  std::string Text = "derivative of '" + Request.Name + "': " + Message.str();
  if (!wantsRemarks() || !Said.insert({L, hash_value(StringRef(Text))}).second)
    return;
  if (hasListener(Request))
    return say(Report::Remark, L, Text, "");
  OptimizationRemark Remark(RemarkPass, "Derivative", L ? DebugLoc(L) : Request.Location, &Request.Body->front());
  Remark << StringRef(Text);
  Request.Body->getContext().diagnose(Remark);
}
