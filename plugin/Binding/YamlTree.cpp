//===- YamlTree.cpp - a YAML file with clang's locations ----------------------------------------------------------===//
//
// Reads with LLVM's YAML parser, keeps the bytes in clang's SourceManager, and reports through clang.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Binding/YamlTree.h"
#include "Diagnostics/Diagnostics.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

using namespace clang;
namespace yaml = llvm::yaml;

namespace kernix {
namespace {

class Reader {
public:
  Reader(Diagnostics &Diag, FileID File)
      : Diag(Diag), SM(Diag.engine().getSourceManager()), File(File), Bytes(SM.getBufferData(File)) {}

  std::optional<YamlNode> read() {
    llvm::SourceMgr Messages;
    Messages.setDiagHandler(forward, this);
    yaml::Stream Stream(Bytes, Messages, /*ShowColors=*/false);
    std::optional<YamlNode> Root;
    for (yaml::Document &Document : Stream) {
      yaml::Node *Node = Document.getRoot();
      if (!Node || Failed)
        break;
      if (Root) {
        error(rangeOf(Node->getSourceRange()), "a second document in the configuration file");
        break;
      }
      Root = convert(Node, SM.getLocForStartOfFile(File));
    }
    if (Stream.failed() && !Failed)
      error(SM.getLocForStartOfFile(File), "the configuration file is not YAML");
    if (!Root && !Failed)
      error(SM.getLocForStartOfFile(File), "the configuration file holds nothing");
    if (Failed)
      return std::nullopt;
    return Root;
  }

private:
  static void forward(const llvm::SMDiagnostic &Message, void *Self) {
    auto &This = *static_cast<Reader *>(Self);
    if (Message.getKind() == llvm::SourceMgr::DK_Error)
      This.error(This.locationOf(Message.getLoc().getPointer()), Message.getMessage());
  }

  void error(SourceRange Range, llvm::StringRef Text) {
    Diag.error(Range.getBegin(), "%0") << Text << Range;
    Failed = true;
  }

  SourceLocation locationOf(const char *Pointer) const {
    if (!Pointer || Pointer < Bytes.begin())
      return SM.getLocForStartOfFile(File);
    size_t Offset = std::min<size_t>(Pointer - Bytes.begin(), Bytes.size());
    return SM.getLocForStartOfFile(File).getLocWithOffset(Offset);
  }

  SourceRange rangeOf(llvm::SMRange Range) const {
    const char *Begin = Range.Start.getPointer();
    // Of a list in brackets LLVM knows the place behind the bracket.
    if (Begin && Begin > Bytes.begin() && Begin <= Bytes.end() && (Begin[-1] == '[' || Begin[-1] == '{'))
      --Begin;
    return locationOf(Begin);
  }

  /// `Around` is the place of what the node belongs to.
  YamlNode convert(yaml::Node *Node, SourceRange Around) {
    YamlNode Result;
    // These two have no place of their own.
    bool Placeless = isa<yaml::AliasNode>(Node) || isa<yaml::NullNode>(Node);
    Result.Text.Range = Placeless ? Around : rangeOf(Node->getSourceRange());
    if (isa<yaml::AliasNode>(Node)) {
      error(Result.range(), "aliases are not supported here: write the value out");
      return Result;
    }
    if (auto *Scalar = dyn_cast<yaml::ScalarNode>(Node)) {
      convert(*Scalar, Result);
    } else if (auto *Block = dyn_cast<yaml::BlockScalarNode>(Node)) {
      Result.Type = YamlNode::Scalar;
      Result.Text.Text = Block->getValue().rtrim('\n').str();
    } else if (auto *Sequence = dyn_cast<yaml::SequenceNode>(Node)) {
      Result.Type = YamlNode::Sequence;
      for (yaml::Node &Item : *Sequence)
        Result.Items.push_back(convert(&Item, Result.range()));
    } else if (auto *Mapping = dyn_cast<yaml::MappingNode>(Node)) {
      Result.Type = YamlNode::Mapping;
      for (yaml::KeyValueNode &Entry : *Mapping)
        convert(Entry, Result);
    }
    return Result;
  }

  void convert(yaml::KeyValueNode &Entry, YamlNode &Mapping) {
    yaml::Node *KeyNode = Entry.getKey();
    if (!KeyNode || Failed)
      return;
    YamlNode Key = convert(KeyNode, Mapping.range());
    yaml::Node *ValueNode = Entry.getValue();
    if (!ValueNode || Failed)
      return;
    if (Key.Type != YamlNode::Scalar)
      return error(Key.range(), "expected a name as the key");
    for (const YamlNode &Other : Mapping.Keys)
      if (Other.Text.Text == Key.Text.Text) {
        error(Key.range(), "the key '" + Key.Text.Text + "' is given twice");
        Diag.note(Other.location(), "first given here") << Other.range();
        return;
      }
    YamlNode Value = convert(ValueNode, Key.range());
    Mapping.Keys.push_back(std::move(Key));
    Mapping.Values.push_back(std::move(Value));
  }

  void convert(yaml::ScalarNode &Scalar, YamlNode &Result) {
    Result.Type = YamlNode::Scalar;
    llvm::StringRef Raw = Scalar.getRawValue();
    llvm::SmallString<64> Storage;
    Result.Text.Text = Scalar.getValue(Storage).str();
    Result.Text.Range = SourceRange(locationOf(Raw.begin()), locationOf(Raw.empty() ? Raw.begin() : Raw.end() - 1));
    locateBytes(Raw, Result.Text);
  }

  /// Fills ByteOffsets, unless the scalar runs over several lines, which folds blanks.
  static void locateBytes(llvm::StringRef Raw, StringArgument &Text) {
    char Quote = Raw.empty() ? '\0' : Raw.front();
    bool Quoted = Quote == '"' || Quote == '\'';
    std::vector<unsigned> Offsets;
    size_t End = Quoted ? Raw.size() - 1 : Raw.size();
    for (size_t I = Quoted ? 1 : 0; I < End;) {
      size_t Length = 1, Produced = 1;
      if (Quote == '\'' && Raw[I] == '\'') {
        Length = 2;
      } else if (Quote == '"' && Raw[I] == '\\') {
        char Letter = I + 1 < End ? Raw[I + 1] : '\0';
        Length = Letter == 'x' ? 4 : Letter == 'u' ? 6 : Letter == 'U' ? 10 : 2;
        Produced = bytesOf(Letter, Raw.substr(I + 2, Length - 2));
      }
      Offsets.insert(Offsets.end(), Produced, I);
      I += Length;
    }
    Offsets.push_back(End);
    if (Offsets.size() == Text.Text.size() + 1 && !Raw.contains('\n'))
      Text.ByteOffsets = std::move(Offsets);
  }

  /// How many bytes of UTF-8 an escape stands for.
  static size_t bytesOf(char Letter, llvm::StringRef Digits) {
    uint32_t Code = Letter == 'N' || Letter == '_' ? 0x85 : Letter == 'L' || Letter == 'P' ? 0x2028 : 0;
    if (!Digits.empty() && Digits.getAsInteger(16, Code))
      return 1;
    return Code < 0x80 ? 1 : Code < 0x800 ? 2 : Code < 0x10000 ? 3 : 4;
  }

  Diagnostics &Diag;
  SourceManager &SM;
  FileID File;
  llvm::StringRef Bytes;
  bool Failed = false;
};

} // namespace

std::optional<YamlNode> readYaml(Diagnostics &Diag, llvm::StringRef Path) {
  SourceManager &SM = Diag.engine().getSourceManager();
  llvm::Expected<FileEntryRef> File = SM.getFileManager().getFileRef(Path, /*OpenFile=*/true);
  if (!File) {
    Diag.error(SourceLocation(), "cannot read the configuration file '%0': %1")
        << Path << llvm::toString(File.takeError());
    return std::nullopt;
  }
  FileID Id = SM.createFileID(*File, SourceLocation(), SrcMgr::C_User);
  if (!SM.getBufferOrNone(Id)) {
    Diag.error(SourceLocation(), "cannot read the configuration file '%0'") << Path;
    return std::nullopt;
  }
  return Reader(Diag, Id).read();
}

} // namespace kernix
