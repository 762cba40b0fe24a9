//===- Geometry.h - threadIdx, blockIdx, blockDim and gridDim ----------------------------------------------------===//
//
// Replaces the calls of kernix_cpu_thread_idx_x() and its like. They are `const` to the front end, which only holds
// while a function runs one thread: none may be left when the optimiser starts.
//
//===----------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_CPUTARGET_GEOMETRY_H
#define KERNIX_PLUGIN_CPUTARGET_GEOMETRY_H

#include "CpuTarget/ObjectLayout.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace kernix {

struct GeometryItem {
  StateField Field;
  unsigned Axis;
};

/// What F stands for, if it is one of the geometry functions.
std::optional<GeometryItem> geometryItem(const llvm::Function &F);

/// True for the runtime's functions that end the launch with an error.
bool endsLaunch(const llvm::Function &F);

/// True if F itself asks which thread or block it runs in, or ends the launch (the message names them).
bool readsPlace(const llvm::Function &F);

/// Replaces the geometry calls in F by what Value returns.
void replaceGeometry(llvm::Function &F, llvm::function_ref<llvm::Value *(GeometryItem)> Value);

/// Replaces the geometry calls in F by loads of the running thread's state.
void loadGeometry(llvm::Function &F, const ObjectLayout &Layout);

} // namespace kernix

#endif
