// runtime/src/core/arena.h - scratch memory of one call: on the stack, on the heap only when a call needs unusually
// much.

#ifndef KERNIX_CORE_ARENA_H
#define KERNIX_CORE_ARENA_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace kernix::core {

/// Rounds an address up to a power of two.
inline char *align_up(char *address, size_t alignment) {
  const uintptr_t bits = reinterpret_cast<uintptr_t>(address);
  return address + ((0 - bits) & (alignment - 1));
}

class Arena {
public:
  Arena() = default;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  /// Uninitialised; lives as long as the arena.
  void *allocate(size_t size, size_t alignment) {
    char *start = align_up(next_, alignment);
    if (size <= static_cast<size_t>(end_ - next_) && start <= end_ - size) {
      next_ = start + size;
      return start;
    }
    large_.push_back(std::make_unique<char[]>(size + alignment));
    return align_up(large_.back().get(), alignment);
  }

private:
  alignas(16) char inline_[2048];
  char *next_ = inline_;
  char *const end_ = inline_ + sizeof inline_;
  std::vector<std::unique_ptr<char[]>> large_;
};

/// An array of `size` elements, on the stack up to `inline_size`.
template <class T, size_t inline_size> class SmallArray {
public:
  explicit SmallArray(size_t size) {
    if (size > inline_size) {
      large_ = std::make_unique<T[]>(size);
      data_ = large_.get();
    } else {
      data_ = reinterpret_cast<T *>(inline_);
      for (size_t i = 0; i < size; ++i)
        new (data_ + i) T;
    }
  }
  SmallArray(const SmallArray &) = delete;
  SmallArray &operator=(const SmallArray &) = delete;

  T &operator[](size_t index) { return data_[index]; }
  const T &operator[](size_t index) const { return data_[index]; }
  T *data() { return data_; }

private:
  static_assert(__is_trivially_destructible(T));
  alignas(T) char inline_[inline_size * sizeof(T)];
  T *data_;
  std::unique_ptr<T[]> large_;
};

} // namespace kernix::core

#endif // KERNIX_CORE_ARENA_H
