//===- YamlTree.h - a YAML file with clang's locations ------------------------------------------------------------===//
//
// LLVM's reader gives a stream that can be walked once; this is the whole document as a tree in which every node knows
// its place in clang's SourceManager. Knows nothing of kernix.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_YAMLTREE_H
#define KERNIX_BINDING_YAMLTREE_H

#include "Attributes/Arguments.h"
#include "llvm/ADT/STLExtras.h"

namespace kernix {

class Diagnostics;

struct YamlNode {
  enum Kind { Null, Scalar, Sequence, Mapping };

  Kind Type = Null;
  /// The scalar; of other nodes only its range counts.
  StringArgument Text;
  std::vector<YamlNode> Items;
  /// Keys are scalars, and each is there once.
  std::vector<YamlNode> Keys, Values;

  /// The (key, value) pairs of a mapping.
  auto entries() const { return llvm::zip_equal(Keys, Values); }

  clang::SourceLocation location() const { return Text.location(); }
  clang::SourceRange range() const { return Text.Range; }
  bool isScalar(llvm::StringRef Word) const { return Type == Scalar && Text.Text == Word; }
};

/// Reads the file, which must hold one document; nothing after an error was reported.
std::optional<YamlNode> readYaml(Diagnostics &Diag, llvm::StringRef Path);

} // namespace kernix

#endif
