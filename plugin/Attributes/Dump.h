//===- Dump.h - -fplugin-arg-kernix-dump=attributes ---------------------------------------------------------------===//
//
// Prints what the store answers, for tests.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_DUMP_H
#define KERNIX_ATTRIBUTES_DUMP_H

namespace clang {
class Sema;
} // namespace clang
namespace llvm {
class raw_ostream;
} // namespace llvm

namespace kernix {

class AttributeStore;

/// Every annotated function (with the instantiations of a template), variable, parameter, local variable and statement,
/// each attribute spelt out.
void dumpAttributes(llvm::raw_ostream &Out, clang::Sema &S, AttributeStore &Store);

} // namespace kernix

#endif
