// cpu/alone.h - whether one host thread is the only one that runs a kernel with atomic operations.
//
// As long as it is, nobody can tell whether its additions to memory are atomic, and plain ones take a tenth of the
// time. Launches whose kernels have atomics are counted. One that is alone and has one thread says so while it runs a
// piece of its blocks; a launch that begins meanwhile waits for the end of that piece, and the first one goes on with
// atomics. What code that is no kernel does to the memory of a running kernel is not looked at.
#pragma once

namespace kernix::cpu {

/// A launch, from before its first block until after its last.
class AtomicsInUse {
public:
  /// has_atomics: it counts. Waits for what runs alone.
  explicit AtomicsInUse(bool has_atomics);
  ~AtomicsInUse();
  AtomicsInUse(const AtomicsInUse &) = delete;

private:
  const bool counts_;
};

/// A piece of the blocks of a launch that counts, run by the launch's only thread. True: no other launch that counts
/// runs before this object is gone.
class Alone {
public:
  Alone();
  ~Alone();
  Alone(const Alone &) = delete;
  explicit operator bool() const { return is_alone_; }

private:
  bool is_alone_;
};

} // namespace kernix::cpu
