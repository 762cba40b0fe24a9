//===- LostGradients.h - where a derivative ends without anybody having said so ---------------------------------===//
//
// Two things are constants for the derivative although the source may have meant otherwise: a number that becomes an
// integer and a number again, and a variable outside functions that can change. What the source says itself - floor
// and its like, no_diff, an index, a comparison - is no business of this file.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ANALYSIS_LOSTGRADIENTS_H
#define KERNIX_DERIVATIVE_ANALYSIS_LOSTGRADIENTS_H

#include "Derivative/Prepare/Prepare.h"

namespace kernix {

/// Warns, by -Wkernix-lost-gradient. Changes nothing.
void warnOfLostGradients(const DerivativeRequest &Request, const Prepared &P, Refusals &Refused);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ANALYSIS_LOSTGRADIENTS_H
