//===- HandOver.h - what passes between the halves of the plugin
//-----------------------------------------------------===//
//
// kernix.so exports these functions for kernix-front.so, and both know the annotations by which the front half asks the
// LLVM half for work. No Clang type appears here.
//
//===----------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_PLUGIN_HANDOVER_H
#define KERNIX_PLUGIN_HANDOVER_H

namespace llvm {
class PassBuilder;
}

namespace kernix {

/// `annotate("kernix.derive", &kernix_primal_<hash>, &facts or null, "<json>", "file", line, column)` on
/// kernix_forward_<hash> or kernix_reverse_<hash>, whose body the LLVM half writes. The primal takes the addresses of
/// f's parameters and of its result, the derivative after each of them the address of the shadow: of the tangent or
/// gradient of a value, of the shadow parameter of a pointer or view, null where there is none. The pointers are the
/// only link to f: nothing is found by name. `facts` is a kernix_launch_facts of which the LLVM half fills all but
/// record_hash. What the JSON holds is listed in Synthesis/DerivativeJson.cpp.
inline constexpr char DeriveAnnotation[] = "kernix.derive";

/// `annotate("kernix.rule", &f, &stub, &marker, &primal, &thunk, "<json>")` on a function that exists for nothing else:
/// f has a derivative that the source has written, for the mode that the JSON says (Synthesis/RuleJson.cpp). What the
/// four helpers are is said in Derivative/CustomRules/CustomRules.h. The LLVM half removes everything of it.
inline constexpr char RuleAnnotation[] = "kernix.rule";

/// `annotate("kernix.no_diff")` on a function or a local variable: what it gives is constant for differentiation.
inline constexpr char NoDiffAnnotation[] = "kernix.no_diff";

/// `annotate("kernix.assigns")` on a function whose derivative assigns a gradient instead of adding to it, and so has
/// to be called for each of its calls, also where nothing comes of what it returns.
inline constexpr char AssignsAnnotation[] = "kernix.assigns";

/// `annotate("kernix.store:<name>")` and `annotate("kernix.recompute:<name>")` on a function or a local variable, which
/// has this name in messages: whether its values are stored for a backward derivative or computed again.
inline constexpr char StoreAnnotation[] = "kernix.store", RecomputeAnnotation[] = "kernix.recompute";

/// `annotate("kernix.own")` on a function outside of namespaces and classes that is not CUDA's: whatever its name is,
/// it means what its body says.
inline constexpr char OwnAnnotation[] = "kernix.own";

/// What the names of shims for Numba begin with (Synthesis/NumbaShim.h).
inline constexpr char NumbaShimPrefix[] = "kernix_numba_";

/// What the names of kernels begin with that have an axis for a batch (Batched/BatchedKernel.h).
inline constexpr char BatchedKernelPrefix[] = "kernix_batched_";

/// What the LLVM half says beside its errors. The front half knows which groups the user wants to see, and where.
struct Report {
  enum KindType {
    LostGradient, ///< a warning of -Wkernix-lost-gradient
    Remark,       ///< of -Rkernix
    ErrorNote     ///< belongs to the error that LLVM has just reported
  };
  KindType Kind = Remark;
  const char *Directory = "", *File = ""; ///< an empty file: no place
  unsigned Line = 0, Column = 0;
  const char *Message = "", *Note = ""; ///< an empty note: none
};

struct Reporter {
  void (*Say)(void *Context, const Report &) = nullptr; ///< null, as in opt: warnings are LLVM's, remarks nobody's
  void *Context = nullptr;
  bool WantsRemarks = false;
};

} // namespace kernix

/// Puts the passes of the CPU target into the pipelines that Builder makes, at every optimisation level. Unit names the
/// source file: equal in its host and its device pass, different from every other file that it may be linked with.
/// Empty: a hash of the file's name.
extern "C" __attribute__((visibility("default"))) void kernixAddCpuPasses(llvm::PassBuilder &Builder, bool IsDevice,
                                                                          const char *Unit);

/// Makes all but the shims for Numba internal, at the start of the pipelines that Builder makes.
extern "C" __attribute__((visibility("default"))) void kernixAddNumbaPasses(llvm::PassBuilder &Builder);

/// Adds a version with an axis for a batch to each kernel that allows it, and removes the rest, at the end of the
/// pipelines that Builder makes.
extern "C" __attribute__((visibility("default"))) void kernixAddBatchedPasses(llvm::PassBuilder &Builder);

/// Puts `kernix-derive` at the start of the pipelines that Builder makes. Libdevice: path of the bitcode of CUDA's math
/// library that this compilation links, or "". IsDeterministic: sums whose order the threads decide are errors. What
/// Reporter refers to lives as long as the passes.
extern "C" __attribute__((visibility("default"))) void kernixAddDerivativePasses(llvm::PassBuilder &Builder,
                                                                                 const char *Libdevice,
                                                                                 bool IsDeterministic,
                                                                                 const kernix::Reporter &Reporter);

#endif // KERNIX_PLUGIN_HANDOVER_H
