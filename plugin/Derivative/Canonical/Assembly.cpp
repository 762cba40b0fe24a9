//===- Assembly.cpp - what inline PTX is known to do ------------------------------------------------------------===//

#include "Derivative/Canonical/Assembly.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

/// Arithmetic, logic and conversions. With carries: these do not leave a text.
bool isComputation(StringRef Root) {
  static const StringSet<> Known = {
      "abs",    "add",      "addc", "and",   "bfe",      "bfi",       "bfind",     "bmsk",  "brev",  "clz",
      "cnot",   "copysign", "cos",  "cvt",   "cvta",     "div",       "dp2a",      "dp4a",  "ex2",   "fma",
      "fns",    "lg2",      "lop3", "mad",   "mad24",    "madc",      "max",       "min",   "mov",   "mul",
      "mul24",  "neg",      "not",  "or",    "popc",     "prmt",      "rcp",       "rem",   "rsqrt", "sad",
      "selp",   "set",      "setp", "shf",   "shl",      "shr",       "sin",       "slct",  "sqrt",  "sub",
      "subc",   "szext",    "tanh", "testp", "vabsdiff", "vabsdiff2", "vabsdiff4", "vadd",  "vadd2", "vadd4",
      "vavrg2", "vavrg4",   "vmad", "vmax",  "vmax2",    "vmax4",     "vmin",      "vmin2", "vmin4", "vset",
      "vset2",  "vset4",    "vshl", "vshr",  "vsub",     "vsub2",     "vsub4",     "xor"};
  return Known.contains(Root);
}

/// Lanes of a warp tell each other something here, but nothing about memory.
bool isHarmless(StringRef Root) {
  static const StringSet<> Known = {"activemask", "brkpt",  "elect",      "fence",   "griddepcontrol",
                                    "match",      "membar", "nanosleep",  "pmevent", "prefetch",
                                    "prefetchu",  "redux",  "setmaxnreg", "shfl",    "vote"};
  return Known.contains(Root);
}

/// Registers that say the same to a thread whenever it asks.
bool isFixedRegister(StringRef Name) {
  static constexpr StringRef Fixed[] = {"laneid", "lanemask_", "tid", "ntid", "ctaid", "nctaid"};
  return any_of(Fixed, [&](StringRef Start) { return Name.starts_with(Start); });
}

AssemblyEffect effectOf(const AssemblyStatement &S) {
  StringRef Root = S.root();
  bool Addresses = false, Asks = false;
  for (StringRef Operand : S.Operands) {
    Addresses |= Operand.contains('[');
    size_t At = Operand.find('%');
    Asks |= At != StringRef::npos && !isFixedRegister(Operand.drop_front(At + 1));
  }
  if (isHarmless(Root))
    return AssemblyEffect::Harmless;
  if (Addresses)
    return Root == "ld" || Root == "ldu" || Root == "tex" || Root == "tld4" ? AssemblyEffect::Reads
                                                                            : AssemblyEffect::Anything;
  if (!isComputation(Root))
    return AssemblyEffect::Anything;
  return Asks ? AssemblyEffect::Harmless : AssemblyEffect::Computes;
}

/// Text without comments, as pieces between semicolons and braces that begin or end a block.
SmallVector<StringRef, 4> pieces(StringRef Text) {
  SmallVector<StringRef, 4> Found;
  size_t Start = 0, Depth = 0;
  auto Cut = [&](size_t At) {
    if (StringRef Piece = Text.slice(Start, At).trim(); !Piece.empty())
      Found.push_back(Piece);
  };
  for (size_t I = 0; I < Text.size(); ++I) {
    if (Text.substr(I).starts_with("//") || Text.substr(I).starts_with("/*")) {
      Cut(I);
      bool IsLine = Text[I + 1] == '/';
      size_t End = Text.find(IsLine ? "\n" : "*/", I);
      I = End == StringRef::npos ? Text.size() : IsLine ? End : End + 1;
      Start = std::min(I + 1, Text.size());
      continue;
    }
    bool IsEmpty = Text.slice(Start, I).trim().empty();
    if (Text[I] == ';' || (IsEmpty && (Text[I] == '{' || (Text[I] == '}' && !Depth)))) {
      Cut(I);
      Start = I + 1;
    } else if (Text[I] == '{') {
      ++Depth;
    } else if (Text[I] == '}' && Depth) {
      --Depth;
    }
  }
  Cut(Text.size());
  return Found;
}

} // namespace

SmallVector<AssemblyStatement, 2> kernix::statementsOf(StringRef Text) {
  SmallVector<AssemblyStatement, 2> Found;
  for (StringRef Piece : pieces(Text)) {
    if (Piece.starts_with("."))
      continue; // .reg
    if (Piece.starts_with("@"))
      Piece = Piece.drop_until(isSpace).ltrim();
    AssemblyStatement S;
    S.Operation = Piece.take_until(isSpace);
    StringRef Rest = Piece.drop_front(S.Operation.size()).trim();
    while (!Rest.empty()) {
      size_t End = Rest.starts_with("{") ? Rest.find('}') : Rest.starts_with("[") ? Rest.find(']') : 0;
      End = Rest.find(',', End == StringRef::npos ? 0 : End);
      S.Operands.push_back(Rest.take_front(End).trim());
      Rest = End == StringRef::npos ? StringRef() : Rest.drop_front(End + 1).ltrim();
    }
    Found.push_back(S);
  }
  return Found;
}

AssemblyEffect kernix::effectOf(const CallBase &Assembly) {
  if (!Assembly.getModule()->getTargetTriple().isNVPTX())
    return AssemblyEffect::Anything;
  AssemblyEffect Most = AssemblyEffect::Computes;
  const auto *Text = cast<InlineAsm>(Assembly.getCalledOperand());
  for (const AssemblyStatement &S : statementsOf(Text->getAsmString()))
    Most = std::max(Most, ::effectOf(S));
  return Most;
}

std::string kernix::nameOfAssembly(const CallBase &Assembly) {
  const auto *Text = cast<InlineAsm>(Assembly.getCalledOperand());
  auto Statements = statementsOf(Text->getAsmString());
  return Statements.empty() ? "inline assembly" : "the inline assembly '" + Statements.front().Operation.str() + "'";
}
