"""Which variant of an operation a call takes, and which of its tensors are cast for that.

Only dtypes are looked at: no tensor, no framework. A call whose dtypes fit a variant needs no cast, and none is made
unless a dtype is preferred or the operation has a policy that casts; `choose` says which.
"""

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .dtypes import dtype_name
from .errors import KernelTypeError
from .selector import KernelDtype, KernelSelector, Selection, kernel_dtype

_TENSORS = ("pointer", "tensor_view", "tensor")
_HALVES = ("float16", "bfloat16")
_CAST = (*_HALVES, "float32")  # dtypes that casts are between


@dataclass(frozen=True)
class Variant:
    """One bound function of an operation, as far as dtypes of tensors go."""

    index: int
    signature: str
    dtype: KernelDtype
    """Auto where it has none, as with float64."""
    wanted: Mapping[str, str | None]
    """By the name of each tensor argument its dtype; None: any."""
    read: tuple[str, ...]
    """Those whose values it reads."""
    castable: frozenset[str]
    """Those that it only reads."""


@dataclass(frozen=True)
class Choice:
    variant: int
    """Index into `info["variants"]`. Variants that differ in scalars only are told apart by the call."""
    dtype: KernelDtype
    casts: Mapping[str, str]
    """By the name of the argument the dtype that its tensor has to be cast to; empty: it fits as it is."""
    reason: str
    """As in kernix.selector.REASONS."""


def choose(
    operation: Any,
    dtypes: Mapping[str, Any] | Sequence[Any],
    preferred: Any = None,
    *,
    selector: KernelSelector | None = None,
) -> Choice:
    """The variant for tensors of these dtypes: by argument, or in the order of the tensor arguments that are read.

    Outputs that the caller gives count too, by argument; they are never cast.

    `selector`: whose policy and availability count, that of the device of the call; without one the variants alone do.
    A KernelTypeError lists the variants if there is none.
    """
    given = _by_name(operation, variants_of(operation)[0], dtypes)
    name: str = operation._name
    dtype = KernelDtype.Auto if preferred is None else kernel_dtype(preferred)
    policy, unavailable = "seed", frozenset[KernelDtype]()
    if selector is not None:
        policy = selector.policy(name)
        if dtype is not KernelDtype.Auto and not selector.is_kernel_available(name, dtype):
            dtype = KernelDtype.Auto
        unavailable = _unavailable(operation, selector)
    ranked = None
    if policy == "ranked" and selector is not None:
        ranked = selector.select(name, [*given.values()])
    return _choose(operation._details, tuple(given.items()), dtype, policy, ranked, unavailable)


def _unavailable(operation: Any, selector: KernelSelector) -> frozenset[KernelDtype]:
    """The kernel dtypes of variants that are registered as unavailable."""
    found = set()
    for variant in variants_of(operation):
        if variant.dtype is KernelDtype.Auto or selector.is_kernel_available(operation, variant.dtype):
            continue
        if selector.capability(operation, variant.dtype) is not None:
            found.add(variant.dtype)
    return frozenset(found)


@functools.lru_cache(maxsize=1024)
def _choose(
    details: Any,
    items: tuple[tuple[str, str], ...],
    preferred: KernelDtype,
    policy: str,
    ranked: Selection | None,
    unavailable: frozenset[KernelDtype],
) -> Choice:
    """By what the selector has said."""
    given = dict(items)
    variants = tuple(variant for variant in _variants(details) if variant.dtype not in unavailable)
    found = _cast_to(variants, preferred, given, _autocasts(preferred)) if preferred is not KernelDtype.Auto else None
    if found is not None:
        return Choice(found[0].index, preferred, found[1], "preferred")
    if ranked is not None and ranked.reason in ("measured", "factor"):
        found = _cast_to(variants, ranked.dtype, given, _all_casts)
        if found is not None:
            return Choice(found[0].index, ranked.dtype, found[1], ranked.reason)
    for variant in variants:
        if _casts(variant, given, _no_casts) is not None:
            return Choice(variant.index, variant.dtype, {}, "mixed" if variant.dtype is KernelDtype.Mixed else "input")
    if policy == "promote":
        found = _promoted(variants, given)
        if found is not None:
            return Choice(found[0].index, found[0].dtype, found[1], "promoted")
    raise KernelTypeError(_message(details._name, _variants(details), given, policy, unavailable))


def variants_of(operation: Any) -> tuple[Variant, ...]:
    """The variants of an operation. Both targets have the same."""
    return _variants(operation._details)


@functools.cache
def _variants(details: Any) -> tuple[Variant, ...]:
    numbers = details._module.default_library.kernel_dtypes(details._name)
    rows = zip(details._records, numbers, strict=True)
    return tuple(_variant(index, record, KernelDtype(number)) for index, (record, number) in enumerate(rows))


def _variant(index: int, record: Mapping[str, Any], dtype: KernelDtype) -> Variant:
    tensors = [parameter for parameter in record["parameters"] if _is_tensor(parameter)]
    return Variant(
        index,
        record["signature"],
        dtype,
        {each["name"]: None if each["dtype"] == "any" else each["dtype"] for each in tensors},
        tuple(each["name"] for each in tensors if _is_only_read(each) or each["access"] == "inout" or each["intent"] == "inout_ptr"),
        frozenset(each["name"] for each in tensors if _is_only_read(each)),
    )


def _is_tensor(parameter: Mapping[str, Any]) -> bool:
    return parameter["passing"] in _TENSORS or parameter["intent"] in ("inout_ptr", "out_ptr")


def _is_only_read(parameter: Mapping[str, Any]) -> bool:
    return bool(parameter["role"] == "arg")


def _by_name(operation: Any, first: Variant, dtypes: Mapping[str, Any] | Sequence[Any]) -> dict[str, str]:
    if isinstance(dtypes, Mapping):
        rows: Iterable[tuple[str, Any]] = dtypes.items()
    else:
        if len(dtypes) > len(first.read):
            raise KernelTypeError(
                f"{operation._name}: expected at most {len(first.read)} dtypes ({', '.join(first.read)}), got {len(dtypes)}"
            )
        rows = zip(first.read, dtypes, strict=False)
    given = {name: dtype_name(dtype) for name, dtype in rows if dtype is not None}
    for name in given:
        if name not in first.wanted:
            raise KernelTypeError(f"{operation._name}: has no tensor argument '{name}'")
    return given


# -- casts: pairs (from, to) that may be made -----------------------------------------------------------------------


def _no_casts(have: str, want: str) -> bool:
    return False


def _all_casts(have: str, want: str) -> bool:
    return have in _CAST and want in _CAST


def _widening(have: str, want: str) -> bool:
    """Nothing is lost."""
    return have in _HALVES and want == "float32"


def _narrowing(have: str, want: str) -> bool:
    return have == "float32" and want in _HALVES


def _autocasts(dtype: KernelDtype) -> Any:
    """As under autocast only float32 becomes a half; where float32 is preferred, halves become that."""
    return _widening if dtype is KernelDtype.Float32 else _narrowing


def _casts(variant: Variant, given: Mapping[str, str], is_allowed: Any) -> dict[str, str] | None:
    """The casts that make the tensors fit a variant, None if that cannot be."""
    casts = {}
    for name, have in given.items():
        want = variant.wanted[name]
        if want is None or want == have:
            continue
        if name not in variant.castable or not is_allowed(have, want):
            return None
        casts[name] = want
    return casts


def _cast_to(
    variants: Sequence[Variant], dtype: KernelDtype, given: Mapping[str, str], is_allowed: Any
) -> tuple[Variant, dict[str, str]] | None:
    """The variant of a kernel dtype that takes the fewest casts."""
    found = None
    for variant in variants:
        if variant.dtype is not dtype:
            continue
        casts = _casts(variant, given, is_allowed)
        if casts is not None and (found is None or len(casts) < len(found[1])):
            found = variant, casts
    return found


def _promoted(variants: Sequence[Variant], given: Mapping[str, str]) -> tuple[Variant, dict[str, str]] | None:
    """One for mixed inputs that fits after widening some of them, else that of float32."""
    return _cast_to(variants, KernelDtype.Mixed, given, _widening) or _cast_to(
        variants, KernelDtype.Float32, given, _widening
    )


def _message(
    name: str, variants: Sequence[Variant], given: Mapping[str, str], policy: str, unavailable: frozenset[KernelDtype]
) -> str:
    have = ", ".join(f"{argument}: a tensor of {dtype}" for argument, dtype in given.items()) or "no tensors"
    rows = [
        f"\n  {variant.signature} with "
        + ", ".join(f"{argument}: {want}" for argument, want in variant.wanted.items() if want)
        + (" (not available)" if variant.dtype in unavailable else "")
        for variant in variants
    ]
    return f"{name}: no variant takes these arguments ({have}), with policy {policy}:{''.join(rows)}"
