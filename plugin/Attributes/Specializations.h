//===- Specializations.h - specializations say themselves what holds for them -------------------------------------===//
//
// Clang lets a specialization inherit what the LLVM half reads on functions and parameters from an instance of its
// template, which it takes for an earlier declaration.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_ATTRIBUTES_SPECIALIZATIONS_H
#define KERNIX_ATTRIBUTES_SPECIALIZATIONS_H

namespace clang {
class Decl;
}

namespace kernix {

class AttributeStore;

/// Before the code of D is made: takes away what only its template says.
void forgetAttributesOfTemplate(clang::Decl &D, AttributeStore &Store);

} // namespace kernix

#endif // KERNIX_ATTRIBUTES_SPECIALIZATIONS_H
