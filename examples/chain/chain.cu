// A chain of masses on stiff springs, hung up at both ends: its energy, from which the forces (first derivative) and
// the stiffness (second derivative) come.
#include <kernix/kernix.h>

struct Chain {
  double stiffness, length, weight; // of each link: spring constant, length at rest; of each mass
};

/// Energy of each link and of the mass at its start. Mass 0 and the last one are the ends of the chain.
[[kernix::bind, kernix::differentiable(2)]]
__global__ void energy(const double *place,
                       [[kernix::intent(out_return), kernix::shape("place.size(0) - 1")]] double *of, Chain chain,
                       [[kernix::value("place.size(0) - 1")]] int links) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= links)
    return;
  double dx = place[2 * i + 2] - place[2 * i], dy = place[2 * i + 3] - place[2 * i + 1];
  double stretch = sqrt(dx * dx + dy * dy) - chain.length;
  of[i] = 0.5 * chain.stiffness * stretch * stretch + chain.weight * place[2 * i + 1];
}
