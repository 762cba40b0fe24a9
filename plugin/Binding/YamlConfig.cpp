//===- YamlConfig.cpp - -fplugin-arg-kernix-config=bind.yaml ------------------------------------------------------===//
//
// Reads `Functions:` and `Function Argument Intents:`. What attributes mean together is checked with those of the
// source; expressions are parsed by Binding/Expressions.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Binding/YamlConfig.h"
#include "Attributes/AttributeStore.h"
#include "Binding/FunctionNames.h"
#include "Binding/YamlTree.h"
#include "Diagnostics/Diagnostics.h"
#include "Diagnostics/NearestName.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/Sema.h"
#include <utility>

using namespace clang;

namespace kernix {
namespace {

class Config {
public:
  Config(Sema &S, AttributeStore &Store) : Store(Store), Diag(S), Context(S.Context), Names(S.Context) {}

  bool apply(const YamlNode &Root) {
    if (!expect(Root, YamlNode::Mapping, "the sections 'Functions' and 'Function Argument Intents'"))
      return false;
    for (const auto &[Key, Value] : Root.entries()) {
      if (!checkKey(Key, {"Functions", "Function Argument Intents"}, "section"))
        continue;
      if (Value.Type == YamlNode::Null || !expect(Value, YamlNode::Mapping, "names of functions"))
        continue;
      for (const auto &[Name, Body] : Value.entries())
        readEntry(Key.isScalar("Functions"), Name, Body);
    }
    return Ok;
  }

private:
  void readEntry(bool IsFunctions, const YamlNode &Name, const YamlNode &Body) {
    llvm::SmallVector<const FunctionDecl *, 2> Functions = Names.find(Diag, Name.Text);
    if (Functions.empty())
      fail();
    if (!IsFunctions)
      keepThoseThatFit(Body, Functions);
    bool OkBefore = std::exchange(Ok, true);
    for (const FunctionDecl *Function : Functions) {
      // One mistake is reported once, not for every overload.
      if (!Ok)
        break;
      if (IsFunctions)
        readFunction(Name, Body, Function);
      else
        readParameters(Name, Body, Function, /*IntentsOnly=*/true);
    }
    Ok &= OkBefore;
  }

  /// Intents hold for those of the overloads that can have them; for all, which then say why not, if none can.
  static void keepThoseThatFit(const YamlNode &Body, llvm::SmallVectorImpl<const FunctionDecl *> &Functions) {
    if (Functions.size() < 2 || Body.Type != YamlNode::Mapping)
      return;
    llvm::SmallVector<const FunctionDecl *, 2> Fitting;
    for (const FunctionDecl *F : Functions)
      if (llvm::all_of(Body.entries(),
                       [&](const auto &Entry) { return canHave(F, std::get<0>(Entry), std::get<1>(Entry)); }))
        Fitting.push_back(F);
    if (!Fitting.empty())
      Functions.assign(Fitting.begin(), Fitting.end());
  }

  static bool canHave(const FunctionDecl *F, const YamlNode &Name, const YamlNode &Body) {
    unsigned Index = 0;
    if (llvm::StringRef(Name.Text.Text).getAsInteger(10, Index))
      Index = static_cast<unsigned>(
          llvm::find_if(F->parameters(), [&](const ParmVarDecl *P) { return P->getName() == Name.Text.Text; }) -
          F->param_begin());
    if (Index >= F->getNumParams())
      return false;
    const YamlNode *Intent = Body.Type == YamlNode::Scalar ? &Body : nullptr;
    if (Body.Type == YamlNode::Mapping)
      for (const auto &[Key, Value] : Body.entries())
        if (Key.isScalar("intent"))
          Intent = &Value;
    QualType Type = F->getParamDecl(Index)->getOriginalType();
    if (!Intent || Intent->isScalar("in"))
      return true;
    QualType Object = Type.getNonReferenceType();
    if (Intent->isScalar("out_array_return"))
      return Object->isPointerType() || Object->isArrayType();
    return Type->isReferenceType() && !Object.isConstQualified();
  }

  //===--- Shapes of nodes

  void fail() { Ok = false; }

  bool expect(const YamlNode &Node, YamlNode::Kind Kind, llvm::StringRef What) {
    if (Node.Type == Kind)
      return true;
    Diag.error(Node.location(), "expected %0") << What << Node.range();
    fail();
    return false;
  }

  bool checkKey(const YamlNode &Key, llvm::ArrayRef<llvm::StringRef> Known, llvm::StringRef What) {
    if (llvm::is_contained(Known, Key.Text.Text))
      return true;
    llvm::StringRef Nearest = nearestName(Key.Text.Text, Known);
    if (Nearest.empty())
      Diag.error(Key.location(), "unknown %0 '%1'; expected %2")
          << What << Key.Text.Text << quotedList(Known) << Key.range();
    else
      Diag.error(Key.location(), "unknown %0 '%1'; did you mean '%2'?")
          << What << Key.Text.Text << Nearest << FixItHint::CreateReplacement(Key.range(), Nearest);
    fail();
    return false;
  }

  std::optional<unsigned> word(const YamlNode &Node, llvm::ArrayRef<llvm::StringRef> Words, llvm::StringRef What) {
    if (!expect(Node, YamlNode::Scalar, quotedList(Words)) || !checkKey(Node, Words, What))
      return std::nullopt;
    return llvm::find(Words, llvm::StringRef(Node.Text.Text)) - Words.begin();
  }

  std::optional<StringArgument> string(const YamlNode &Node, llvm::StringRef What) {
    if (!expect(Node, YamlNode::Scalar, What))
      return std::nullopt;
    return Node.Text;
  }

  std::optional<IntegerArgument> integer(const YamlNode &Node, int64_t Least, llvm::StringRef What) {
    IntegerArgument Result;
    Result.Range = Node.range();
    Result.Least = Least;
    int64_t Value = 0;
    if (Node.Type != YamlNode::Scalar || llvm::StringRef(Node.Text.Text).getAsInteger(0, Value) || Value < Least) {
      Diag.error(Node.location(), "%0 must be an integer of at least %1")
          << What << std::to_string(Least) << Node.range();
      fail();
      return std::nullopt;
    }
    Result.Value = Value;
    return Result;
  }

  /// `true`; anything else is an error, `false` too: nothing here can undo what the source says.
  bool isTrue(const YamlNode &Node, llvm::StringRef What) {
    if (Node.isScalar("true"))
      return true;
    Diag.error(Node.location(), "%0 can only be 'true'; leave it out otherwise") << What << Node.range();
    fail();
    return false;
  }

  std::optional<ExtentArgument> extent(const YamlNode &Node, int64_t Least, llvm::StringRef What) {
    if (!expect(Node, YamlNode::Scalar, "an integer or an expression"))
      return std::nullopt;
    ExtentArgument Result;
    int64_t Value = 0;
    if (llvm::StringRef(Node.Text.Text).getAsInteger(0, Value)) {
      Result.Expression = Node.Text;
      return Result;
    }
    Result.Integer = integer(Node, Least, What);
    return Result.Integer ? std::optional(Result) : std::nullopt;
  }

  /// One to three of them.
  template <class Record> void extents(const YamlNode &Key, const YamlNode &Node, std::optional<Record> &Slot) {
    Record New;
    llvm::ArrayRef<YamlNode> Items = Node.Type == YamlNode::Sequence ? llvm::ArrayRef(Node.Items) : Node;
    if (Items.empty() || Items.size() > 3) {
      Diag.error(Node.location(), "'%0' takes one to three extents, %1 given")
          << Key.Text.Text << static_cast<unsigned>(Items.size()) << Node.range();
      return fail();
    }
    for (const YamlNode &Item : Items) {
      std::optional<ExtentArgument> Extent = extent(Item, 1, "'" + Key.Text.Text + "'");
      if (!Extent)
        return;
      New.Extents.push_back(std::move(*Extent));
    }
    set(Key, Slot, std::move(New));
  }

  template <class Record> void set(const YamlNode &Key, std::optional<Record> &Slot, Record New) {
    New.Range = Key.range();
    New.External = true;
    const SourceManager &Sources = Context.getSourceManager();
    if (Slot && Sources.getFileID(Slot->location()) != Sources.getFileID(Key.location())) {
      if (!Slot->sameAs(New, Context)) {
        Diag.warning(
            WarningGroup::NoEffect, Slot->location(),
            "'%0' of this %select{function|parameter}1 has no effect: a later configuration file says otherwise")
            << Key.Text.Text << InParameter << Slot->Range;
        Diag.note(Key.location(), "given here") << Key.range();
      }
    } else if (Slot) {
      Diag.error(Key.location(), "'%0' of this %select{function|parameter}1 is given twice")
          << Key.Text.Text << InParameter << Key.range();
      Diag.note(Slot->location(), "first given here") << Slot->Range;
      return fail();
    }
    Slot = std::move(New);
  }

  //===--- Functions

  void readFunction(const YamlNode &Name, const YamlNode &Body, const FunctionDecl *Function) {
    InParameter = false;
    DeclAttributes &Slots = Store.external(Function);
    if (Body.isScalar("true") || Body.isScalar("false")) {
      Diag.error(Body.location(), "'%0' is no token string; a function is bound with '{bind: true}'")
          << Body.Text.Text << Body.range();
      return fail();
    }
    if (Body.Type == YamlNode::Scalar) {
      BindAttribute Bind;
      Bind.ArgSpec = Body.Text;
      return set(Name, Slots.Bind, std::move(Bind));
    }
    if (!expect(Body, YamlNode::Mapping, "a token string, or a mapping with 'bind'"))
      return;
    readBind(Body, Slots);
    for (const auto &[Key, Value] : Body.entries()) {
      InParameter = false;
      if (!checkKey(Key, {"bind", "arg_spec", "grid", "block", "shared_bytes", "differentiable", "parameters"}, "key"))
        continue;
      if (Key.isScalar("grid"))
        extents(Key, Value, Slots.Grid);
      else if (Key.isScalar("block"))
        extents(Key, Value, Slots.Block);
      else if (Key.isScalar("shared_bytes"))
        readSharedBytes(Key, Value, Slots);
      else if (Key.isScalar("differentiable"))
        readDifferentiable(Key, Value, Slots);
      else if (Key.isScalar("parameters"))
        readParameters(Key, Value, Function, /*IntentsOnly=*/false);
    }
  }

  /// `bind` and `arg_spec` make one attribute.
  void readBind(const YamlNode &Body, DeclAttributes &Slots) {
    BindAttribute Bind;
    const YamlNode *Key = nullptr;
    for (const auto &[Each, Value] : Body.entries()) {
      if (Each.isScalar("bind")) {
        Key = &Each;
        if (!expect(Value, YamlNode::Scalar, "'true' or the public name"))
          return;
        if (Value.isScalar("false")) {
          isTrue(Value, "'bind'");
          return;
        }
        if (!Value.isScalar("true") && !(Bind.Name = publicName(Value)))
          return;
      } else if (Each.isScalar("arg_spec")) {
        Key = Key ? Key : &Each;
        if (!(Bind.ArgSpec = string(Value, "a token string")))
          return;
      }
    }
    if (Key)
      set(*Key, Slots.Bind, std::move(Bind));
  }

  std::optional<StringArgument> publicName(const YamlNode &Node) {
    size_t Bad = firstByteNoName(Node.Text.Text);
    if (Bad == llvm::StringRef::npos)
      return Node.Text;
    Diag.error(Node.Text.locationOf(Bad, Context),
               "'%0' is not a public name: letters, digits and underscores only, no digit first")
        << Node.Text.Text;
    fail();
    return std::nullopt;
  }

  void readSharedBytes(const YamlNode &Key, const YamlNode &Value, DeclAttributes &Slots) {
    std::optional<ExtentArgument> Bytes = extent(Value, 0, "'shared_bytes'");
    if (!Bytes)
      return;
    SharedBytesAttribute New;
    New.Bytes = std::move(*Bytes);
    set(Key, Slots.SharedBytes, std::move(New));
  }

  void readDifferentiable(const YamlNode &Key, const YamlNode &Value, DeclAttributes &Slots) {
    DifferentiableAttribute New;
    std::optional<unsigned> Word = word(Value, {"true", "forward", "backward", "1", "2"}, "value");
    if (!Word)
      return;
    New.Forward = *Word != 2;
    New.Backward = *Word != 1;
    New.Order = *Word == 4 ? 2 : 1;
    set(Key, Slots.Differentiable, std::move(New));
  }

  //===--- Parameters

  void readParameters(const YamlNode &Where, const YamlNode &Body, const FunctionDecl *Function, bool IntentsOnly) {
    if (Body.Type == YamlNode::Null)
      return;
    if (!expect(Body, YamlNode::Mapping, "names or indices of parameters"))
      return;
    for (const auto &[Name, Value] : Body.entries())
      if (const ParmVarDecl *Parameter = parameter(Name, Function))
        readParameter(Name, Value, Store.external(Parameter), IntentsOnly);
  }

  const ParmVarDecl *parameter(const YamlNode &Name, const FunctionDecl *Function) {
    unsigned Index = 0, Count = Function->getNumParams();
    if (!llvm::StringRef(Name.Text.Text).getAsInteger(10, Index)) {
      if (Index < Count)
        return Function->getParamDecl(Index);
      Diag.error(Name.location(), "no parameter %0: %1 has %2 parameter%s2")
          << Index << Function << Count << Name.range();
      Diag.note(Function->getLocation(), "%0 is declared here") << Function;
      fail();
      return nullptr;
    }
    llvm::SmallVector<llvm::StringRef, 8> Known;
    for (const FunctionDecl *Each : Function->redecls())
      for (const ParmVarDecl *Parameter : Each->parameters()) {
        if (Parameter->getName() == Name.Text.Text)
          return Function->getParamDecl(Parameter->getFunctionScopeIndex());
        Known.push_back(Parameter->getName());
      }
    llvm::StringRef Nearest = nearestName(Name.Text.Text, Known);
    Diag.error(Name.location(), "%0 has no parameter '%1'%select{; did you mean '%3'?|}2")
        << Function << Name.Text.Text << Nearest.empty() << Nearest << Name.range();
    Diag.note(Function->getLocation(), "%0 is declared here") << Function;
    fail();
    return nullptr;
  }

  void readParameter(const YamlNode &Name, const YamlNode &Body, DeclAttributes &Slots, bool IntentsOnly) {
    InParameter = true;
    if (IntentsOnly && Body.Type == YamlNode::Scalar)
      return readIntent(Name, Body, YamlNode(), Slots);
    if (!expect(Body, YamlNode::Mapping, IntentsOnly ? "an intent, or a mapping with 'intent'" : "a mapping"))
      return;
    for (const auto &[Key, Value] : Body.entries()) {
      llvm::SmallVector<llvm::StringRef, 8> Known = {"intent", "length", "dtype"};
      if (!IntentsOnly)
        Known.append({"shape", "value", "diff", "no_diff", "optional"});
      if (!checkKey(Key, Known, "key"))
        continue;
      if (Key.isScalar("intent"))
        readIntent(Key, Value, Body, Slots);
      else if (Key.isScalar("shape"))
        readShape(Key, Value, Slots);
      else if (Key.isScalar("value"))
        readValue(Key, Value, Slots);
      else if (Key.isScalar("diff"))
        readDiff(Key, Value, Slots);
      else if (Key.isScalar("no_diff") && isTrue(Value, "'no_diff'"))
        set(Key, Slots.NoDiff, NoDiffAttribute());
      else if (Key.isScalar("optional") && isTrue(Value, "'optional'"))
        set(Key, Slots.Optional, OptionalAttribute());
    }
    checkLengthHasIntent(Body);
  }

  /// The value; null where the key is absent.
  static const YamlNode *valueOf(const YamlNode &Mapping, llvm::StringRef Name) {
    for (const auto &[Key, Value] : Mapping.entries())
      if (Key.isScalar(Name))
        return &Value;
    return nullptr;
  }

  void checkLengthHasIntent(const YamlNode &Body) {
    const YamlNode *Intent = valueOf(Body, "intent");
    if (Intent && Intent->isScalar("out_array_return"))
      return;
    for (const YamlNode &Key : Body.Keys) {
      if (!Key.isScalar("length") && !Key.isScalar("dtype"))
        continue;
      Diag.error(Key.location(), "'%0' belongs to 'intent: out_array_return'") << Key.Text.Text << Key.range();
      fail();
    }
  }

  /// `Body` has the length and the element type.
  void readIntent(const YamlNode &Key, const YamlNode &Value, const YamlNode &Body, DeclAttributes &Slots) {
    std::optional<unsigned> Word = word(Value, intentWords(), "intent");
    if (!Word)
      return;
    IntentAttribute New;
    New.Kind = static_cast<IntentKind>(*Word);
    if (New.Kind == IntentKind::OutArrayReturn) {
      if (const YamlNode *Length = valueOf(Body, "length"); Length && !(New.Length = integer(*Length, 1, "'length'")))
        return;
      if (const YamlNode *Type = valueOf(Body, "dtype"); Type && !(New.ElementType = string(*Type, "a type name")))
        return;
    }
    set(Key, Slots.Intent, std::move(New));
  }

  void readShape(const YamlNode &Key, const YamlNode &Value, DeclAttributes &Slots) {
    ShapeAttribute New;
    llvm::ArrayRef<YamlNode> Items = Value.Type == YamlNode::Sequence ? llvm::ArrayRef(Value.Items) : Value;
    if (Items.empty() || Items.size() > 8) {
      Diag.error(Value.location(), "'shape' takes one to eight expressions, %0 given")
          << static_cast<unsigned>(Items.size()) << Value.range();
      return fail();
    }
    for (const YamlNode &Item : Items) {
      std::optional<StringArgument> Axis = string(Item, "an expression or a list of expressions");
      if (!Axis)
        return;
      New.Axes.push_back(std::move(*Axis));
    }
    set(Key, Slots.Shape, std::move(New));
  }

  void readValue(const YamlNode &Key, const YamlNode &Value, DeclAttributes &Slots) {
    std::optional<StringArgument> Expression = string(Value, "an expression");
    if (!Expression)
      return;
    ValueAttribute New;
    New.Expression = std::move(*Expression);
    set(Key, Slots.Value, std::move(New));
  }

  /// `true`, a word, or `[replicated, N]`.
  void readDiff(const YamlNode &Key, const YamlNode &Value, DeclAttributes &Slots) {
    DiffAttribute New;
    if (Value.isScalar("true"))
      return set(Key, Slots.Diff, std::move(New));
    llvm::ArrayRef<YamlNode> Items = Value.Type == YamlNode::Sequence ? llvm::ArrayRef(Value.Items) : Value;
    if (Items.empty() || Items.size() > 2) {
      Diag.error(Value.location(), "expected 'true', a word, or a word and a number") << Value.range();
      return fail();
    }
    std::optional<unsigned> Word = word(Items[0], accumulationWords(), "accumulation");
    if (!Word)
      return;
    New.Kind = static_cast<Accumulation>(*Word + 1);
    bool Counts = New.Kind == Accumulation::Replicated || New.Kind == Accumulation::Scatter;
    if (Counts != (Items.size() == 2)) {
      Diag.error(Items.back().location(), "'%0' takes %select{no number|a number: '[%0, 8]'}1")
          << spelling(New.Kind) << Counts << Items.back().range();
      return fail();
    }
    if (Counts && !(New.Count = integer(Items[1], 1, "the number")))
      return;
    set(Key, Slots.Diff, std::move(New));
  }

  AttributeStore &Store;
  Diagnostics Diag;
  const ASTContext &Context;
  FunctionNames Names;
  bool InParameter = false;
  bool Ok = true;
};

} // namespace

bool readYamlConfig(Sema &S, AttributeStore &Store, llvm::StringRef Path) {
  Diagnostics Diag(S);
  std::optional<YamlNode> Root = readYaml(Diag, Path);
  return Root && Config(S, Store).apply(*Root);
}

} // namespace kernix
