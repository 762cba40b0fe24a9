//===- Intent.cpp - [[kernix::intent(word, length, "element type")]] ----------------------------------------------===//
//
// Syntax and diagnostics. Whether the intent fits the parameter's type and role is Binding/Intents' business.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Attributes/Intent.h"
#include "Attributes/Attribute.h"
#include "Attributes/Effect.h"

using namespace clang;

namespace kernix {

/// In the order of IntentKind.
static constexpr llvm::StringRef Words[] = {"in", "inout_ptr", "out_ptr", "out_return", "out_array_return"};

llvm::StringRef spelling(IntentKind Kind) { return Words[static_cast<unsigned>(Kind)]; }

llvm::ArrayRef<llvm::StringRef> intentWords() { return Words; }

namespace {

class Intent : public DeclAttribute<&DeclAttributes::Intent> {
public:
  Intent() : DeclAttribute("intent", OnParameter) {}

  void check(Sema &S, const FinishedSubject &Subject) const override {
    warnUnlessBound(S, Subject, own(Subject), name());
  }

protected:
  bool apply(WrittenArguments &Arguments, DeclAttributes &Record) const override {
    if (!Arguments.count(1, 3))
      return false;
    std::optional<unsigned> Word = Arguments.oneOf(0, Words);
    if (!Word)
      return false;
    IntentAttribute New;
    New.Kind = static_cast<IntentKind>(*Word);
    if (New.Kind != IntentKind::OutArrayReturn) {
      if (Arguments.size() > 1) {
        Diagnostics(Arguments.sema()).error(Arguments.location(1), "'kernix::intent(%0)' takes no length or type")
            << Words[*Word] << Arguments.range(1);
        return false;
      }
      return setOnce(Arguments, Record.Intent, std::move(New));
    }
    // The length of an array is that of its type.
    if (Arguments.size() == 1)
      return setOnce(Arguments, Record.Intent, std::move(New));
    New.Length = Arguments.integer(1, 1);
    if (!New.Length)
      return false;
    if (Arguments.size() == 3 && !(New.ElementType = Arguments.string(2)))
      return false;
    return setOnce(Arguments, Record.Intent, std::move(New));
  }
};

ParsedAttrInfoRegistry::Add<Intent> Register("kernix-intent", "");

} // namespace
} // namespace kernix
