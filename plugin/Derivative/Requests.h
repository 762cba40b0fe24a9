//===- Requests.h - reading what the front half asks for --------------------------------------------------------===//
//
// The front half describes each derivative by an annotation (HandOver.h). All arguments of the functions named there
// are pointers, one or two for each parameter of the source, so that no calling convention matters here.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_REQUESTS_H
#define KERNIX_DERIVATIVE_REQUESTS_H

#include "HandOver.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"
#include <array>
#include <string>
#include <vector>

namespace kernix {

class CustomRules;

/// A part of a parameter that differentiation has to know.
struct Leaf {
  enum KindType {
    Value,   ///< a floating-point number that lies in the parameter
    Pointer, ///< a pointer that lies in the parameter: to the elements of a tensor
    Memory,  ///< the argument itself points to memory: a reference or the result; of integers its Scalar is null
    Stride   ///< integers of a view that its shadow has of its own
  };
  enum AccessType { In, Out, InOut };
  KindType Kind = Value;
  AccessType Access = In;
  int64_t Offset = 0;
  int64_t Count = 1;   ///< of Stride: how many 64-bit integers; of Pointer: bytes of an element, for messages
  int64_t Numbers = 1; ///< of Pointer: how many an element is made of, and nothing else
  bool Active = false;
  llvm::Type *Scalar = nullptr; ///< floating-point type of the elements, null if the pointer is inactive
  std::string Diff;             ///< the word of [[kernix::diff(word, N)]], or empty
  int64_t DiffCount = 0;        ///< N
};

struct RequestParameter {
  std::string Name;
  std::vector<Leaf> Leaves;
  uint64_t Size = 0; ///< bytes, of what a reference refers to; 0: its type is incomplete
  int Shadow = -1;   ///< where the function is an f_bwd: the parameter that is this one's gradient or cotangent
  bool CarriesGradient = false; ///< a kernix::DiffTensorView, whose members have derivatives of their own
};

/// A statement attribute: the statement that starts at this place.
struct StatementMark {
  unsigned Line = 0, Column = 0;
  int64_t Value = 0;
  int64_t File = 0; ///< a hash of its name; 0: any
  bool isAt(const llvm::DILocation &Place) const;
};

/// One derivative of one function.
struct DerivativeRequest {
  enum ModeType { Forward, Reverse };
  enum KindType { Kernel, Device, Host };
  ModeType Mode = Reverse;
  KindType Kind = Kernel;
  std::string Name;                      ///< of the function, for messages
  llvm::Function *Body = nullptr;        ///< to be filled: two arguments for each parameter, it and its shadow
  llvm::Function *Primal = nullptr;      ///< calls the function: one argument for each parameter
  llvm::GlobalVariable *Facts = nullptr; ///< kernix_launch_facts of a kernel
  llvm::DebugLoc Location;               ///< of the attribute in the source, known without -g
  std::vector<RequestParameter> Parameters;
  std::array<int64_t, 3> Block = {}; ///< threads, where the source says how many; 0: it does not
  int64_t MaxRegisters = 0;          ///< of a thread, where the source says so; 0: it does not
  std::vector<StatementMark> MaxIters, Recompute, Store;
  std::vector<StatementMark> NoDiff;   ///< calls
  const CustomRules *Rules = nullptr;  ///< derivatives that the source has written
  const Reporter *Says = nullptr;      ///< where warnings and remarks go; null: to LLVM
  llvm::StringSet<> *Errors = nullptr; ///< what has been said of any request, with its place; null: nothing is kept
  /// The bodies of other requests that the primal calls, perhaps by way of other functions.
  llvm::SmallVector<const llvm::Function *, 2> Needs;
  /// Those of the derivative that the primal calls, where it does.
  llvm::GlobalVariable *FactsOfPrimal = nullptr;
  bool IsDifferentiated = false; ///< the primal of another request calls Body
  bool IsDeterministic = false;  ///< no sum whose order the threads decide

  /// [[kernix::no_diff]] stands before the statement of Call.
  bool isConstant(const llvm::CallBase &Call) const;
  /// What is differentiated is written in a simple way for that, and afterwards as it is launched or called.
  bool isWrittenAgain() const { return IsDifferentiated && Kind != Device && Mode == Reverse; }
  /// Of a block whose size the source says: along each axis, at least 1.
  std::array<int64_t, 3> extentsOfBlock() const {
    return {Block[0], std::max<int64_t>(Block[1], 1), std::max<int64_t>(Block[2], 1)};
  }
  /// 0: the source does not say.
  uint64_t threadsOfBlock() const {
    uint64_t Threads = 1;
    for (int64_t Extent : extentsOfBlock())
      Threads *= static_cast<uint64_t>(Extent);
    return Threads;
  }
};

/// The requests of a module, in an order in which no body is needed before it is filled.
std::vector<DerivativeRequest> readRequests(llvm::Module &M, const CustomRules &Rules);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_REQUESTS_H
