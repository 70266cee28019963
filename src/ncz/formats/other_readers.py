"""Open a new store with the programs that it is for, if they are installed.

Values are read as stored, without masks, scales and dates, as ncz reads them. xarray
also opens the dataset as its users do.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ncz.model.tree import Provenance, join
from ncz.record import record
from ncz.zmap.kinds import kind_of_name
from ncz.zmap.opening import is_reference_set

if TYPE_CHECKING:
    from ncz.zmap.location import Location

Read = Callable[[tuple[slice, ...]], Any]
"""A function that reads a box of a variable as an array of numpy."""


@record
class ShownDataset:
    """The dataset that a program shows: its variables by FQN.

    `fault` says why the program does not decode masks, scales and dates, if it does not.
    """

    variables: Mapping[str, Read]
    fault: str | None = None


class CannotRunError(Exception):
    """A program is not installed here, or ncz does not open such a store with it."""


@record
class Place:
    """A store on the disk: its path, and its form. `pure` is true without NCZarr's annotations."""

    path: str
    zarr_format: int
    pure: bool
    zipped: bool


def place_of(location: Location, provenance: Provenance) -> Place:
    """Return the place that programs open. Raises `CannotRunError` if none exists."""
    if location.kind == "remote" or location.inside is not None or is_reference_set(location):
        raise CannotRunError("it is not a store on the disk")
    if provenance.zarr_format is None:
        raise CannotRunError("it is not a Zarr store")
    return Place(
        os.path.abspath(location.path),
        provenance.zarr_format,
        not provenance.superblock,
        "zip" in (location.kind, kind_of_name(location.path)),
    )


@contextmanager
def open_by_reader(reader: str, place: Place) -> Iterator[ShownDataset]:
    """Open a dataset with a program, and return its view of it.

    Parameters
    ----------
    reader
        The name of the program, as ``--for`` has it.
    place
        The store.

    Raises
    ------
    CannotRunError
        If the program is not installed, or if ncz cannot run it.
    Exception
        Whatever the program raises, if it does not open the dataset.
    """
    if reader not in _PROGRAMS:
        raise CannotRunError("ncz does not run this program")
    packages, open_with = _PROGRAMS[reader]
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise CannotRunError(f"the package {missing[0]} is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with open_with(place) as shown:
            yield shown


@contextmanager
def _with_xarray(place: Place) -> Iterator[ShownDataset]:
    import xarray

    with ExitStack() as stack:
        found: dict[str, Read] = {}
        store, fault = stack.enter_context(_zarr_store(place)), None
        groups = xarray.open_groups(store, engine="zarr", **_UNDECODED)
        for group in groups.values():
            stack.callback(group.close)
        try:
            for decoded in xarray.open_groups(store, engine="zarr").values():
                decoded.close()
        except Exception as error:  # mostly times, and the source has the same error
            fault = error_text(error)
        for path, dataset in groups.items():
            for name, variable in dataset.variables.items():
                found[join(path.rstrip("/"), str(name))] = _reader(variable, lambda v: v.values)
        yield ShownDataset(found, fault)


_UNDECODED = dict.fromkeys(
    ("mask_and_scale", "decode_times", "decode_timedelta", "concat_characters", "decode_coords"),
    False,
)
"""The arguments that let xarray show values as stored; open_groups ignores decode_cf."""


@contextmanager
def _with_zarr_python(place: Place) -> Iterator[ShownDataset]:
    import zarr

    if int(zarr.__version__.split(".")[0]) < 3:
        raise CannotRunError(f"zarr-python {zarr.__version__} is installed")
    with _zarr_store(place) as store:
        group = zarr.open_group(store, mode="r")
        arrays = [(k, a) for k, a in group.members(max_depth=None) if isinstance(a, zarr.Array)]
        yield ShownDataset(
            {f"/{key}": _reader(array, lambda values: values) for key, array in arrays}
        )


@contextmanager
def _zarr_store(place: Place) -> Iterator[Any]:
    """Return the argument for zarr-python: the path of a directory, or a store in a zip file."""
    import zarr

    if not place.zipped:
        yield place.path
        return
    store = zarr.storage.ZipStore(place.path, mode="r")
    try:
        yield store
    finally:
        store.close()


@contextmanager
def _with_netcdf_c(place: Place) -> Iterator[ShownDataset]:
    import netCDF4

    form, kind = "zarr" if place.pure else "nczarr", "zip" if place.zipped else "file"
    try:
        dataset = netCDF4.Dataset(f"file://{place.path}#mode={form},{kind}")
    except OSError as error:
        if error.errno == _NOT_BUILT:
            raise CannotRunError(
                "the netCDF-C library of netCDF4 cannot open such stores"
            ) from None
        raise
    with dataset:
        dataset.set_auto_maskandscale(False)
        dataset.set_auto_chartostring(False)
        found: dict[str, Read] = {}
        groups = [dataset]
        while groups:
            group = groups.pop()
            groups.extend(group.groups.values())
            for variable in group.variables.values():
                fqn = join(group.path.rstrip("/"), variable.name)
                found[fqn] = _reader(variable, lambda values: values)
        yield ShownDataset(found)


_NOT_BUILT = -128
"""The error of netCDF-C for a feature that it was built without."""


@contextmanager
def _with_tensorstore(place: Place) -> Iterator[ShownDataset]:
    import tensorstore

    driver = "zarr" if place.zarr_format == 2 else "zarr3"
    document = ".zarray" if place.zarr_format == 2 else "zarr.json"

    def open_array(folder: str) -> Read:
        kvstore = {"driver": "file", "path": folder}
        array = tensorstore.open({"driver": driver, "kvstore": kvstore}).result()
        return lambda box: array[box].read().result()

    if place.zipped:
        raise CannotRunError("only directories are opened with it")
    found: dict[str, Read] = {}
    for folder, _, names in os.walk(place.path):
        if document in names and (place.zarr_format == 2 or _is_array(folder, document)):
            key = os.path.relpath(folder, place.path).replace(os.sep, "/")
            found[f"/{key}"] = open_array(folder)
    yield ShownDataset(found)


def _is_array(folder: str, document: str) -> bool:
    import json

    with open(os.path.join(folder, document), encoding="utf-8") as file:
        return bool(json.load(file).get("node_type") == "array")


def error_text(error: Exception) -> str:
    """Return the message of an error of another program, on one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _reader(array: Any, convert: Callable[[Any], Any]) -> Read:
    return lambda box: convert(array[box if box else ...])


_PROGRAMS: Mapping[
    str, tuple[tuple[str, ...], Callable[[Place], contextlib.AbstractContextManager[Any]]]
] = {
    "xarray": (("xarray", "zarr"), _with_xarray),
    "zarr-python": (("zarr",), _with_zarr_python),
    "netcdf-c": (("netCDF4",), _with_netcdf_c),
    "tensorstore": (("tensorstore",), _with_tensorstore),
}
"""The programs that ncz can run, by their names in ``--for``: packages and functions."""
