// runtime/python/src/plan.h - how the arguments of an operation are bound to its C++ parameters.
//
// Made once per operation. Positions are those of the visible parameters; stream parameters and results are hidden;
// a required parameter after one that may be left out, and an output that the call can allocate, are keyword-only.

#ifndef KERNIX_PYTHON_PLAN_H
#define KERNIX_PYTHON_PLAN_H

#include "kernix/abi.h"
#include "python.h"

#include <vector>

namespace kernix::python {

struct PlannedParameter {
  PyObject *name;  ///< interned, strong
  PyObject *shown; ///< what Python calls it, where `name` is a keyword there; likewise
  bool is_visible;
  bool is_required;
  bool is_scalar;           ///< in every variant: zero-dimensional arrays become numbers
  bool is_struct;           ///< in some variant
  bool is_output;           ///< an output that is allocated when left out
  bool none_is_absent;      ///< None means left out; for a gradient it means that it is not wanted
  bool has_unknown_default; ///< in C++ it has a default, which no record can hold
  int32_t num_leaves;       ///< of structs: most leaves of a variant
};

struct Plan {
  std::vector<PlannedParameter> parameters; ///< in the order of the C++ parameters
  std::vector<int32_t> positional;          ///< parameters by position
  bool is_kernel;
  bool has_choice;        ///< not of a derivative, whose dtypes are those of the call that it belongs to
  const char *signature;  ///< for messages
  int32_t num_leaves = 0; ///< of all structs together

  Plan() = default;
  Plan(const Plan &) = delete;
  Plan &operator=(const Plan &) = delete;
  ~Plan();
};

/// Null with an exception set.
Plan *make_plan(const kernix_operation &operation);

/// Leaves of a struct parameter: array fields count each element.
int32_t count_leaves(const kernix_parameter &parameter);

} // namespace kernix::python

#endif // KERNIX_PYTHON_PLAN_H
