// cpu/device_api.h - device_runtime.h for the files that implement it in plain C++.
#pragma once

#define KERNIX_CPU_DEVICE __attribute__((visibility("default")))
#include "kernix/cpu/device_runtime.h"
