//===- AddressDigits.cpp - addresses taken apart like numbers into digits ---------------------------------------===//

#include "Derivative/Addresses/AddressDigits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <numeric>

using namespace llvm;
using namespace kernix;

SmallVector<AddressUnit, 8> kernix::unitsOf(const IndexForms &Forms, ArrayRef<AccessForm> All, int64_t LeastRow) {
  // The factors of a term that all threads share.
  auto SharedPart = [&](const Monomial &M) {
    Monomial Result;
    for (unsigned A : M)
      if (!Forms.isVariable(A))
        Result.push_back(A);
    return Result;
  };
  std::set<std::pair<Monomial, int64_t>> Found;
  std::set<Monomial> Shared;
  for (const AccessForm &A : All)
    for (const auto &[M, C] : A.Offset.terms()) {
      if (M.empty())
        continue;
      Monomial Part = SharedPart(M);
      Shared.insert(Part);
      Found.insert({Part, std::abs(C)});
    }
  for (const Monomial &Part : Shared) {
    int64_t Common = 0;
    for (const AccessForm &A : All)
      for (const auto &[M, C] : A.Offset.terms())
        if (!M.empty() && divide(M, Part))
          Common = std::gcd(Common, C);
    Found.insert({Part, Common});
  }
  // `1024 * block + 256 * k + thread` of an unrolled loop: k is in the constants.
  int64_t Apart = 0, Size = 0;
  for (const AccessForm &A : All) {
    Apart = std::gcd(Apart, A.Offset.constantTerm() - All.front().Offset.constantTerm());
    Size = std::max(Size, A.Size);
  }
  if (Apart >= LeastRow * Size)
    Found.insert({Monomial(), Apart});
  SmallVector<AddressUnit, 8> List;
  for (const auto &[Factor, Coefficient] : Found)
    List.push_back({Factor, Coefficient});
  sort(List, [](const AddressUnit &A, const AddressUnit &B) {
    return A.Factor.size() != B.Factor.size() ? A.Factor.size() > B.Factor.size() : A.Coefficient > B.Coefficient;
  });
  if (List.size() > 12)
    List.resize(12);
  return List;
}

std::optional<AddressDigits> kernix::splitBy(IndexForms &Forms, ArrayRef<AccessForm> All, const AddressUnit &Unit,
                                             LaunchConditions &Assumed, bool MayAssume) {
  const auto &[Factor, Coefficient] = Unit;
  if (Factor.empty() && Coefficient <= 1)
    return std::nullopt;
  AddressDigits Digits;
  bool IsSplit = false;
  for (const AccessForm &A : All) {
    Polynomial Quotient, Rest;
    for (const auto &[M, C] : A.Offset.terms()) {
      std::optional<Monomial> Others = divide(M, Factor);
      if (Others && C % Coefficient == 0 && !M.empty())
        Quotient.add(*Others, C / Coefficient);
      else
        Rest.add(M, C);
    }
    if (Factor.empty()) {
      // Constants belong to both.
      int64_t Whole = Rest.constantTerm() >= 0 ? Rest.constantTerm() / Coefficient : 0;
      Quotient.add({}, Whole);
      Rest.add({}, -Whole * Coefficient);
    }
    IsSplit |= !Quotient.isZero();
    Digits.Quotients.push_back({Quotient, 1, A.Facts});
    Digits.Rests.push_back({Rest, A.Size, A.Facts});
  }
  if (!IsSplit)
    return std::nullopt;
  LaunchConditions Needed = Assumed;
  Polynomial Whole;
  Whole.add(Factor, Coefficient);
  for (const AccessForm &A : Digits.Rests)
    if (!Forms.isNeverNegative(A.Offset, A.Facts, Needed, MayAssume) ||
        !Forms.isNeverNegative(Whole - A.Offset - Polynomial::constant(A.Size), A.Facts, Needed, MayAssume))
      return std::nullopt;
  Assumed = std::move(Needed);
  return Digits;
}

bool kernix::hasStrides(const IndexForms &Forms, ArrayRef<AccessForm> All) {
  return any_of(All, [&](const AccessForm &A) {
    return any_of(A.Offset.terms(), [&](const auto &Term) {
      return any_of(Term.first, [&](unsigned Atom) { return Forms.isStride(Atom); });
    });
  });
}

std::vector<AccessForms> kernix::indicesOf(const IndexForms &Forms, ArrayRef<AccessForm> All) {
  auto IsStride = [&](unsigned Atom) { return Forms.isStride(Atom); };
  std::map<unsigned, AccessForms> Indices;
  AccessForms Parts;
  int64_t Unit = 0;
  for (const AccessForm &A : All)
    for (const auto &[M, C] : A.Offset.terms())
      for (unsigned Atom : M)
        if (IsStride(Atom)) {
          Indices[Atom] = {};
          Unit = std::gcd(Unit, C);
        }
  for (const AccessForm &A : All) {
    for (auto &[Stride, List] : Indices)
      List.push_back({Polynomial(), 1, A.Facts});
    Parts.push_back({Polynomial(), A.Size, A.Facts});
    for (const auto &[M, C] : A.Offset.terms()) {
      auto Strides = count_if(M, IsStride);
      if (Strides == 0 && M.empty() && C >= 0 && C + A.Size <= Unit) {
        Parts.back().Offset.add(M, C);
        continue;
      }
      if (Strides != 1)
        return {}; // nothing is known then
      unsigned Stride = *find_if(M, IsStride);
      Indices[Stride].back().Offset.add(*divide(M, {Stride}), C / Unit);
    }
  }
  std::vector<AccessForms> Result;
  for (auto &[Stride, List] : Indices)
    Result.push_back(std::move(List));
  Result.push_back(std::move(Parts));
  return Result;
}
