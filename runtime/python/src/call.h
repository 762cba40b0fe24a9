// runtime/python/src/call.h - one call of an operation.
//
// Binds and converts the arguments, chooses the target by the device of the arrays and the variant by their dtypes,
// runs it without the GIL and packs the results. Nothing is allocated on the way unless an output, a struct or more
// than a handful of parameters ask for it. What torch records is recording.cpp.

#ifndef KERNIX_PYTHON_CALL_H
#define KERNIX_PYTHON_CALL_H

#include "convert.h"
#include "plan.h"
#include "python.h"

#include <memory>
#include <vector>

namespace kernix::python {

struct Recording;

/// The object that Python calls.
struct Operation {
  PyObject_HEAD Vectorcall vectorcall;
  PyObject *name;
  PyObject *details;                     ///< kernix.function.FunctionDetails: everything that is not a call
  Plan *plan;                            ///< null until a library is attached
  const kernix_operation *operations[2]; ///< by kernix_target; null: not built yet
  int default_target;
  Recording *recording;      ///< how torch records a call; null: Python does, or it is not known yet
  PyObject *weak_references; ///< CPython's
};

PyObject *call_operation(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names);

/// The same for kernels of torch's dispatcher: torch has seen the call, and only computes now.
PyObject *call_plainly(PyObject *self, PyObject *const *args, Py_ssize_t num_args, PyObject *names);

/// Likewise, where torch wants the same bits in each run: of a derivative that may sum in any order, an error.
PyObject *call_in_fixed_order(PyObject *self, PyObject *const *args, Py_ssize_t num_args, PyObject *names);

/// As Python calls it, but all that is allocated is zero.
PyObject *call_on_zeros(PyObject *self, PyObject *const *args, Py_ssize_t num_args, PyObject *names);

/// The index of the variant that a call with these arguments runs, without running it.
PyObject *variant_of_call(PyObject *self, PyObject *const *args, Py_ssize_t num_args, PyObject *names);

/// An array on the stack up to N elements, on the heap beyond. Elements are as `new T[]` leaves them.
template <class T, size_t N> class Buffer {
public:
  explicit Buffer(size_t size) : heap_(size > N ? new T[size] : nullptr) {}
  T *get() { return heap_ ? heap_.get() : stack_; }
  const T *get() const { return heap_ ? heap_.get() : stack_; }
  T &operator[](size_t index) { return get()[index]; }
  const T &operator[](size_t index) const { return get()[index]; }

private:
  T stack_[N];
  std::unique_ptr<T[]> heap_;
};

inline constexpr size_t stack_parameters = 16;

class Call {
public:
  Call(Operation &operation, bool is_plain, bool in_fixed_order = false, bool on_zeros = false);
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;
  ~Call();

  /// The arguments as Python passes them.
  PyObject *run(PyObject *const *args, Py_ssize_t num_args, PyObject *names);

  /// Of the same: the variant that is chosen.
  PyObject *variant(PyObject *const *args, Py_ssize_t num_args, PyObject *names);

  /// The same of a row that the caller fills: an object for each parameter (borrowed; null: left out), and a dict of
  /// launch sizes or null.
  PyObject **row() { return given_.get(); }
  PyObject *run_row(PyObject *launch);

  // For recording.cpp, once the arguments are converted.
  Operation &operation() const { return operation_; }
  PyObject *given(size_t index) const { return given_[index]; }
  size_t size() const { return count_; }
  const Array &array(size_t index) const { return arrays_[index]; }
  bool wants_graph(size_t index) const { return arrays_[index].wants_graph; }
  /// The launch sizes by keyword: a dict, or null where there are none; null with an exception set too.
  Ref launch_sizes() const;
  /// Runs it, whatever watches the call.
  PyObject *compute();
  /// Of what was computed: a kernix_target.
  int target() const { return static_cast<int>(target_->module->target); }
  /// Where it will be computed, if an array is given.
  int device_target() const { return cuda_device() < 0 ? KERNIX_TARGET_CPU : KERNIX_TARGET_CUDA; }
  /// The device of the first array on CUDA; -1: there is none.
  int cuda_device() const;

private:
  Place place(size_t index) const;
  PyObject *dispatch();
  PyObject *call_from_python(PyObject *method);
  Ref positional() const;
  Ref keywords() const;
  bool convert_arguments();
  bool convert_struct(size_t index, kernix_value *leaves, long variant);
  bool choose_target();
  bool choose_variant();
  bool convert_structs_again();
  bool set_stream();
  PyObject *execute();
  bool count_changes();
  PyObject *pack(const kernix_output *outputs, int32_t count);
  PyObject *pack_output(const kernix_output &output);
  static int allocate(void *context, int32_t parameter, kernix_dtype dtype, int32_t ndim, const int64_t *shape,
                      int32_t device_type, int32_t device_id, int zeroed, kernix_dltensor *tensor);
  int allocate_scratch(kernix_dtype dtype, int32_t ndim, const int64_t *shape, int32_t device_type, int32_t device_id,
                       kernix_dltensor *tensor);
  bool allocate_output(size_t index, kernix_dtype dtype, int32_t ndim, const int64_t *shape, int32_t device_type,
                       int32_t device_id, int zeroed);
  bool clear(const kernix_dltensor &tensor) const;
  /// In whose image an output is made.
  struct Like {
    Kind kind;
    PyObject *object;   ///< borrowed; None: there is none
    const Array *array; ///< null: the object is none, or was taken for a number
  };
  Like like_of(size_t index) const;
  static bool is_like(const kernix_dltensor &array, kernix_dtype dtype, int32_t ndim, const int64_t *shape,
                      int32_t device_type);

  Operation &operation_;
  const Plan &plan_;
  const size_t count_;
  const bool in_fixed_order_;                  ///< whatever the order of sums would be else
  const bool is_plain_;                        ///< torch has seen the call
  const bool on_zeros_;                        ///< outputs are allocated zeroed
  PyObject *const *args_ = nullptr;            ///< as Python passes them; null: the row was filled
  Py_ssize_t num_args_ = 0;                    ///< positional
  PyObject *names_ = nullptr;                  ///< of the keywords that follow
  PyObject *launch_ = nullptr;                 ///< of a row that was filled
  Buffer<PyObject *, stack_parameters> given_; ///< borrowed
  Buffer<kernix_value, stack_parameters> values_;
  Buffer<Array, stack_parameters> arrays_;
  Buffer<PyObject *, stack_parameters> allocated_;
  std::vector<Ref> scratch_;
  Buffer<kernix_value, stack_parameters> leaves_;
  kernix_call_options options_{};
  const kernix_operation *target_ = nullptr;
  const kernix_function *function_ = nullptr;
  int32_t variant_ = 0;
  const Array *like_ = nullptr; ///< the first array, whose framework and device outputs get
  size_t like_index_ = 0;
  PyThreadState *thread_ = nullptr;
  bool wants_graph_ = false; ///< torch must record this call
  bool is_jax_ = false;      ///< arrays are JAX's, which calls through XLA
  bool is_torch_ = false;    ///< torch must see the call
};

} // namespace kernix::python

#endif // KERNIX_PYTHON_CALL_H
