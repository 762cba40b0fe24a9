// runtime/python/src/plan.cpp

#include "plan.h"
#include "state.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace kernix::python {

namespace {

bool is_hidden(const kernix_parameter &parameter) {
  return parameter.role == KERNIX_STREAM || parameter.intent == KERNIX_INTENT_OUT_RETURN ||
         parameter.intent == KERNIX_INTENT_OUT_ARRAY_RETURN;
}

/// An output with a shape and no intent: NumPy's `out=`.
bool is_allocatable(const kernix_parameter &parameter) {
  return parameter.role == KERNIX_RET && parameter.intent == KERNIX_INTENT_DEFAULT && parameter.shape.declared;
}

bool may_be_left_out(const kernix_parameter &parameter) {
  // A tangent that is left out is zero.
  return (parameter.flags & (KERNIX_OPTIONAL | KERNIX_HAS_DEFAULT | KERNIX_TANGENT)) || parameter.value.code;
}

bool in_every_variant(const kernix_operation &operation, int32_t index, int32_t passing) {
  return std::all_of(operation.functions, operation.functions + operation.num_functions,
                     [=](const kernix_function *f) { return f->parameters[index].passing == passing; });
}

int32_t most_leaves(const kernix_operation &operation, int32_t index) {
  int32_t leaves = 0;
  for (int32_t v = 0; v < operation.num_functions; ++v)
    leaves = std::max(leaves, count_leaves(operation.functions[v]->parameters[index]));
  return leaves;
}

bool show_names(Plan &plan) {
  const Ref names(PyList_New(0));
  for (const PlannedParameter &parameter : plan.parameters)
    if (!names || PyList_Append(names.get(), parameter.name))
      return false;
  const Ref shown(names ? PyObject_CallFunctionObjArgs(state().python_names, names.get(), nullptr) : nullptr);
  for (size_t i = 0; shown && i < plan.parameters.size(); ++i) {
    PyObject *name = Py_XNewRef(PyList_GetItem(shown.get(), static_cast<Py_ssize_t>(i)));
    if (!name)
      return false;
    PyUnicode_InternInPlace(&name);
    Py_DECREF(std::exchange(plan.parameters[i].shown, name));
  }
  return static_cast<bool>(shown);
}

} // namespace

int32_t count_leaves(const kernix_parameter &parameter) {
  if (parameter.passing != KERNIX_PASS_STRUCT)
    return 0;
  int32_t leaves = 0;
  for (int32_t i = 0; i < parameter.num_fields; ++i)
    leaves += std::max(parameter.fields[i].count, 1);
  return leaves;
}

Plan::~Plan() {
  for (const PlannedParameter &parameter : parameters) {
    Py_DECREF(parameter.name);
    Py_DECREF(parameter.shown);
  }
}

Plan *make_plan(const kernix_operation &operation) {
  const kernix_function &first = *operation.functions[0];
  auto plan = std::make_unique<Plan>();
  plan->is_kernel = first.kind == KERNIX_KERNEL;
  plan->has_choice = first.derivative == KERNIX_NO_DERIVATIVE;
  plan->signature = operation.num_functions == 1 ? first.signature : operation.name;
  bool after_one_left_out = false;
  for (int32_t i = 0; i < first.num_parameters; ++i) {
    const kernix_parameter &parameter = first.parameters[i];
    PlannedParameter planned{};
    planned.name = PyUnicode_InternFromString(parameter.name);
    if (!planned.name)
      return nullptr;
    planned.shown = Py_NewRef(planned.name);
    planned.is_visible = !is_hidden(parameter);
    planned.is_output = is_allocatable(parameter);
    planned.none_is_absent = planned.is_output && !(parameter.flags & KERNIX_GRADIENT);
    planned.has_unknown_default = parameter.flags & KERNIX_UNKNOWN_DEFAULT;
    planned.is_required = planned.is_visible && !planned.is_output && !may_be_left_out(parameter);
    planned.is_scalar = in_every_variant(operation, i, KERNIX_PASS_SCALAR);
    planned.num_leaves = most_leaves(operation, i);
    planned.is_struct = planned.num_leaves > 0;
    plan->num_leaves += planned.num_leaves;
    if (planned.is_visible && !planned.is_output) {
      after_one_left_out |= !planned.is_required;
      if (!planned.is_required || !after_one_left_out)
        plan->positional.push_back(i);
    }
    plan->parameters.push_back(planned);
  }
  return show_names(*plan) ? plan.release() : nullptr;
}

} // namespace kernix::python
