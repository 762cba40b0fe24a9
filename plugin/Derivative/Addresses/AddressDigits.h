//===- AddressDigits.h - addresses taken apart like numbers into digits -----------------------------------------===//
//
// An address `S * q + r` with r between 0 and S determines q and r. The indices of a view are its digits already.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ADDRESSES_ADDRESSDIGITS_H
#define KERNIX_DERIVATIVE_ADDRESSES_ADDRESSDIGITS_H

#include "Derivative/Addresses/IndexForms.h"

namespace kernix {

/// `Size` bytes (or units) from Offset on, by a thread for which the facts hold.
struct AccessForm {
  Polynomial Offset;
  int64_t Size = 0;
  llvm::ArrayRef<Fact> Facts;
};

using AccessForms = llvm::SmallVector<AccessForm, 8>;

/// Coefficient * Factor; the factor is the same for all threads.
struct AddressUnit {
  Monomial Factor;
  int64_t Coefficient = 1;
  std::optional<Polynomial> Sum = std::nullopt; ///< in place of these: `2 * r + 1`
};

/// What is closer than the elements of a warp is a stencil.
constexpr int64_t RowOfWarp = 32;

/// The units that are worth a try, the largest first. LeastRow: how many elements the accesses have to lie apart to be
/// taken for those of different rows.
llvm::SmallVector<AddressUnit, 8> unitsOf(const IndexForms &Forms, llvm::ArrayRef<AccessForm> All,
                                          int64_t LeastRow = RowOfWarp);

struct AddressDigits {
  AccessForms Quotients, Rests; ///< one of each for each access
};

/// All offsets as Unit * q + r with 0 <= r and r + size <= Unit, if that can be shown. What it assumes is added to
/// Assumed; with MayAssume, a question to the launch may be added.
std::optional<AddressDigits> splitBy(IndexForms &Forms, llvm::ArrayRef<AccessForm> All, const AddressUnit &Unit,
                                     LaunchConditions &Assumed, bool MayAssume);

/// Whether the accesses are by indices of a view.
bool hasStrides(const IndexForms &Forms, llvm::ArrayRef<AccessForm> All);

/// The indices of a view, a list of accesses for each: elements that have different indices have different addresses,
/// that is checked before the launch. The last list is of the places in the element. Empty if an address is no element
/// of one.
std::vector<AccessForms> indicesOf(const IndexForms &Forms, llvm::ArrayRef<AccessForm> All);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ADDRESSES_ADDRESSDIGITS_H
