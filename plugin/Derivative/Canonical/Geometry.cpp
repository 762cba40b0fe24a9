//===- Geometry.cpp - the canonical names of threadIdx, blockIdx, blockDim and gridDim --------------------------===//

#include "Derivative/Canonical/Geometry.h"
#include "Derivative/Canonical/MathFunctions.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

// CUDA's limits, the same for every compute capability.
const Geometry Table[] = {
    {"thread_idx.x", "kernix_cpu_thread_idx_x", Intrinsic::nvvm_read_ptx_sreg_tid_x, 0, 1023},
    {"thread_idx.y", "kernix_cpu_thread_idx_y", Intrinsic::nvvm_read_ptx_sreg_tid_y, 0, 1023},
    {"thread_idx.z", "kernix_cpu_thread_idx_z", Intrinsic::nvvm_read_ptx_sreg_tid_z, 0, 63},
    {"block_idx.x", "kernix_cpu_block_idx_x", Intrinsic::nvvm_read_ptx_sreg_ctaid_x, 0, 0x7ffffffe},
    {"block_idx.y", "kernix_cpu_block_idx_y", Intrinsic::nvvm_read_ptx_sreg_ctaid_y, 0, 65534},
    {"block_idx.z", "kernix_cpu_block_idx_z", Intrinsic::nvvm_read_ptx_sreg_ctaid_z, 0, 65534},
    {"block_dim.x", "kernix_cpu_block_dim_x", Intrinsic::nvvm_read_ptx_sreg_ntid_x, 1, 1024},
    {"block_dim.y", "kernix_cpu_block_dim_y", Intrinsic::nvvm_read_ptx_sreg_ntid_y, 1, 1024},
    {"block_dim.z", "kernix_cpu_block_dim_z", Intrinsic::nvvm_read_ptx_sreg_ntid_z, 1, 64},
    {"grid_dim.x", "kernix_cpu_grid_dim_x", Intrinsic::nvvm_read_ptx_sreg_nctaid_x, 1, 0x7fffffff},
    {"grid_dim.y", "kernix_cpu_grid_dim_y", Intrinsic::nvvm_read_ptx_sreg_nctaid_y, 1, 65535},
    {"dynamic_shared_size", "kernix_cpu_dynamic_shared_size", Intrinsic::nvvm_read_ptx_sreg_dynamic_smem_size, 0,
     0x7fffffff},
    {"grid_dim.z", "kernix_cpu_grid_dim_z", Intrinsic::nvvm_read_ptx_sreg_nctaid_z, 1, 65535},
};

} // namespace

const Geometry *kernix::findGeometry(StringRef Name) {
  for (const Geometry &Item : Table)
    if (Item.Name == Name)
      return &Item;
  return nullptr;
}

const Geometry *kernix::findGeometryOfTarget(const Function &F) {
  Intrinsic::ID ID = F.getIntrinsicID();
  for (const Geometry &Item : Table)
    if (ID != Intrinsic::not_intrinsic ? Item.Gpu == ID : Item.Cpu == F.getName())
      return &Item;
  return nullptr;
}

Function *kernix::declareGeometry(Module &M, const Geometry &Item) {
  Type *Int32 = Type::getInt32Ty(M.getContext());
  Function *F = declareCanonical(M, "kernix." + Item.Name, FunctionType::get(Int32, false));
  // Unlike a logarithm, an index can be read anywhere.
  F->setSpeculatable();
  F->addRangeRetAttr(ConstantRange(APInt(32, Item.Least), APInt(32, Item.Most) + 1));
  return F;
}
