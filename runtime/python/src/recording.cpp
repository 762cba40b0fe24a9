// runtime/python/src/recording.cpp

#include "recording.h"
#include "errors.h"
#include "operation.h"
#include "state.h"
#include "torch_state.h"

#include <cstring>
#include <new>
#include <vector>

namespace kernix::python {

namespace {

/// A parameter of f, as f_bwd has it.
struct RecordedParameter {
  int value;     ///< the same parameter of f_bwd; -1: f_bwd has none
  int gradient;  ///< its gradient, a parameter of f_bwd; -1: it has none
  int result;    ///< the place of the gradient among what f_bwd returns
  int is_scalar; ///< its gradient is a tensor without axes
  int is_written;
};

} // namespace

/// How torch records the calls of an operation.
struct Recording {
  PyObject_HEAD PyObject *owner; ///< kernix.torch.simple.Plan, which is asked what is rare
  PyObject *apply;               ///< of the torch.autograd.Function
  PyObject *backward;            ///< the operation f_bwd
  std::vector<RecordedParameter> *parameters;
  std::vector<uint8_t> *reads[2]; ///< by kernix_target: which values f_bwd reads; null: not known yet
  int output, cotangent;          ///< parameters of f_bwd
  int wants_contiguous;           ///< the cotangent, that is
  int num_results;                ///< of f_bwd
};

namespace {

/// What becomes of an argument until the backward.
enum class Kept : uint8_t {
  Nothing,
  Object, ///< no tensor
  Saved,  ///< by torch
  Sizes,  ///< a kernix.torch.sizes.Sizes: f_bwd does not read the elements
};

struct KeptArgument {
  PyObject *object;
  Kept how;
  bool is_followed; ///< torch wants its gradient
};

/// What is kept of a call beside torch's saved tensors. `arguments` has an entry for each parameter.
struct KeptCall {
  PyObject_VAR_HEAD Recording *recording;
  PyObject *launch; ///< dict, or null
  Call *call;       ///< while the forward runs
  KeptArgument arguments[1];

  size_t size() const { return static_cast<size_t>(ob_base.ob_size); }
};

PyTypeObject *recording_type = nullptr, *kept_type = nullptr;
PyObject *kept_name = nullptr, *save_name = nullptr, *saved_name = nullptr, *needs_name = nullptr,
         *contiguous_name = nullptr, *is_contiguous_name = nullptr, *resolve_neg_name = nullptr,
         *is_zero_name = nullptr, *clone_name = nullptr, *tensor_name = nullptr, *reads_name = nullptr,
         *sizes_name = nullptr, *as_scalar_name = nullptr;

// -- Recording ------------------------------------------------------------------------------------------------------

Recording *as_recording(PyObject *object) { return reinterpret_cast<Recording *>(object); }

bool take_rows(PyObject *rows, std::vector<RecordedParameter> *parameters) {
  const Py_ssize_t count = PyTuple_Size(rows);
  for (Py_ssize_t i = 0; i < count; ++i) {
    RecordedParameter row{};
    if (!PyArg_ParseTuple(PyTuple_GetItem(rows, i), "iiipp", &row.value, &row.gradient, &row.result, &row.is_scalar,
                          &row.is_written))
      return false;
    parameters->push_back(row);
  }
  return true;
}

PyObject *recording_new(PyTypeObject *type, PyObject *args, PyObject *) {
  PyObject *owner, *apply, *backward, *rows;
  int output, cotangent, wants_contiguous, num_results;
  if (!PyArg_ParseTuple(args, "OOOO!iipi:Recording", &owner, &apply, &backward, &PyTuple_Type, &rows, &output,
                        &cotangent, &wants_contiguous, &num_results))
    return nullptr;
  if (!is_operation(backward))
    return raise_type_error("Recording: expected an Operation");
  Ref self(PyType_GenericNew(type, nullptr, nullptr));
  if (!self)
    return nullptr;
  Recording *recording = as_recording(self.get());
  recording->owner = Py_NewRef(owner);
  recording->apply = Py_NewRef(apply);
  recording->backward = Py_NewRef(backward);
  recording->parameters = new std::vector<RecordedParameter>;
  recording->output = output;
  recording->cotangent = cotangent;
  recording->wants_contiguous = wants_contiguous;
  recording->num_results = num_results;
  return take_rows(rows, recording->parameters) ? self.release() : nullptr;
}

int recording_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_recording(self)->owner);
  Py_VISIT(as_recording(self)->apply);
  Py_VISIT(as_recording(self)->backward);
  return 0;
}

int recording_clear(PyObject *self) {
  Py_CLEAR(as_recording(self)->owner);
  Py_CLEAR(as_recording(self)->apply);
  Py_CLEAR(as_recording(self)->backward);
  return 0;
}

void recording_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  recording_clear(self);
  delete as_recording(self)->parameters;
  for (const std::vector<uint8_t> *reads : as_recording(self)->reads)
    delete reads;
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

PyType_Slot recording_slots[] = {{Py_tp_new, reinterpret_cast<void *>(recording_new)},
                                 {Py_tp_dealloc, reinterpret_cast<void *>(recording_dealloc)},
                                 {Py_tp_traverse, reinterpret_cast<void *>(recording_traverse)},
                                 {Py_tp_clear, reinterpret_cast<void *>(recording_clear)},
                                 {0, nullptr}};
PyType_Spec recording_spec = {"kernix._binding.Recording", sizeof(Recording), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, recording_slots};

/// Which values f_bwd reads on a target: a byte for each parameter of f. Null: all, since it cannot be asked now; null
/// with an exception set too.
const std::vector<uint8_t> *values_read(Recording &recording, int target) {
  std::vector<uint8_t> *&known = recording.reads[target];
  if (known)
    return known;
  const Ref number(PyLong_FromLong(target));
  const Ref answer(number ? PyObject_CallMethodObjArgs(recording.owner, reads_name, number.get(), nullptr) : nullptr);
  char *bytes;
  Py_ssize_t size;
  if (!answer || answer.get() == Py_None || PyBytes_AsStringAndSize(answer.get(), &bytes, &size))
    return nullptr;
  if (static_cast<size_t>(size) != recording.parameters->size()) {
    raise_error("the answer of reads() has not a byte for each parameter");
    return nullptr;
  }
  return known = new std::vector<uint8_t>(bytes, bytes + size);
}

// -- KeptCall -------------------------------------------------------------------------------------------------------

KeptCall *as_kept(PyObject *object) { return reinterpret_cast<KeptCall *>(object); }

int kept_traverse(PyObject *self, visitproc visit, void *arg) {
  KeptCall *kept = as_kept(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(kept->recording);
  Py_VISIT(kept->launch);
  for (size_t i = 0; i < kept->size(); ++i)
    Py_VISIT(kept->arguments[i].object);
  return 0;
}

int kept_clear(PyObject *self) {
  KeptCall *kept = as_kept(self);
  Py_CLEAR(kept->recording);
  Py_CLEAR(kept->launch);
  for (size_t i = 0; i < kept->size(); ++i)
    Py_CLEAR(kept->arguments[i].object);
  return 0;
}

void kept_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  kept_clear(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

PyType_Slot kept_slots[] = {{Py_tp_dealloc, reinterpret_cast<void *>(kept_dealloc)},
                            {Py_tp_traverse, reinterpret_cast<void *>(kept_traverse)},
                            {Py_tp_clear, reinterpret_cast<void *>(kept_clear)},
                            {0, nullptr}};
PyType_Spec kept_spec = {"kernix._binding.RecordedCall", sizeof(KeptCall), sizeof(KeptArgument),
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, kept_slots};

bool is_tensor(PyObject *object) {
  const TypeInfo *type = type_info(Py_TYPE(object));
  return type && type->kind == Kind::Torch;
}

/// Divides the arguments into what torch saves, a new tuple, and what is kept beside. Null with an exception set.
Ref keep_arguments(KeptCall &kept) {
  const Call &call = *kept.call;
  const std::vector<uint8_t> *reads = values_read(*kept.recording, call.target());
  const Ref saved(reads || !PyErr_Occurred() ? PyList_New(0) : nullptr);
  const size_t count = kept.size();
  for (size_t i = 0; saved && i < count; ++i) {
    PyObject *object = call.given(i);
    KeptArgument &argument = kept.arguments[i];
    if (!object)
      continue;
    argument.how = !is_tensor(object) ? Kept::Object : !reads || (*reads)[i] ? Kept::Saved : Kept::Sizes;
    if (argument.how == Kept::Object)
      argument.object = Py_NewRef(object);
    else if (argument.how == Kept::Saved
                 ? PyList_Append(saved.get(), object) != 0
                 : !(argument.object = PyObject_CallMethodObjArgs(kept.recording->owner, sizes_name, object, nullptr)))
      return Ref();
  }
  return Ref(saved ? PyList_AsTuple(saved.get()) : nullptr);
}

// -- the backward ---------------------------------------------------------------------------------------------------

/// The row of arguments of f_bwd. Owns what is made for it.
class BackwardRow {
public:
  BackwardRow(const KeptCall &kept, Call &call) : kept_(kept), recording_(*kept.recording), row_(call.row()) {
    const size_t count = reinterpret_cast<const Operation *>(recording_.backward)->plan->parameters.size();
    std::memset(row_, 0, count * sizeof(PyObject *));
  }

  /// Values as the forward had them; a gradient that `needs` does not ask for is None.
  bool fill(PyObject *saved, PyObject *needs, PyObject *cotangent) {
    const size_t count = kept_.size();
    Py_ssize_t next_saved = 0, next_needed = 1;
    for (size_t i = 0; i < count; ++i) {
      const KeptArgument &argument = kept_.arguments[i];
      const RecordedParameter &parameter = (*recording_.parameters)[i];
      if (argument.how != Kept::Nothing && !put(parameter.value, value_of(argument, saved, &next_saved)))
        return false;
      if (parameter.gradient < 0)
        continue;
      PyObject *is_needed = argument.is_followed ? PyTuple_GetItem(needs, next_needed++) : Py_False;
      if (!is_needed)
        return false;
      if (is_needed != Py_True)
        row_[parameter.gradient] = Py_None;
    }
    row_[recording_.output] = Py_None;
    return put(recording_.cotangent, readable(cotangent));
  }

private:
  bool put(int index, Ref object) {
    if (!object)
      return false;
    if (index >= 0)
      row_[index] = object.get();
    owned_.push_back(std::move(object));
    return true;
  }

  static Ref value_of(const KeptArgument &argument, PyObject *saved, Py_ssize_t *next_saved) {
    switch (argument.how) {
    case Kept::Saved:
      return Ref(Py_XNewRef(PyTuple_GetItem(saved, (*next_saved)++)));
    case Kept::Sizes:
      return Ref(PyObject_CallMethodObjArgs(argument.object, tensor_name, nullptr));
    default:
      return Ref::borrowed(argument.object);
    }
  }

  /// As f_bwd can read it: pointers need it contiguous, and torch expands what is equal.
  Ref readable(PyObject *cotangent) const {
    const Ref is_neg(PyObject_CallMethodObjArgs(cotangent, state().is_neg, nullptr));
    if (!is_neg)
      return Ref();
    Ref positive(is_neg.get() == Py_True ? PyObject_CallMethodObjArgs(cotangent, resolve_neg_name, nullptr)
                                         : Py_NewRef(cotangent));
    // What torch knows to be zero has no memory.
    const Ref is_zero(positive ? PyObject_CallMethodObjArgs(positive.get(), is_zero_name, nullptr) : nullptr);
    if (!is_zero || is_zero.get() == Py_True)
      return Ref(is_zero ? PyObject_CallMethodObjArgs(positive.get(), clone_name, nullptr) : nullptr);
    if (!recording_.wants_contiguous)
      return positive;
    const Ref is_contiguous(PyObject_CallMethodObjArgs(positive.get(), is_contiguous_name, nullptr));
    if (!is_contiguous || is_contiguous.get() == Py_True)
      return is_contiguous ? std::move(positive) : Ref();
    return Ref(PyObject_CallMethodObjArgs(positive.get(), contiguous_name, nullptr));
  }

  const KeptCall &kept_;
  const Recording &recording_;
  PyObject **row_;
  std::vector<Ref> owned_;
};

/// Of what f_bwd returned, a tuple of what torch wants: a gradient or None for each argument of the node.
PyObject *take_gradients(const KeptCall &kept, PyObject *const *row, PyObject *needs, PyObject *results) {
  const Recording &recording = *kept.recording;
  Ref gradients(PyTuple_New(PyTuple_Size(needs)));
  if (!gradients || PyTuple_SetItem(gradients.get(), 0, Py_NewRef(Py_None)))
    return nullptr;
  Py_ssize_t at = 1;
  for (size_t i = 0; i < kept.size(); ++i) {
    const RecordedParameter &parameter = (*recording.parameters)[i];
    if (!kept.arguments[i].is_followed)
      continue;
    const bool is_needed = PyTuple_GetItem(needs, at) == Py_True;
    PyObject *found = !is_needed                  ? Py_None
                      : recording.num_results > 1 ? PyTuple_GetItem(results, parameter.result)
                                                  : results;
    Ref gradient(Py_XNewRef(found));
    if (is_needed && found && parameter.is_scalar)
      gradient = Ref(PyObject_CallMethodObjArgs(recording.owner, as_scalar_name, found, row[parameter.value], nullptr));
    if (!gradient || PyTuple_SetItem(gradients.get(), at++, gradient.release()))
      return nullptr;
  }
  return gradients.release();
}

/// No gradient has arrived.
PyObject *none_for_all(const KeptCall &kept) {
  Py_ssize_t count = 1;
  for (size_t i = 0; i < kept.size(); ++i)
    count += kept.arguments[i].is_followed;
  Ref gradients(PyTuple_New(count));
  for (Py_ssize_t i = 0; gradients && i < count; ++i)
    PyTuple_SetItem(gradients.get(), i, Py_NewRef(Py_None));
  return gradients.release();
}

PyObject *run_backward(PyObject *node, PyObject *const *cotangents, Py_ssize_t count) {
  const Ref object(PyObject_GetAttr(node, kept_name));
  if (!object)
    return nullptr;
  if (Py_TYPE(object.get()) != kept_type || count != 1)
    return raise_type_error("a node of a recorded call takes one gradient");
  const KeptCall &kept = *as_kept(object.get());
  if (cotangents[0] == Py_None)
    return none_for_all(kept);
  const Ref saved(PyObject_GetAttr(node, saved_name)), needs(saved ? PyObject_GetAttr(node, needs_name) : nullptr);
  if (!needs)
    return nullptr;
  if (!PyTuple_Check(saved.get()) || !PyTuple_Check(needs.get()))
    return raise_type_error("a node of a recorded call: expected tuples of torch");
  Call call(*reinterpret_cast<Operation *>(kept.recording->backward), false);
  BackwardRow row(kept, call);
  if (!row.fill(saved.get(), needs.get(), cotangents[0]))
    return nullptr;
  const Ref results(call.run_row(kept.launch));
  return results ? take_gradients(kept, call.row(), needs.get(), results.get()) : nullptr;
}

/// `apply` of a node, which torch calls with the gradients that arrive. The class that torch makes would call the
/// backward of the Function from Python.
PyObject *node_apply(PyObject *self, PyObject *const *args, Py_ssize_t num_args) {
  return run_backward(self, args, num_args);
}

PyMethodDef node_methods[] = {
    {"apply", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(node_apply)), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot node_slots[] = {{Py_tp_methods, node_methods}, {0, nullptr}};
PyType_Spec node_spec = {"kernix._binding.RecordedNode", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                         node_slots};

} // namespace

// -- the call -------------------------------------------------------------------------------------------------------

int can_record(const Call &call) {
  const Recording *recording = call.operation().recording;
  if (!recording)
    return 0;
  if (const int is_dual = is_forward_ad_on())
    return is_dual < 0 ? -1 : 0;
  for (size_t i = 0; i < recording->parameters->size(); ++i) {
    PyObject *object = call.given(i);
    const RecordedParameter &parameter = (*recording->parameters)[i];
    const bool is_changed = parameter.is_written && object && object != Py_None;
    if (is_changed || (object && call.wants_graph(i) && parameter.gradient < 0))
      return 0;
  }
  return 1;
}

PyObject *record(Call &call) {
  Recording *recording = call.operation().recording;
  const size_t count = recording->parameters->size();
  Py_ssize_t num_followed = 0;
  for (size_t i = 0; i < count; ++i)
    num_followed += call.given(i) && call.wants_graph(i);
  const Ref object(PyType_GenericAlloc(kept_type, static_cast<Py_ssize_t>(count)));
  const Ref inputs(object ? PyTuple_New(1 + num_followed) : nullptr);
  if (!inputs)
    return nullptr;
  KeptCall &kept = *as_kept(object.get());
  kept.recording = reinterpret_cast<Recording *>(Py_NewRef(reinterpret_cast<PyObject *>(recording)));
  kept.launch = call.launch_sizes().release();
  if (!kept.launch && PyErr_Occurred())
    return nullptr;
  PyTuple_SetItem(inputs.get(), 0, Py_NewRef(object.get()));
  Py_ssize_t at = 1;
  for (size_t i = 0; i < count; ++i) {
    kept.arguments[i].is_followed = call.given(i) && call.wants_graph(i);
    if (kept.arguments[i].is_followed)
      PyTuple_SetItem(inputs.get(), at++, Py_NewRef(call.given(i)));
  }
  kept.call = &call;
  Ref result(PyObject_Call(recording->apply, inputs.get(), nullptr));
  kept.call = nullptr;
  return result.release();
}

PyObject *recorded_forward(PyObject *, PyObject *const *args, Py_ssize_t num_args) {
  KeptCall *kept = num_args >= 2 && Py_TYPE(args[1]) == kept_type ? as_kept(args[1]) : nullptr;
  if (!kept || !kept->call)
    return raise_type_error("the forward of a recorded call is run by the call only");
  Ref result(kept->call->compute());
  if (result && !is_tensor(result.get()))
    return PyErr_Occurred()
               ? nullptr
               : raise_type_error("%s: returns %s, to which no graph of torch leads; pass torch tensors, or "
                                  "tensor.detach() where no gradient is wanted",
                                  kept->call->operation().plan->signature, type_name(result.get()));
  const Ref saved = result ? keep_arguments(*kept) : Ref();
  const Ref save(saved ? PyObject_GetAttr(args[0], save_name) : nullptr);
  const Ref done(save ? PyObject_Call(save.get(), saved.get(), nullptr) : nullptr);
  return done && !PyObject_SetAttr(args[0], kept_name, args[1]) ? result.release() : nullptr;
}

PyObject *recorded_backward(PyObject *, PyObject *const *args, Py_ssize_t num_args) {
  return num_args ? run_backward(args[0], args + 1, num_args - 1) : raise_type_error("expected a node");
}

bool is_recording(PyObject *object) { return Py_TYPE(object) == recording_type; }

PyObject *make_recording_type() {
  PyObject *type = PyType_FromSpec(&recording_spec);
  recording_type = reinterpret_cast<PyTypeObject *>(Py_XNewRef(type));
  return type;
}

PyObject *make_recorded_node_type() { return PyType_FromSpec(&node_spec); }

bool init_recording() {
  kept_type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&kept_spec));
  const struct {
    PyObject **place;
    const char *text;
  } names[] = {{&kept_name, "kept"},
               {&save_name, "save_for_backward"},
               {&saved_name, "saved_tensors"},
               {&needs_name, "needs_input_grad"},
               {&contiguous_name, "contiguous"},
               {&is_contiguous_name, "is_contiguous"},
               {&resolve_neg_name, "resolve_neg"},
               {&is_zero_name, "_is_zerotensor"},
               {&clone_name, "clone"},
               {&tensor_name, "tensor"},
               {&reads_name, "reads"},
               {&sizes_name, "sizes"},
               {&as_scalar_name, "as_scalar"}};
  for (const auto &name : names)
    if (!(*name.place = PyUnicode_InternFromString(name.text)))
      return false;
  return kept_type;
}

} // namespace kernix::python
