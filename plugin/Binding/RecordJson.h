//===- RecordJson.h - a record as JSON ----------------------------------------------------------------*- C++ -*-===//
//
// The reflection that `kernix_function.json` carries and that -fplugin-arg-kernix-dump=json prints. docs/reflection.md
// describes the fields.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_BINDING_RECORDJSON_H
#define KERNIX_BINDING_RECORDJSON_H

#include "Binding/BoundFunction.h"
#include "llvm/Support/JSON.h"

namespace clang {
class SourceManager;
}

namespace kernix {

/// The record without source locations, which differ between machines; keys in a fixed order.
llvm::json::Value recordToJson(const BoundFunction &F);
std::string recordJson(const BoundFunction &F);

/// The same with a "location" ("file:line:column") for the function and each parameter and the "record_hash", for the
/// dump.
llvm::json::Value recordToJson(const BoundFunction &F, const clang::SourceManager &SM);

} // namespace kernix

#endif // KERNIX_BINDING_RECORDJSON_H
