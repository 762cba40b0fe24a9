// runtime/python/src/dlpack.h - DLPack's structures, declared here: no framework's header is needed to build kernix.
//
// kernix_dltensor is DLTensor. Layouts are those of DLPack 1.x; the exchange API is the C capsule that a tensor type
// offers as `__dlpack_c_exchange_api__`.

#ifndef KERNIX_PYTHON_DLPACK_H
#define KERNIX_PYTHON_DLPACK_H

#include "kernix/abi.h"

namespace kernix::python {

struct DlpackVersion {
  uint32_t major;
  uint32_t minor;
};

/// Of capsules named "dltensor".
struct DlpackManaged {
  kernix_dltensor tensor;
  void *context;
  void (*deleter)(DlpackManaged *self);
};

/// Of capsules named "dltensor_versioned".
struct DlpackManagedVersioned {
  DlpackVersion version;
  void *context;
  void (*deleter)(DlpackManagedVersioned *self);
  uint64_t flags;
  kernix_dltensor tensor;
};
inline constexpr uint64_t dlpack_read_only = 1;

struct DlpackExchangeHeader {
  DlpackVersion version;
  DlpackExchangeHeader *previous; ///< an older version of the interface, or null
};

struct DlpackExchange {
  DlpackExchangeHeader header;
  int (*allocate)(kernix_dltensor *prototype, DlpackManagedVersioned **out, void *context,
                  void (*set_error)(void *context, const char *kind, const char *message));
  int (*managed_from_object)(void *object, DlpackManagedVersioned **out);
  int (*object_from_managed)(DlpackManagedVersioned *tensor, void **object);
  int (*tensor_from_object)(void *object, kernix_dltensor *out); ///< may be null
  int (*current_stream)(int32_t device_type, int32_t device_id, void **stream);
};

static_assert(sizeof(kernix_dltensor) == 48);
static_assert(sizeof(DlpackManagedVersioned) == 80);

} // namespace kernix::python

#endif // KERNIX_PYTHON_DLPACK_H
