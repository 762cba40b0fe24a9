// runtime/python/src/bind.cpp

#include "bind.h"
#include "errors.h"
#include "state.h"

#include <algorithm>
#include <limits>

namespace kernix::python {

namespace {

PyObject *launch_names[num_launch_keywords];
const char *const launch_texts[] = {"launchBlockSize", "launchGridSize", "block", "grid", "shared_bytes"};

bool same_text(PyObject *left, PyObject *right) { return PyUnicode_Compare(left, right) == 0; }

/// Keyword names in a program are interned, so that pointers nearly always decide.
int32_t find_by_pointer(const Plan &plan, PyObject *name) {
  const auto count = static_cast<int32_t>(plan.parameters.size());
  for (int32_t i = 0; i < count; ++i)
    if (plan.parameters[static_cast<size_t>(i)].shown == name)
      return i;
  return -1;
}

int32_t find_by_text(const Plan &plan, PyObject *name) {
  const auto count = static_cast<int32_t>(plan.parameters.size());
  for (int32_t i = 0; i < count; ++i) {
    const PlannedParameter &parameter = plan.parameters[static_cast<size_t>(i)];
    if (same_text(parameter.name, name) || same_text(parameter.shown, name))
      return i;
  }
  return -1;
}

int find_launch_keyword(PyObject *name) {
  for (int i = 0; i < num_launch_keywords; ++i)
    if (launch_names[i] == name || same_text(launch_names[i], name))
      return i;
  return -1;
}

bool read_size(const Plan &plan, const char *keyword, PyObject *object, int64_t *size) {
  const Ref integer(PyIndex_Check(object) && !PyBool_Check(object) ? PyNumber_Index(object) : nullptr);
  if (!integer) {
    // An array of several elements has __index__ too, which then refuses.
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_TypeError))
      PyErr_Clear();
    if (!PyErr_Occurred())
      raise_type_error("%s: %s: expected an int%s, got %R", plan.signature, keyword,
                       keyword == launch_texts[shared_bytes] ? "" : " or up to three of them", object);
    return false;
  }
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer.get(), &overflow);
  *size = overflow > 0   ? std::numeric_limits<int64_t>::max()
          : overflow < 0 ? std::numeric_limits<int64_t>::min()
                         : value;
  return true;
}

bool read_sizes(const Plan &plan, const char *keyword, PyObject *object, int64_t *sizes) {
  sizes[0] = sizes[1] = sizes[2] = 1;
  if (!PyTuple_Check(object) && !PyList_Check(object))
    return read_size(plan, keyword, object, sizes);
  const Py_ssize_t count = PySequence_Size(object);
  if (count < 1 || count > 3) {
    raise_type_error("%s: %s: expected an int or up to three of them, got %R", plan.signature, keyword, object);
    return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    const Ref item(PySequence_GetItem(object, i));
    if (!item || !read_size(plan, keyword, item.get(), sizes + i))
      return false;
  }
  return true;
}

bool set_launch(const Plan &plan, int keyword, PyObject *object, kernix_call_options *options) {
  const char *text = launch_texts[keyword];
  if (object == Py_None)
    return true;
  const bool is_block = keyword == launch_block_size || keyword == block;
  int32_t *flag = keyword == shared_bytes ? &options->has_shared_bytes
                  : is_block              ? &options->has_block
                                          : &options->has_grid;
  if (*flag) {
    raise_type_error("%s: the %s size is given twice, as %s and as %s", plan.signature, is_block ? "block" : "grid",
                     launch_texts[is_block ? launch_block_size : launch_grid_size],
                     launch_texts[is_block ? block : grid]);
    return false;
  }
  *flag = 1;
  if (keyword == shared_bytes)
    return read_size(plan, text, object, &options->shared_bytes);
  return read_sizes(plan, text, object, is_block ? options->block : options->grid);
}

Ref keyword_list(const Plan &plan) {
  Ref list(PyList_New(0));
  for (const PlannedParameter &parameter : plan.parameters)
    if (list && parameter.is_visible && PyList_Append(list.get(), parameter.shown))
      return Ref();
  for (PyObject *name : launch_names)
    if (list && plan.is_kernel && PyList_Append(list.get(), name))
      return Ref();
  return list;
}

bool refuse_keyword(const Plan &plan, PyObject *name, int32_t hidden) {
  if (hidden >= 0) {
    raise_type_error("%s: argument '%U' cannot be given: it is %s", plan.signature, name,
                     "supplied by the call (a stream, or an output that is returned)");
    return false;
  }
  const Ref words = keyword_list(plan);
  const Ref suggestion(words ? PyObject_CallFunctionObjArgs(state().suggest, name, words.get(), nullptr) : nullptr);
  if (suggestion)
    raise_type_error("%s: unknown argument '%U'%U", plan.signature, name, suggestion.get());
  return false;
}

/// What a keyword names: the index of a parameter, or a launch size, which a parameter of that name hides.
/// -1: not that.
struct Named {
  int32_t parameter;
  int launch;
};

Named find_keyword(const Plan &plan, PyObject *name) {
  int32_t index = find_by_pointer(plan, name);
  if (index < 0)
    index = find_by_text(plan, name);
  const int keyword = index < 0 && plan.is_kernel ? find_launch_keyword(name) : -1;
  return {index, keyword};
}

bool bind_keyword(const Plan &plan, PyObject *name, PyObject *object, PyObject **given, kernix_call_options *options) {
  const auto [index, keyword] = find_keyword(plan, name);
  if (keyword >= 0)
    return set_launch(plan, keyword, object, options);
  if (index < 0 || !plan.parameters[static_cast<size_t>(index)].is_visible)
    return refuse_keyword(plan, name, index);
  if (given[index]) {
    raise_type_error("%s: argument '%U' is given twice", plan.signature, name);
    return false;
  }
  given[index] = object;
  return true;
}

/// "; by keyword only: y, n"
Ref list_others(const Plan &plan, const char *title, bool are_visible) {
  Ref text(PyUnicode_FromString(""));
  for (size_t i = 0; text && i < plan.parameters.size(); ++i) {
    const PlannedParameter &parameter = plan.parameters[i];
    const bool is_positional =
        std::find(plan.positional.begin(), plan.positional.end(), static_cast<int32_t>(i)) != plan.positional.end();
    if (is_positional || parameter.is_visible != are_visible)
      continue;
    const bool is_first = PyUnicode_GetLength(text.get()) == 0;
    text = Ref(PyUnicode_FromFormat("%U%s%U", text.get(), is_first ? title : ", ", parameter.shown));
  }
  return text;
}

bool refuse_positions(const Plan &plan, Py_ssize_t num_args) {
  const Ref by_keyword = list_others(plan, "; by keyword only: ", true);
  const Ref hidden = list_others(plan, "; supplied by the call: ", false);
  if (by_keyword && hidden)
    raise_type_error("%s: expected at most %zd positional arguments, got %zd%U%U", plan.signature,
                     static_cast<Py_ssize_t>(plan.positional.size()), num_args, by_keyword.get(), hidden.get());
  return false;
}

bool refuse_missing(const Plan &plan, const PlannedParameter &parameter) {
  raise_type_error("%s: argument '%U' is missing%s", plan.signature, parameter.name,
                   parameter.has_unknown_default ? "; its default in C++ is not a constant, so a value has to be given"
                                                 : "");
  return false;
}

} // namespace

bool init_launch_keywords() {
  for (int i = 0; i < num_launch_keywords; ++i)
    if (!(launch_names[i] = PyUnicode_InternFromString(launch_texts[i])))
      return false;
  return true;
}

bool bind_arguments(const Plan &plan, PyObject *const *args, Py_ssize_t num_args, PyObject *names, PyObject **given,
                    kernix_call_options *options) {
  const auto count = static_cast<Py_ssize_t>(plan.parameters.size());
  for (Py_ssize_t i = 0; i < count; ++i)
    given[i] = nullptr;
  if (num_args > static_cast<Py_ssize_t>(plan.positional.size()))
    return refuse_positions(plan, num_args);
  for (Py_ssize_t i = 0; i < num_args; ++i)
    given[plan.positional[static_cast<size_t>(i)]] = args[i];
  const Py_ssize_t num_names = names ? PyTuple_Size(names) : 0;
  for (Py_ssize_t i = 0; i < num_names; ++i)
    if (!bind_keyword(plan, PyTuple_GetItem(names, i), args[num_args + i], given, options))
      return false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    const PlannedParameter &parameter = plan.parameters[static_cast<size_t>(i)];
    if (parameter.is_required && !given[i])
      return refuse_missing(plan, parameter);
  }
  return true;
}

bool is_launch_size(const Plan &plan, PyObject *name) { return find_keyword(plan, name).launch >= 0; }

bool bind_launch(const Plan &plan, PyObject *sizes, kernix_call_options *options) {
  Py_ssize_t position = 0;
  PyObject *name, *value;
  while (PyDict_Next(sizes, &position, &name, &value)) {
    const int keyword = find_keyword(plan, name).launch;
    if (keyword < 0 ? !refuse_keyword(plan, name, -1) : !set_launch(plan, keyword, value, options))
      return false;
  }
  return true;
}

} // namespace kernix::python
