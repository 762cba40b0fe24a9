//===- Polynomial.cpp - sums of products of ids, extents, counters and other integers ---------------------------===//

#include "Derivative/Addresses/Polynomial.h"
#include <algorithm>
#include <iterator>
#include <numeric>

using namespace kernix;

Monomial kernix::operator*(const Monomial &A, const Monomial &B) {
  Monomial Result;
  std::merge(A.begin(), A.end(), B.begin(), B.end(), std::back_inserter(Result));
  return Result;
}

std::optional<Monomial> kernix::divide(const Monomial &A, const Monomial &B) {
  if (!std::includes(A.begin(), A.end(), B.begin(), B.end()))
    return std::nullopt;
  Monomial Result;
  std::set_difference(A.begin(), A.end(), B.begin(), B.end(), std::back_inserter(Result));
  return Result;
}

Polynomial Polynomial::constant(int64_t C) {
  Polynomial P;
  P.add({}, C);
  return P;
}

Polynomial Polynomial::atom(unsigned A) {
  Polynomial P;
  P.add({A}, 1);
  return P;
}

Polynomial Polynomial::broken() {
  Polynomial P;
  P.Broken = true;
  return P;
}

bool Polynomial::isConstant() const {
  return TheTerms.empty() || (TheTerms.size() == 1 && TheTerms.begin()->first.empty());
}

int64_t Polynomial::constantTerm() const {
  auto Found = TheTerms.find({});
  return Found == TheTerms.end() ? 0 : Found->second;
}

bool Polynomial::contains(unsigned A) const {
  return std::any_of(TheTerms.begin(), TheTerms.end(),
                     [&](const auto &Term) { return std::binary_search(Term.first.begin(), Term.first.end(), A); });
}

void Polynomial::add(const Monomial &M, int64_t Coefficient) {
  int64_t &Term = TheTerms[M];
  // Far from the edge, so that sums of a few never reach it.
  constexpr int64_t Most = int64_t(1) << 52;
  Broken |= __builtin_add_overflow(Term, Coefficient, &Term) || Term > Most || Term < -Most || M.size() > 6;
  if (Term == 0)
    TheTerms.erase(M);
}

Polynomial Polynomial::operator+(const Polynomial &Other) const {
  Polynomial Result = *this;
  Result.Broken |= Other.Broken;
  for (const auto &[M, C] : Other.TheTerms)
    Result.add(M, C);
  return Result;
}

Polynomial Polynomial::operator-(const Polynomial &Other) const { return *this + Other.scaled({}, -1); }

Polynomial Polynomial::operator*(const Polynomial &Other) const {
  Polynomial Result;
  Result.Broken = Broken || Other.Broken;
  for (const auto &[M, C] : Other.TheTerms)
    Result = Result + scaled(M, C);
  return Result;
}

Polynomial Polynomial::scaled(const Monomial &M, int64_t Coefficient) const {
  Polynomial Result;
  Result.Broken = Broken;
  for (const auto &[N, C] : TheTerms) {
    int64_t Product = 0;
    Result.Broken |= __builtin_mul_overflow(C, Coefficient, &Product);
    Result.add(M * N, Product);
  }
  return Result;
}

Polynomial Polynomial::withoutCommonFactor() const {
  int64_t Common = 0;
  for (const auto &[M, C] : TheTerms)
    if (!M.empty())
      Common = std::gcd(Common, C);
  if (Common < 2)
    return *this;
  Polynomial Result;
  Result.Broken = Broken;
  for (const auto &[M, C] : TheTerms)
    Result.add(M, M.empty() && C < 0 ? -((-C + Common - 1) / Common) : C / Common);
  return Result;
}

std::optional<Polynomial> kernix::divide(const Polynomial &A, const Polynomial &B) {
  if (B.isZero() || A.isBroken() || B.isBroken())
    return std::nullopt;
  const auto &[M, C] = *B.terms().rbegin();
  Polynomial Quotient, Rest = A;
  constexpr int MostTerms = 8;
  for (int K = 0; K < MostTerms && !Rest.isZero(); ++K) {
    const auto &[N, D] = *Rest.terms().rbegin();
    std::optional<Monomial> Factor = D % C == 0 ? divide(N, M) : std::nullopt;
    if (!Factor)
      return std::nullopt;
    Polynomial Term;
    Term.add(*Factor, D / C);
    Quotient = Quotient + Term;
    Rest = Rest - B * Term;
    if (Quotient.isBroken() || Rest.isBroken())
      return std::nullopt;
  }
  return Rest.isZero() ? std::optional(Quotient) : std::nullopt;
}
