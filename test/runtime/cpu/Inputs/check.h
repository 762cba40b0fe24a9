// check.h - CHECK(condition): a program whose conditions do not all hold says which and returns 1.
#pragma once
#include <cstdio>
#include <cstdlib>

#define CHECK(...)                                                                                                     \
  do {                                                                                                                 \
    if (!(__VA_ARGS__)) {                                                                                              \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #__VA_ARGS__);                                           \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (false)
#define CHECK_CUDA(...)                                                                                                \
  do {                                                                                                                 \
    cudaError_t check_error = (__VA_ARGS__);                                                                           \
    if (check_error != cudaSuccess) {                                                                                  \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #__VA_ARGS__, cudaGetErrorString(check_error));      \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (false)
