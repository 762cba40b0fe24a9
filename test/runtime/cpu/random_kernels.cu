// A few random kernels against their lockstep references; run.py has more to give.
// RUN: %random-kernels --seeds 1:4 --kernels 5 --ways O0,O3,ssa --jobs 1 --output %t
