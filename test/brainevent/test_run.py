"""Kernels of brainevent on the CPU target, at small sizes, against NumPy."""

import functools

import ml_dtypes
import numpy as np
import package
import pytest

import kernix

WEIGHTS = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
TOLERANCE = {"f32": 1e-5, "f64": 1e-12, "f16": 2e-2, "bf16": 1e-1}
EVENTS = ["bool", "float"]
all_files = pytest.mark.all_files


@functools.cache
def module(source: str) -> kernix.Module:
    """Unchanged; kernix's brainevent/common.h stands before the package's own on the include path."""
    return kernix.load_cuda_file(
        package.folder() / source, extra_include_paths=package.include_paths(source), optimization_level=1
    )


def bits(array):
    """NumPy has no bfloat16 that DLPack knows: kernels get its bits, which raw pointers take."""
    return array.view(np.uint16) if array.dtype == ml_dtypes.bfloat16 else array


def close(result, expected, dtype):
    np.testing.assert_allclose(
        np.asarray(result, np.float64), np.asarray(expected, np.float64), rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype]
    )


def events(rng, shape, kind):
    active = rng.random(shape) < 0.4
    return active.astype(np.int8) if kind == "bool" else np.where(active, rng.normal(size=shape), 0).astype(np.float32)


def csr(rng, rows, columns, density, dtype, index=np.int32):
    """weights, indices, indptr, and the same as a dense float64 matrix."""
    mask = rng.random((rows, columns)) < density
    indptr = np.concatenate([[0], np.cumsum(mask.sum(1))]).astype(index)
    indices = np.nonzero(mask)[1].astype(np.int32)
    weights = rng.normal(size=indices.size).astype(WEIGHTS[dtype])
    dense = np.zeros((rows, columns))
    dense[mask] = weights.astype(np.float64)
    return weights, indices, indptr, dense


def rng():
    return np.random.default_rng(7)


# -- dense -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("dtype", WEIGHTS)
@pytest.mark.parametrize("transpose", [False, True])
def test_densemv(transpose, dtype, event):
    random = rng()
    weights = random.normal(size=(37, 70)).astype(WEIGHTS[dtype])
    spikes = events(random, 37 if transpose else 70, event)
    active = (spikes != 0).astype(np.float64)
    dense = weights.astype(np.float64)
    output = np.full(70 if transpose else 37, 9).astype(WEIGHTS[dtype])
    name = f"binary_densemv_{'transpose' if transpose else 'no_transpose'}_{dtype}_{event}"
    module("_dense/binary_densemv.cu")[name](bits(weights), spikes, bits(output))
    close(output, active @ dense if transpose else dense @ active, dtype)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_densemv_of_weighted_events(dtype):
    random = rng()
    weights, events_ = random.normal(size=(20, 33)).astype(WEIGHTS[dtype]), random.normal(size=33).astype(WEIGHTS[dtype])
    output = np.zeros(20, WEIGHTS[dtype])
    module("_dense/binary_densemv.cu")[f"binary_densemv_no_transpose_{dtype}_wv"](weights, events_, output)
    close(output, weights @ events_, dtype)


@all_files
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("transpose", [False, True])
def test_densemm(transpose, dtype, event):
    random = rng()
    weights = random.normal(size=(21, 40)).astype(WEIGHTS[dtype])
    spikes = events(random, (21 if transpose else 40, 5), event)
    active = (spikes != 0).astype(np.float64)
    output = np.zeros((5, 40 if transpose else 21), WEIGHTS[dtype])  # one row for each column of the events
    name = f"binary_densemm_{'transpose' if transpose else 'no_transpose'}_{dtype}_{event}"
    module("_dense/binary_densemm.cu")[name](weights, spikes, output)
    dense = weights.astype(np.float64)
    close(output, ((dense.T if transpose else dense) @ active).T, dtype)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("dtype", WEIGHTS)
@pytest.mark.parametrize("which", ["pre", "post"])
def test_dense_plasticity(which, dtype, event):
    random = rng()
    weight = random.normal(size=(30, 45)).astype(WEIGHTS[dtype])
    spike = events(random, 30 if which == "pre" else 45, event)
    trace = random.normal(size=45 if which == "pre" else 30).astype(WEIGHTS[dtype])
    out = weight.copy()
    function = module(f"_dense/plasticity_binary_on_{which}.cu")[f"update_dense_on_{which}_{dtype}_{event}"]
    if which == "pre":
        function(bits(weight), spike, bits(trace), bits(out))
        expected = weight.astype(np.float64) + np.outer(spike != 0, trace.astype(np.float64))
    else:
        function(bits(weight), bits(trace), spike, bits(out))
        expected = weight.astype(np.float64) + np.outer(trace.astype(np.float64), spike != 0)
    close(out, expected, dtype)


# -- compressed rows ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [20, 300, 5000])  # a thread, a warp, a block for each row
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", WEIGHTS)
def test_csrmv(dtype, index, columns):
    """One weight for all."""
    random = rng()
    _, indices, indptr, dense = csr(random, 6, columns, 0.2, dtype, index)
    vector, weight = random.normal(size=columns).astype(WEIGHTS[dtype]), np.array([1.5], WEIGHTS[dtype])
    output = np.zeros(6, WEIGHTS[dtype])
    module("_csr/float_csrmv.cu")[f"csrmv_nt_auto_{dtype}"](bits(weight), indices, indptr, bits(vector), bits(output))
    expected = 1.5 * ((dense != 0) @ vector.astype(np.float64))
    np.testing.assert_allclose(output.astype(np.float64), expected, rtol=TOLERANCE[dtype], atol=20 * TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_csrmv_transposed(dtype):
    random = rng()
    _, indices, indptr, dense = csr(random, 40, 30, 0.3, dtype)
    vector, output = random.normal(size=40).astype(WEIGHTS[dtype]), np.ones(30, WEIGHTS[dtype])
    weight = np.array([1.5], WEIGHTS[dtype])
    module("_csr/float_csrmv.cu")[f"csrmv_t_warp_{dtype}"](weight, indices, indptr, vector, output)
    close(output, 1.5 * ((dense != 0).T @ vector.astype(np.float64)), dtype)


def test_indices_are_checked():
    """A check of the kernel's own header is an exception here."""
    random = rng()
    weights, indices, indptr, _ = csr(random, 4, 20, 0.3, "f32")
    with pytest.raises(kernix.KernelError, match=r"csrmv_nt_auto_f32\(.*BE_CHECK.* failed: indices are int32, not int64"):
        module("_csr/float_csrmv.cu").csrmv_nt_auto_f32(
            weights, indices.astype(np.int64), indptr, np.zeros(20, np.float32), np.zeros(4, np.float32)
        )


def test_indptr_is_dispatched():
    random = rng()
    weights, indices, indptr, _ = csr(random, 4, 20, 0.3, "f32")
    with pytest.raises(kernix.KernelError, match="BE_DISPATCH_CSR_INDPTR: unsupported dtype float32"):
        module("_csr/float_csrmv.cu").csrmv_nt_auto_f32(
            weights, indices, indptr.astype(np.float32), np.zeros(20, np.float32), np.zeros(4, np.float32)
        )


@all_files
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("weights_are", ["homo", "hetero"])
def test_binary_csrmv(weights_are, dtype, event):
    random = rng()
    weights, indices, indptr, dense = csr(random, 25, 60, 0.2, dtype)
    if weights_are == "homo":
        weights, dense = np.array([0.75], WEIGHTS[dtype]), 0.75 * (dense != 0)
    spikes = events(random, 60, event)
    output = np.zeros(25, WEIGHTS[dtype])
    name = f"binary_csrmv_nt_auto_{weights_are}_{dtype}_{event}"
    module("_csr/binary_csrmv.cu")[name](weights, indices, indptr, spikes, output)
    close(output, dense @ (spikes != 0), dtype)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("dtype", ["f32", "f64", "f16", "bf16"])
def test_csr_plasticity_on_pre(dtype, event):
    random = rng()
    weight, indices, indptr, _ = csr(random, 50, 40, 0.3, dtype)
    spike, trace = events(random, 50, event), random.normal(size=40).astype(WEIGHTS[dtype])
    out = weight.copy()
    function = module("_csr/plasticity_binary_on_pre.cu")[f"update_csr_on_pre_{dtype}_{event}"]
    function(bits(weight), indices, indptr, spike, bits(trace), bits(out))
    rows = np.repeat(np.arange(50), np.diff(indptr))
    close(out, weight.astype(np.float64) + np.where(spike[rows] != 0, trace.astype(np.float64)[indices], 0), dtype)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_csr_plasticity_on_post(dtype, event):
    random = rng()
    weight, indices, indptr, _ = csr(random, 50, 40, 0.3, dtype)
    places = random.permutation(weight.size).astype(np.int32)
    spike, trace = events(random, 50, event), random.normal(size=40).astype(WEIGHTS[dtype])
    out = weight.copy()
    function = module("_csr/plasticity_binary_on_post.cu")[f"update_csr_on_post_{dtype}_{event}"]
    function(weight, indices, indptr, places, trace, spike, out)
    expected, rows = weight.astype(np.float64), np.repeat(np.arange(50), np.diff(indptr))
    expected[places] += np.where(spike[rows] != 0, trace.astype(np.float64)[indices], 0)
    close(out, expected, dtype)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_csr_to_csc(index):
    """Two of its three parameters of one 64-bit type are attributes, the third is the stream."""
    random = rng()
    _, indices, indptr, dense = csr(random, 30, 20, 0.3, "f32", index)
    functions = module("_csr/csr_to_csc.cu")
    counts = np.zeros(20, index)
    functions.csr_to_csc_count(indices, indptr, counts)
    assert (counts == (dense != 0).sum(0)).all()
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(index)
    first, last = 5, 13
    begin, end = starts[first], starts[last]
    rows, order = np.full(end - begin, -1, np.int32), np.full(end - begin, -1, index)
    functions.csr_to_csc_fill_block(
        indices, indptr, starts[first:last] - begin, np.zeros(last - first, index), rows, order, col_start=first, col_end=last
    )
    for column in range(first, last):
        part = slice(starts[column] - begin, starts[column + 1] - begin)
        assert sorted(rows[part]) == np.nonzero(dense[:, column])[0].tolist()
        assert (indices[order[part]] == column).all()


# -- fixed number of connections, events -------------------------------------------------------------------------------


@pytest.mark.parametrize("connections", [5, 40, 300])  # a thread, a warp, a block for each row
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("dtype", WEIGHTS)
def test_fcn_plasticity(dtype, event, connections):
    random = rng()
    weight = random.normal(size=(12, connections)).astype(WEIGHTS[dtype])
    indices = random.integers(0, 50, (12, connections), dtype=np.int32)
    spike, trace = events(random, 12, event), random.normal(size=50).astype(WEIGHTS[dtype])
    out = weight.copy()
    function = module("_fcn/plasticity_row_driven.cu")[f"update_fcn_row_{dtype}_{event}"]
    function(bits(weight), indices, spike, bits(trace), bits(out))
    close(out, weight.astype(np.float64) + np.where(spike[:, None] != 0, trace.astype(np.float64)[indices], 0), dtype)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("weights_are", ["homo", "hetero"])
def test_fcn_scatter(weights_are, dtype):
    random = rng()
    indices = random.integers(0, 35, (20, 6), dtype=np.int32)
    weights = random.normal(size=(20, 6) if weights_are == "hetero" else 1).astype(WEIGHTS[dtype])
    spikes, output = events(random, 20, "bool"), np.ones(35, WEIGHTS[dtype])
    function = module("_fcn/binary_fcnmv.cu")[f"binary_fcnmv_scatter_{weights_are}_bool_{dtype}"]
    function(weights, indices, spikes.view(np.uint8), output)
    expected = np.zeros(35)
    np.add.at(expected, indices, np.broadcast_to(weights, (20, 6)) * (spikes != 0)[:, None])
    close(output, expected, dtype)


@pytest.mark.parametrize("event", EVENTS)
def test_compaction(event):
    random = rng()
    spikes = events(random, 700, event)
    ids, count = np.full(700, -1, np.int32), np.zeros(1, np.int32)
    module("_event/compact.cu")[f"compact_1d_{event}"](spikes, ids, count)
    assert sorted(ids[: count[0]]) == np.nonzero(spikes)[0].tolist()


@pytest.mark.parametrize("event", EVENTS)
def test_compaction_of_rows(event):
    random = rng()
    matrix = events(random, (33, 50), event)
    functions = module("_event/compact.cu")
    counts = np.zeros(33, np.int32)
    functions[f"csr_row_count_2d_{event}"](matrix, counts)
    assert (counts == (matrix != 0).sum(1)).all()
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    indices = np.full(33 * 50, -1, np.int32)  # the kernel clears as much as there could be
    functions[f"csr_fill_2d_{event}"](matrix, indptr, indices)
    for row in range(33):
        assert sorted(indices[indptr[row] : indptr[row + 1]]) == np.nonzero(matrix[row])[0].tolist()


@all_files
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_rows_of_csr(dtype):
    random = rng()
    data, indices, indptr, dense = csr(random, 20, 60, 0.3, dtype)
    rows = np.array([3, 0, 19, 3], np.int32)
    output = np.full((4, 60), 5, WEIGHTS[dtype])
    module("_csr/slice_csr_slice_rows.cu")[f"csr_slice_rows_fwd_hetero_auto_{dtype}"](data, indices, indptr, rows, output)
    close(output, dense[rows], dtype)
    cotangent, gradient = random.normal(size=(4, 60)).astype(WEIGHTS[dtype]), np.zeros(data.size, WEIGHTS[dtype])
    module("_csr/slice_csr_slice_rows.cu")[f"csr_slice_rows_grad_auto_{dtype}"](cotangent, indices, indptr, rows, gradient)
    expected = np.zeros(data.size)
    for place, row in enumerate(rows):
        part = slice(indptr[row], indptr[row + 1])
        expected[part] += cotangent[place, indices[part]]
    close(gradient, expected, dtype)
