"""HDF5 files with every structure of the format, made by h5py's low-level calls.

Some properties of files are not in h5py; they are set by calling its copy of the HDF5 library.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from h5py import h5d, h5f, h5p, h5s, h5t

VERSIONS = {
    "earliest": (h5f.LIBVER_EARLIEST, h5f.LIBVER_V18),
    "v110": (h5f.LIBVER_V110, h5f.LIBVER_V110),
    "latest": (h5f.LIBVER_LATEST, h5f.LIBVER_LATEST),
}


def library() -> Any:
    """Return h5py's copy of HDF5; None if it is not next to h5py."""
    folder = Path(h5py.__file__).parent
    for name in [*folder.parent.glob("h5py.libs/libhdf5-*"), *folder.glob(".dylibs/libhdf5.*")]:
        with contextlib.suppress(OSError):
            return ctypes.CDLL(str(name))
    return None


def create(
    path: Path,
    version: str = "earliest",
    *,
    sizes: tuple[int, int] | None = None,
    user_block: int = 0,
    is_ordered: bool = True,
    shared: int = 0,
    tree_rank: int = 0,
) -> h5py.File:
    """Create a file.

    `shared` are the kinds of messages that are shared, as bits, and `tree_rank` is half of the
    number of chunks in a node of a B-tree; both need the library.
    """
    creation = h5p.create(h5p.FILE_CREATE)
    if sizes:
        creation.set_sizes(*sizes)
    if user_block:
        creation.set_userblock(user_block)
    if is_ordered:
        both = h5p.CRT_ORDER_TRACKED | h5p.CRT_ORDER_INDEXED
        creation.set_link_creation_order(both)
        creation.set_attr_creation_order(both)
    number = ctypes.c_int64(creation.id)
    if tree_rank:
        library().H5Pset_istore_k(number, ctypes.c_uint(tree_rank))
    if shared:
        library().H5Pset_shared_mesg_nindexes(number, ctypes.c_uint(1))
        library().H5Pset_shared_mesg_index(
            number, ctypes.c_uint(0), ctypes.c_uint(shared), ctypes.c_uint(10)
        )
        library().H5Pset_shared_mesg_phase_change(number, ctypes.c_uint(10), ctypes.c_uint(5))
    access = h5p.create(h5p.FILE_ACCESS)
    access.set_libver_bounds(*VERSIONS[version])
    return h5py.File(h5f.create(str(path).encode(), h5f.ACC_TRUNC, creation, access))


def fill(file: h5py.File, count: int) -> None:
    """Fill a file with groups, datasets, attributes, types and links of many kinds."""
    group = file.create_group("g")
    for n in range(count):
        dtype = np.dtype(["f4", ">i2", "u1", "S5"][n % 4])
        options: dict[str, Any] = {}
        if n % 3:
            options = {"chunks": (2, 3), "maxshape": (None, 7)}
        if n % 3 == 1:
            options |= {"compression": "gzip", "shuffle": True}
        values = np.arange(42).reshape(6, 7).astype(dtype)
        made = group.create_dataset(f"d{n:03}", data=values, **options)
        made.attrs["units"] = "K"
        made.attrs["n"] = np.arange(n % 5 + 1)
        made.attrs["text"] = np.bytes_(b"abc")
        made.attrs["string"] = "hé" * n
    for n in range(20):
        file.attrs[f"a{n}"] = n
    group.attrs["large"] = np.arange(7000)
    group.attrs["empty"] = h5py.Empty("f4")
    file["t"] = np.dtype([("a", "i4"), ("b", "f8", (2,)), ("c", "S3")])
    made = file.create_dataset("c", (3,), dtype=file["t"])
    made.attrs.create("z", np.zeros(2, file["t"].dtype), dtype=file["t"])
    file["soft"] = h5py.SoftLink("/g/d001")
    file["external"] = h5py.ExternalLink("other.h5", "/x/y")
    file["strings"] = np.array(["a", "bb", ""], h5py.string_dtype())
    file.create_dataset("e", (3,), dtype=h5py.enum_dtype({"A": 1, "B": -2}, "i2"))
    file.create_dataset("references", (2,), dtype=h5py.ref_dtype)


def many_names(file: h5py.File, count: int) -> None:
    """Fill a file with many groups of long names."""
    for n in range(count):
        file.create_group(f"group with a long name {n}")


def many_attributes(file: h5py.File, count: int) -> None:
    """Give the root many attributes; two are too large for their heap."""
    for n in range(count):
        file.attrs[f"attribute {n}"] = np.arange(n % 40)
    file.attrs["huge"] = np.arange(20_000)
    file.attrs["huger"] = np.zeros(100_000)


def types(file: h5py.File) -> None:
    """Fill a file with datatypes, fill values and layouts."""

    def dataset(name: str, kind: Any, properties: Any = None, shape: tuple[int, ...] = (4,)) -> Any:
        space = h5s.create_simple(shape)
        return h5d.create(file.id, name.encode(), kind, space, properties)

    for name, (value, when) in {
        "never": (None, h5d.FILL_TIME_NEVER),
        "if set": (5, h5d.FILL_TIME_IFSET),
        "always": (7, h5d.FILL_TIME_ALLOC),
    }.items():
        properties = h5p.create(h5p.DATASET_CREATE)
        properties.set_fill_time(when)
        if value is not None:
            properties.set_fill_value(np.array(value, "i4"))
        dataset(name, h5t.STD_I32BE, properties)
    properties = h5p.create(h5p.DATASET_CREATE)
    properties.set_layout(h5d.COMPACT)
    h5py.Dataset(dataset("compact", h5t.STD_I32BE, properties))[...] = 3
    odd = h5t.STD_I32LE.copy()
    odd.set_precision(20)
    odd.set_offset(3)
    h5py.Dataset(dataset("odd", odd))[...] = [-5, 0, 7, 2**18]
    bfloat16 = h5t.IEEE_F32LE.copy()
    bfloat16.set_fields(15, 7, 8, 0, 7)
    bfloat16.set_precision(16)
    bfloat16.set_size(2)
    h5py.Dataset(dataset("bfloat16", bfloat16))[...] = [1.5, -2, 0, np.inf]
    opaque = h5t.create(h5t.OPAQUE, 13)
    opaque.set_tag(b"a tag")
    dataset("opaque", opaque)
    dataset("sequences", h5t.vlen_create(h5t.vlen_create(h5t.STD_I16LE)))
    dataset("texts", h5t.array_create(h5t.C_S1, (3,)))
    file["half"] = np.arange(3, dtype="f2")
    file["complex"] = np.arange(3) * (1 + 2j)
    file["bool"] = np.array([True, False])
    file["scalar"] = 5
    file["null"] = h5py.Empty("f4")
    file["many axes"] = np.zeros((2,) * 10, "u1")
    nested = np.dtype([
        ("x", "i4"), ("y", h5py.vlen_dtype("f8")), ("z", h5py.string_dtype()),
        ("w", [("p", "u1"), ("q", ">f4", (2, 3))]),
    ])  # fmt: skip
    made = file.create_dataset("nested", (2,), dtype=nested)
    made[0] = (1, np.arange(3.0), "q", (2, np.ones((2, 3))))
    file.attrs.create("nested", np.array([(1, np.arange(3.0), "q", (2, np.ones((2, 3))))], nested))
    references = [file["half"].ref, file["bool"].ref]
    file.attrs["references"] = np.array(references, h5py.ref_dtype)
    group = file.create_group("loop")
    group["up"] = file["/"]


def indexes(file: h5py.File) -> None:
    """Fill a file with datasets that have each index of chunks, in several sizes."""

    def dataset(
        name: str,
        shape: tuple[int, ...],
        chunks: tuple[int, ...],
        most: tuple[int | None, ...] | None = None,
        *,
        level: int | None = None,
        is_early: bool = False,
        leaves_edges: bool = False,
    ) -> h5py.Dataset:
        properties = h5p.create(h5p.DATASET_CREATE)
        properties.set_chunk(chunks)
        if is_early:
            properties.set_alloc_time(h5d.ALLOC_TIME_EARLY)
        if leaves_edges and file.libver[0] != "earliest" and library() is not None:
            library().H5Pset_chunk_opts(ctypes.c_int64(properties.id), ctypes.c_uint(2))
        if level:
            properties.set_deflate(level)
        largest = tuple(h5s.UNLIMITED if n is None else n for n in (most or shape))
        space = h5s.create_simple(shape, largest)
        return h5py.Dataset(h5d.create(file.id, name.encode(), h5t.IEEE_F32LE, space, properties))

    def write(made: h5py.Dataset, *parts: Any) -> None:
        for part in parts:
            made[part] = np.arange(made[part].size).reshape(made[part].shape) + 1

    write(dataset("single", (5, 6), (5, 6)), ...)
    write(dataset("single with a filter", (5, 6), (5, 6), level=3), ...)
    write(dataset("single and small", (5, 6), (7, 8), (7, 8), level=3, leaves_edges=True), ...)
    write(dataset("implicit", (50, 60), (3, 7), is_early=True), ...)
    write(dataset("implicit that may grow", (20, 30), (3, 7), (50, 60), is_early=True), ...)
    part = np.s_[10:20, 20:]
    write(dataset("fixed", (50, 60), (3, 7)), part)
    write(dataset("fixed with a filter", (50, 60), (3, 7), level=1), part)
    write(dataset("fixed that may grow", (20, 30), (3, 7), (50, 60), level=1), part)
    write(dataset("fixed with pages", (90, 200), (2, 2)), np.s_[40:60, 20:100])
    write(
        dataset("fixed, pages, filter", (90, 200), (2, 2), level=1), np.s_[40:44, 20:60], (89, 199)
    )
    for axis in range(3):
        shape, most = [7, 8, 9], [7, 8, 9]
        most_of_all: list[int | None] = [*most]
        most_of_all[axis] = None
        largest = tuple(most_of_all)
        write(dataset(f"extensible {axis}", (7, 8, 9), (2, 3, 4), largest), ...)
        shape[axis] = 60
        name = f"extensible {axis}, filter"
        write(dataset(name, tuple(shape), (2, 3, 4), largest, level=1), ...)
        made = dataset(f"extensible {axis}, sparse", tuple(shape), (1, 1, 1), largest, level=1)
        write(made, np.s_[3:5, 2:3, 4:9])
        made.resize(shape[axis] + 200, axis)
        last = tuple(slice(-2, None) if n == axis else slice(0, 2) for n in range(3))
        write(made, last)
    made = dataset("extensible with pages", (9000,), (1,), (None,))
    write(made, np.s_[:100], np.s_[7000:7010], 8999)
    unlimited = (None, None)
    write(dataset("tree", (30, 40), (2, 3), unlimited), ...)
    write(dataset("tree, filter", (30, 41), (2, 3), unlimited, level=1, leaves_edges=True), ...)
    write(dataset("large tree", (90, 90), (2, 2), unlimited, level=1), ...)
    dataset("empty tree", (30, 30), (2, 2), unlimited)
    dataset("empty fixed", (30, 30), (2, 2))
    dataset("empty extensible", (0, 30), (2, 2), (None, 30))


Make = Callable[[Path], None]


def _filled(count: int, version: str, **options: Any) -> Make:
    def make(path: Path) -> None:
        with create(path, version, **options) as file:
            fill(file, count)

    return make


def _of(function: Callable[..., None], version: str, *arguments: Any, **options: Any) -> Make:
    def make(path: Path) -> None:
        with create(path, version, **options) as file:
            function(file, *arguments)

    return make


FEATURES: dict[str, Make] = {
    **{f"{version}, {n}": _filled(n, version) for version in VERSIONS for n in (5, 60)},
    "no order": _filled(60, "latest", is_ordered=False),
    "user block": _filled(5, "earliest", user_block=2048),
    "user block, latest": _filled(5, "latest", user_block=512),
    "addresses of 4 bytes": _filled(30, "earliest", sizes=(4, 8)),
    "addresses of 4 bytes, latest": _filled(30, "latest", sizes=(4, 8)),
    "many names": _of(many_names, "latest", 1500),
    "names without order": _of(many_names, "latest", 1500, is_ordered=False),
    "names of old groups": _of(many_names, "earliest", 1500, is_ordered=False),
    "many attributes": _of(many_attributes, "latest", 600),
    "types": _of(types, "earliest"),
    "types, latest": _of(types, "latest"),
    "indexes": _of(indexes, "latest"),
    "indexes, v110": _of(indexes, "v110"),
    "indexes of old files": _of(indexes, "earliest"),
}
"""A function for each file that makes it at a path."""

if library() is not None:
    FEATURES |= {
        "small nodes": _filled(40, "earliest", is_ordered=False, tree_rank=3),
        **{
            f"shared messages {kinds:#x}, {version}": _filled(30, version, shared=kinds)
            for kinds in (0x1F, 0x0A, 0x10)
            for version in ("earliest", "latest")
        },
    }
