//===- Polynomial.h - sums of products of ids, extents, counters and other integers -----------------------------===//
//
// The form in which addresses are compared. What an atom stands for, its owner knows (IndexForms.h).
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ADDRESSES_POLYNOMIAL_H
#define KERNIX_DERIVATIVE_ADDRESSES_POLYNOMIAL_H

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace kernix {

/// A product of atoms, sorted; empty: 1.
using Monomial = std::vector<unsigned>;

Monomial operator*(const Monomial &A, const Monomial &B);
/// A / B, if B divides A.
std::optional<Monomial> divide(const Monomial &A, const Monomial &B);

class Polynomial {
public:
  using Terms = std::map<Monomial, int64_t>;

  Polynomial() = default;
  static Polynomial constant(int64_t C);
  static Polynomial atom(unsigned A);
  static Polynomial broken();

  const Terms &terms() const { return TheTerms; }
  bool isZero() const { return TheTerms.empty(); }
  /// Without any term but the constant one.
  bool isConstant() const;
  int64_t constantTerm() const;
  /// True if a coefficient has overflowed: it then says nothing.
  bool isBroken() const { return Broken; }
  bool contains(unsigned A) const;

  void add(const Monomial &M, int64_t Coefficient);
  Polynomial operator+(const Polynomial &Other) const;
  Polynomial operator-(const Polynomial &Other) const;
  Polynomial operator*(const Polynomial &Other) const;
  Polynomial scaled(const Monomial &M, int64_t Coefficient) const;
  /// The same inequality `P >= 0` in the smallest numbers.
  Polynomial withoutCommonFactor() const;
  bool operator==(const Polynomial &Other) const { return TheTerms == Other.TheTerms; }
  bool operator<(const Polynomial &Other) const { return TheTerms < Other.TheTerms; }

private:
  Terms TheTerms;
  bool Broken = false;
};

/// A / B, if the quotient is one of polynomials again and none of the numbers are too large.
std::optional<Polynomial> divide(const Polynomial &A, const Polynomial &B);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ADDRESSES_POLYNOMIAL_H
