// runtime/python/src/recording.cpp

#include "recording.h"
#include "core/extent.h"
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
  int value;       ///< the same parameter of f_bwd; -1: f_bwd has none
  int gradient;    ///< its gradient, a parameter of f_bwd; -1: it has none
  int result;      ///< the place of the gradient among what f_bwd returns; -1: it is not among them
  int is_scalar;   ///< its gradient is a tensor without axes
  int is_written;  ///< an output, which may be given
  int is_read;     ///< of outputs: in and out
  int is_sized;    ///< an output that f_bwd does not read, and knows the sizes or strides of from it alone
  int output;      ///< the place among what f returns; -1: it is not among them
  int cotangent;   ///< a parameter of f_bwd; -1: it has none
  int is_both;     ///< the cotangent becomes the gradient
  int is_gradient; ///< of f, which is an f_bwd itself and adds to it; its cotangent may lack: nobody wants it
  int alignment;   ///< of the cotangent, which has to be contiguous; 0: it may have strides
  int is_constant; ///< an output that is marked no_diff
};

} // namespace

/// How torch records the calls of an operation.
struct Recording {
  PyObject_HEAD PyObject *owner; ///< kernix.torch.simple.Plan, which is asked what is rare
  PyObject *apply;               ///< of the torch.autograd.Function
  PyObject *backward;            ///< the operation f_bwd
  std::vector<RecordedParameter> *parameters;
  std::vector<uint8_t> *reads[2]; ///< by kernix_target: which values f_bwd reads; null: not known yet
  int num_outputs;                ///< of f
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
  bool is_changed; ///< a tensor that the call writes
  int input;       ///< its place among the arguments of the node; 0: torch need not know of it
  int copy;        ///< likewise, of its value from before the call
  int output;      ///< its place among the outputs of the node; -1: it is none
};

/// What is kept of a call beside torch's saved tensors. `arguments` has an entry for each parameter.
struct KeptCall {
  PyObject_VAR_HEAD Recording *recording;
  PyObject *launch; ///< dict, or null
  Call *call;       ///< while the forward runs
  int num_outputs;  ///< of the node
  KeptArgument arguments[1];

  size_t size() const { return static_cast<size_t>(ob_base.ob_size); }
};

PyTypeObject *recording_type = nullptr, *kept_type = nullptr;
PyObject *kept_name = nullptr, *save_name = nullptr, *saved_name = nullptr, *needs_name = nullptr,
         *contiguous_name = nullptr, *is_contiguous_name = nullptr, *resolve_neg_name = nullptr,
         *resolve_conj_name = nullptr, *is_zero_name = nullptr, *clone_name = nullptr, *data_ptr_name = nullptr,
         *tensor_name = nullptr, *reads_name = nullptr, *sizes_name = nullptr, *settled_name = nullptr,
         *as_scalar_name = nullptr, *zeros_name = nullptr, *is_view_name = nullptr, *is_leaf_name = nullptr,
         *is_inference_name = nullptr, *is_real_name = nullptr, *is_complex_name = nullptr, *mark_dirty_name = nullptr,
         *mark_fixed_name = nullptr, *set_materialize_name = nullptr, *requires_grad_name = nullptr;

// -- Recording ------------------------------------------------------------------------------------------------------

Recording *as_recording(PyObject *object) { return reinterpret_cast<Recording *>(object); }

bool take_rows(PyObject *rows, std::vector<RecordedParameter> *parameters) {
  const Py_ssize_t count = PyTuple_Size(rows);
  for (Py_ssize_t i = 0; i < count; ++i) {
    RecordedParameter row{};
    if (!PyArg_ParseTuple(PyTuple_GetItem(rows, i), "iiippppiippip", &row.value, &row.gradient, &row.result,
                          &row.is_scalar, &row.is_written, &row.is_read, &row.is_sized, &row.output, &row.cotangent,
                          &row.is_both, &row.is_gradient, &row.alignment, &row.is_constant))
      return false;
    parameters->push_back(row);
  }
  return true;
}

PyObject *recording_new(PyTypeObject *type, PyObject *args, PyObject *) {
  PyObject *owner, *apply, *backward, *rows;
  int num_outputs, num_results;
  if (!PyArg_ParseTuple(args, "OOOO!ii:Recording", &owner, &apply, &backward, &PyTuple_Type, &rows, &num_outputs,
                        &num_results))
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
  recording->num_outputs = num_outputs;
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
const std::vector<uint8_t> *values_read(Recording &recording, int target, int device) {
  std::vector<uint8_t> *&known = recording.reads[target];
  if (known)
    return known;
  const Ref first(PyLong_FromLong(target)), second(PyLong_FromLong(device));
  const Ref answer(first && second
                       ? PyObject_CallMethodObjArgs(recording.owner, reads_name, first.get(), second.get(), nullptr)
                       : nullptr);
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

/// -1: an exception is set.
int ask(PyObject *object, PyObject *method) {
  const Ref answer(PyObject_CallMethodObjArgs(object, method, nullptr));
  return answer ? answer.get() == Py_True : -1;
}

/// A new reference to what is kept of what torch does not save. The caller may change anything but a number.
PyObject *kept_of(const Recording &recording, Kept how, PyObject *object) {
  if (how == Kept::Object &&
      (PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object) || object == Py_None))
    return Py_NewRef(object);
  return PyObject_CallMethodObjArgs(recording.owner, how == Kept::Sizes ? sizes_name : settled_name, object, nullptr);
}

/// Divides the tensors into those that torch saves, a new tuple, and those whose sizes are kept. `inputs` are those of
/// the node. Null with an exception set.
Ref keep_tensors(KeptCall &kept, PyObject *const *inputs) {
  const Call &call = *kept.call;
  const std::vector<uint8_t> *reads = values_read(*kept.recording, call.target(), call.cuda_device());
  const Ref saved(reads || !PyErr_Occurred() ? PyList_New(0) : nullptr);
  const size_t count = kept.size();
  for (size_t i = 0; saved && i < count; ++i) {
    KeptArgument &argument = kept.arguments[i];
    PyObject *object = argument.copy ? inputs[argument.copy] : call.given(i);
    const RecordedParameter &parameter = (*kept.recording->parameters)[i];
    const bool is_only_written = argument.is_changed && !parameter.is_read;
    if (!object || argument.how == Kept::Object || (is_only_written && !parameter.is_sized))
      continue;
    // Of what the call has changed the value from before was copied, if f_bwd reads it.
    argument.how = argument.is_changed     ? (argument.copy ? Kept::Saved : Kept::Sizes)
                   : !reads || (*reads)[i] ? Kept::Saved
                                           : Kept::Sizes;
    if (argument.how == Kept::Sizes)
      argument.object = kept_of(*kept.recording, Kept::Sizes, object);
    if (argument.how == Kept::Saved ? PyList_Append(saved.get(), object) != 0 : !argument.object)
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
  bool fill(PyObject *node, PyObject *saved, PyObject *needs, PyObject *const *cotangents) {
    const size_t count = kept_.size();
    Py_ssize_t next_saved = 0;
    for (size_t i = 0; i < count; ++i) {
      const KeptArgument &argument = kept_.arguments[i];
      const RecordedParameter &parameter = (*recording_.parameters)[i];
      if (argument.how != Kept::Nothing && !put(parameter.value, value_of(argument, saved, &next_saved)))
        return false;
      if (argument.output >= 0 && parameter.cotangent >= 0) {
        if (!put(parameter.cotangent, cotangent_of(node, cotangents[argument.output], argument, parameter)))
          return false;
        if (argument.how == Kept::Nothing && parameter.value >= 0)
          row_[parameter.value] = Py_None;
      }
      // What the call allocated and changed began with zeros.
      if (argument.how == Kept::Nothing && argument.output >= 0 && parameter.is_read && may_read(i) &&
          !put(parameter.value, zeros_like_output(node, argument)))
        return false;
      if (parameter.gradient < 0)
        continue;
      PyObject *is_needed = argument.input ? PyTuple_GetItem(needs, argument.input) : Py_False;
      if (!is_needed)
        return false;
      if (is_needed != Py_True)
        row_[parameter.gradient] = Py_None;
    }
    return true;
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

  /// Whether f_bwd reads a value on a target that it has been asked about, or may on one that it has not.
  bool may_read(size_t parameter) const {
    bool is_known = false;
    for (const std::vector<uint8_t> *reads : recording_.reads) {
      if (reads && (*reads)[parameter])
        return true;
      is_known |= reads != nullptr;
    }
    return !is_known;
  }

  Ref zeros_like_output(PyObject *node, const KeptArgument &argument) const {
    const Ref place(PyLong_FromLong(argument.output));
    return Ref(place ? PyObject_CallMethodObjArgs(recording_.owner, zeros_name, node, place.get(), nullptr) : nullptr);
  }

  Ref cotangent_of(PyObject *node, PyObject *given, const KeptArgument &argument,
                   const RecordedParameter &parameter) const {
    if (given == Py_None && parameter.is_gradient)
      return Ref::borrowed(given);
    if (given == Py_None)
      return zeros_like_output(node, argument);
    Ref cotangent = readable(given, parameter.alignment);
    // What f_bwd changes must be its own.
    return cotangent && parameter.is_both && cotangent.get() == given
               ? Ref(PyObject_CallMethodObjArgs(given, clone_name, nullptr))
               : std::move(cotangent);
  }

  /// A tensor, or what it shows, where `question` says that this is not what lies in its memory. Null: as `tensor`, or
  /// with an exception set.
  static Ref resolved(const Ref &tensor, PyObject *question, PyObject *resolve) {
    const int differs = tensor ? ask(tensor.get(), question) : -1;
    return differs < 0 ? Ref()
           : differs   ? Ref(PyObject_CallMethodObjArgs(tensor.get(), resolve, nullptr))
                       : Ref::borrowed(tensor.get());
  }

  /// As f_bwd can read it: torch expands what is equal, and cuts parts out of larger tensors.
  static Ref readable(PyObject *cotangent, int alignment) {
    const Ref positive = resolved(Ref::borrowed(cotangent), state().is_neg, resolve_neg_name);
    Ref plain = resolved(positive, state().is_conj, resolve_conj_name);
    // What torch knows to be zero has no memory.
    const Ref is_zero(plain ? PyObject_CallMethodObjArgs(plain.get(), is_zero_name, nullptr) : nullptr);
    if (!is_zero || is_zero.get() == Py_True)
      return Ref(is_zero ? PyObject_CallMethodObjArgs(plain.get(), clone_name, nullptr) : nullptr);
    if (!alignment)
      return plain;
    const Ref is_contiguous(PyObject_CallMethodObjArgs(plain.get(), is_contiguous_name, nullptr));
    if (!is_contiguous)
      return Ref();
    if (is_contiguous.get() != Py_True)
      return Ref(PyObject_CallMethodObjArgs(plain.get(), contiguous_name, nullptr));
    if (alignment == 1)
      return plain;
    const Ref place(PyObject_CallMethodObjArgs(plain.get(), data_ptr_name, nullptr));
    const unsigned long long address = place ? PyLong_AsUnsignedLongLong(place.get()) : 0;
    if (PyErr_Occurred()) {
      if (!PyErr_ExceptionMatches(PyExc_RuntimeError))
        return Ref();
      PyErr_Clear(); // many at once, under vmap, have no place; what the call is given then is checked there
      return plain;
    }
    return address % static_cast<unsigned>(alignment)
               ? Ref(PyObject_CallMethodObjArgs(plain.get(), clone_name, nullptr))
               : std::move(plain);
  }

  const KeptCall &kept_;
  const Recording &recording_;
  PyObject **row_;
  std::vector<Ref> owned_;
};

PyObject *none_for_each(Py_ssize_t count) {
  Ref row(PyTuple_New(count));
  for (Py_ssize_t i = 0; row && i < count; ++i)
    PyTuple_SetItem(row.get(), i, Py_NewRef(Py_None));
  return row.release();
}

/// The gradient of an argument; borrowed. Null with an exception set; None: there is none.
PyObject *find_gradient(const KeptCall &kept, size_t index, PyObject *const *cotangents, PyObject *const *row,
                        PyObject *results) {
  const RecordedParameter &parameter = (*kept.recording->parameters)[index];
  const int output = kept.arguments[index].output;
  if (output >= 0 && parameter.is_gradient)
    return cotangents[output]; // f adds to it
  if (output >= 0 && !parameter.is_both)
    return Py_None;
  return parameter.result < 0              ? row[parameter.cotangent]
         : kept.recording->num_results > 1 ? PyTuple_GetItem(results, parameter.result)
                                           : results;
}

/// Of what f_bwd returned, a tuple of what torch wants: a gradient or None for each argument of the node.
PyObject *take_gradients(const KeptCall &kept, PyObject *const *cotangents, PyObject *const *row, PyObject *needs,
                         PyObject *results) {
  const Recording &recording = *kept.recording;
  Ref gradients(none_for_each(PyTuple_Size(needs)));
  for (size_t i = 0; gradients && i < kept.size(); ++i) {
    const RecordedParameter &parameter = (*recording.parameters)[i];
    const int at = kept.arguments[i].input;
    if (!at || PyTuple_GetItem(needs, at) != Py_True)
      continue;
    PyObject *found = find_gradient(kept, i, cotangents, row, results);
    Ref gradient(Py_XNewRef(found));
    if (found && parameter.is_scalar)
      gradient = Ref(PyObject_CallMethodObjArgs(recording.owner, as_scalar_name, found, row[parameter.value], nullptr));
    if (!gradient || PyTuple_SetItem(gradients.get(), at, gradient.release()))
      return nullptr;
  }
  return gradients.release();
}

PyObject *run_backward(PyObject *node, PyObject *const *cotangents, Py_ssize_t count) {
  const Ref object(PyObject_GetAttr(node, kept_name));
  if (!object)
    return nullptr;
  if (Py_TYPE(object.get()) != kept_type || count != as_kept(object.get())->num_outputs)
    return raise_type_error("a node of a recorded call takes a gradient for each of its outputs");
  const KeptCall &kept = *as_kept(object.get());
  const Ref needs(PyObject_GetAttr(node, needs_name));
  if (!needs)
    return nullptr;
  bool has_arrived = false;
  for (Py_ssize_t i = 0; i < count; ++i)
    has_arrived |= cotangents[i] != Py_None;
  if (!has_arrived)
    return none_for_each(PyTuple_Size(needs.get()));
  const Ref saved(PyObject_GetAttr(node, saved_name));
  if (!saved)
    return nullptr;
  if (!PyTuple_Check(saved.get()) || !PyTuple_Check(needs.get()))
    return raise_type_error("a node of a recorded call: expected tuples of torch");
  Call call(*reinterpret_cast<Operation *>(kept.recording->backward), false);
  BackwardRow row(kept, call);
  if (!row.fill(node, saved.get(), needs.get(), cotangents))
    return nullptr;
  const Ref results(call.run_row(kept.launch));
  return results ? take_gradients(kept, cotangents, call.row(), needs.get(), results.get()) : nullptr;
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

namespace {

/// Whether the call may change the argument: a tensor of torch that is neither a view nor a leaf with a gradient, in
/// memory in which no other argument lies. -1: an exception is set. Whatever else there is, Python knows what to do.
int may_change(const Call &call, size_t index) {
  const Array &array = call.array(index);
  PyObject *object = call.given(index);
  if (array.kind != Kind::Torch)
    return 0;
  for (PyObject *question : {is_view_name, is_inference_name})
    if (const int answer = ask(object, question))
      return answer < 0 ? -1 : 0;
  if (call.wants_graph(index)) {
    const Ref is_leaf(PyObject_GetAttr(object, is_leaf_name));
    if (!is_leaf || is_leaf.get() == Py_True)
      return is_leaf ? 0 : -1;
  }
  const core::Extent own = core::extent_of(array.tensor);
  for (size_t i = 0; i < call.size(); ++i) {
    if (i == index || (call.array(i).kind == Kind::Other && !call.array(i).is_number))
      continue;
    if (call.given(i) == object)
      return 0;
    if (overlap(own, core::extent_of(call.array(i).tensor)))
      return 0;
  }
  return 1;
}

bool is_given(const Call &call, size_t index) { return call.given(index) && call.given(index) != Py_None; }

bool append(PyObject *list, const Ref &object, int *place) {
  *place = static_cast<int>(PyList_Size(list));
  return object && !PyList_Append(list, object.get());
}

/// Keeps what torch does not save as it is now: the call may change the memory that it lies in.
bool keep_others(KeptCall &kept) {
  for (size_t i = 0; i < kept.size(); ++i) {
    KeptArgument &argument = kept.arguments[i];
    PyObject *object = kept.call->given(i);
    if (!object || is_tensor(object))
      continue;
    argument.how = Kept::Object;
    if (!(argument.object = kept_of(*kept.recording, Kept::Object, object)))
      return false;
  }
  return true;
}

/// Arguments of the node: first `object` itself; null with an exception set.
Ref take_inputs(KeptCall &kept, const Ref &object) {
  const Call &call = *kept.call;
  const std::vector<RecordedParameter> &parameters = *kept.recording->parameters;
  Ref inputs(PyList_New(0));
  if (!inputs || PyList_Append(inputs.get(), object.get()))
    return Ref();
  bool reads_changed = false;
  kept.num_outputs = kept.recording->num_outputs;
  for (size_t i = 0; i < kept.size(); ++i) {
    KeptArgument &argument = kept.arguments[i];
    argument.is_changed = parameters[i].is_written && is_given(call, i);
    argument.output = parameters[i].output >= 0 ? parameters[i].output : argument.is_changed ? kept.num_outputs++ : -1;
    reads_changed |= argument.is_changed && parameters[i].is_read;
    if (call.given(i) && (argument.is_changed || call.wants_graph(i)) &&
        !append(inputs.get(), Ref::borrowed(call.given(i)), &argument.input))
      return Ref();
  }
  const std::vector<uint8_t> *reads =
      reads_changed ? values_read(*kept.recording, call.device_target(), call.cuda_device()) : nullptr;
  if (PyErr_Occurred())
    return Ref();
  for (size_t i = 0; reads_changed && i < kept.size(); ++i)
    if (kept.arguments[i].is_changed && parameters[i].is_read && (!reads || (*reads)[i]) &&
        !append(inputs.get(), Ref(PyObject_CallMethodObjArgs(call.given(i), clone_name, nullptr)),
                &kept.arguments[i].copy))
      return Ref();
  return Ref(PyList_AsTuple(inputs.get()));
}

/// What the node's forward returns: what the call has returned, and then what else it has changed. Tells torch which
/// outputs were changed and which have no gradient.
PyObject *take_outputs(const KeptCall &kept, PyObject *node, Ref results) {
  const Call &call = *kept.call;
  const int num_returned = kept.recording->num_outputs;
  const Ref row(PyTuple_New(kept.num_outputs)), changed(PyList_New(0)), fixed(PyList_New(0));
  if (!row || !changed || !fixed)
    return nullptr;
  for (int k = 0; k < num_returned; ++k) {
    PyObject *result = num_returned == 1 ? results.get() : PyTuple_GetItem(results.get(), k);
    if (!result || PyTuple_SetItem(row.get(), k, Py_NewRef(result)))
      return nullptr;
    if (result != Py_None && !is_tensor(result))
      return raise_type_error("%s: returns %s, to which no graph of torch leads; pass torch tensors, or "
                              "tensor.detach() where no gradient is wanted",
                              call.operation().plan->signature, type_name(result));
  }
  bool may_lack = false;
  for (size_t i = 0; i < kept.size(); ++i) {
    const KeptArgument &argument = kept.arguments[i];
    if (argument.output < 0)
      continue;
    may_lack |= (*kept.recording->parameters)[i].is_gradient;
    if (argument.output >= num_returned && PyTuple_SetItem(row.get(), argument.output, Py_NewRef(call.given(i))))
      return nullptr;
    PyObject *output = PyTuple_GetItem(row.get(), argument.output);
    if (argument.is_changed && PyList_Append(changed.get(), output))
      return nullptr;
    if ((*kept.recording->parameters)[i].cotangent >= 0 || output == Py_None)
      continue;
    // Of one that was given and has a graph torch would return an alias, and leave it that graph.
    const Ref has_graph(argument.is_changed ? PyObject_GetAttr(output, requires_grad_name) : Py_NewRef(Py_False));
    if (!has_graph)
      return nullptr;
    if (has_graph.get() == Py_True)
      continue;
    int is_real = (*kept.recording->parameters)[i].is_constant ? 0 : ask(output, is_real_name);
    if (!is_real && !(*kept.recording->parameters)[i].is_constant)
      is_real = ask(output, is_complex_name); // pairs of real numbers
    if (is_real < 0 || (!is_real && PyList_Append(fixed.get(), output)))
      return nullptr;
  }
  const struct {
    PyObject *method, *list;
  } calls[] = {{mark_dirty_name, changed.get()}, {mark_fixed_name, fixed.get()}};
  for (const auto &each : calls) {
    if (PyList_Size(each.list) == 0)
      continue;
    const Ref method(PyObject_GetAttr(node, each.method)), tensors(PyList_AsTuple(each.list));
    if (!method || !tensors || !Ref(PyObject_Call(method.get(), tensors.get(), nullptr)))
      return nullptr;
  }
  if (kept.num_outputs == 1)
    return Py_NewRef(PyTuple_GetItem(row.get(), 0));
  if (!may_lack && PyList_Size(fixed.get()) == 0)
    return Py_NewRef(row.get());
  // Which gradients arrive says which outputs are used; else torch makes zeros of the others.
  return Ref(PyObject_CallMethodObjArgs(node, set_materialize_name, Py_False, nullptr)) ? Py_NewRef(row.get())
                                                                                        : nullptr;
}

} // namespace

int can_record(const Call &call) {
  const Recording *recording = call.operation().recording;
  if (!recording)
    return 0;
  if (const int is_dual = is_forward_ad_on())
    return is_dual < 0 ? -1 : 0;
  bool has_output = recording->num_outputs > 0;
  for (size_t i = 0; i < recording->parameters->size(); ++i) {
    const RecordedParameter &parameter = (*recording->parameters)[i];
    if (!is_given(call, i))
      continue;
    if (!parameter.is_written) {
      if (call.wants_graph(i) && parameter.gradient < 0)
        return 0;
      continue;
    }
    if (const int answer = may_change(call, i); answer != 1)
      return answer;
    has_output = true;
  }
  return has_output;
}

PyObject *record(Call &call) {
  Recording *recording = call.operation().recording;
  const Ref object(PyType_GenericAlloc(kept_type, static_cast<Py_ssize_t>(recording->parameters->size())));
  if (!object)
    return nullptr;
  KeptCall &kept = *as_kept(object.get());
  kept.recording = reinterpret_cast<Recording *>(Py_NewRef(reinterpret_cast<PyObject *>(recording)));
  const Ref launch = call.launch_sizes();
  kept.launch = launch ? kept_of(*recording, Kept::Object, launch.get()) : nullptr;
  if (!kept.launch && PyErr_Occurred())
    return nullptr;
  kept.call = &call;
  const Ref inputs = keep_others(kept) ? take_inputs(kept, object) : Ref();
  Ref result(inputs ? PyObject_Call(recording->apply, inputs.get(), nullptr) : nullptr);
  kept.call = nullptr;
  if (!result || kept.num_outputs == recording->num_outputs)
    return result.release();
  // Without what was only changed.
  if (recording->num_outputs == 0)
    Py_RETURN_NONE;
  return recording->num_outputs == 1 ? Py_XNewRef(PyTuple_GetItem(result.get(), 0))
                                     : PyTuple_GetSlice(result.get(), 0, recording->num_outputs);
}

PyObject *recorded_forward(PyObject *, PyObject *const *args, Py_ssize_t num_args) {
  KeptCall *kept = num_args >= 2 && Py_TYPE(args[1]) == kept_type ? as_kept(args[1]) : nullptr;
  if (!kept || !kept->call)
    return raise_type_error("the forward of a recorded call is run by the call only");
  Ref results(kept->call->compute());
  Ref outputs(results ? take_outputs(*kept, args[0], std::move(results)) : nullptr);
  const Ref saved = outputs ? keep_tensors(*kept, args + 1) : Ref();
  const Ref save(saved ? PyObject_GetAttr(args[0], save_name) : nullptr);
  const Ref done(save ? PyObject_Call(save.get(), saved.get(), nullptr) : nullptr);
  return done && !PyObject_SetAttr(args[0], kept_name, args[1]) ? outputs.release() : nullptr;
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
               {&resolve_conj_name, "resolve_conj"},
               {&is_zero_name, "_is_zerotensor"},
               {&clone_name, "clone"},
               {&data_ptr_name, "data_ptr"},
               {&tensor_name, "tensor"},
               {&reads_name, "reads"},
               {&sizes_name, "sizes"},
               {&settled_name, "settled"},
               {&as_scalar_name, "as_scalar"},
               {&zeros_name, "zeros"},
               {&is_view_name, "_is_view"},
               {&is_leaf_name, "is_leaf"},
               {&is_inference_name, "is_inference"},
               {&is_real_name, "is_floating_point"},
               {&is_complex_name, "is_complex"},
               {&mark_dirty_name, "mark_dirty"},
               {&mark_fixed_name, "mark_non_differentiable"},
               {&set_materialize_name, "set_materialize_grads"},
               {&requires_grad_name, "requires_grad"}};
  for (const auto &name : names)
    if (!(*name.place = PyUnicode_InternFromString(name.text)))
      return false;
  return kept_type;
}

} // namespace kernix::python
