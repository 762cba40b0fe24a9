// lennard_jones.cu - launches of forces.
#include "../../gpu/sources/lennard_jones.cu"
#include "vectors.h"

void kernix_forces(Particles of, const float *x, float *y) {
  forces<<<(of.n + 127) / 128, 128>>>(fours(x), of.neighbours, fours(y), of.box, of.reach, of.n, of.count);
}

void kernix_forces_backward(Particles of, const float *x, float *gx, const float *gy) {
  forces_bwd<<<(of.n + 127) / 128, 128>>>(fours(x), fours(gx), of.neighbours, nullptr, fours(gy), of.box, of.reach,
                                          of.n, of.count);
}
