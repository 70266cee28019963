"""A new dataset that a program fills as with netCDF4; closing it writes it."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from ncz.api.new_variable import AttributeOwner, NewDimension, NewVariable
from ncz.api.values import number_type
from ncz.commands.codec_texts import texts_of_codecs
from ncz.commands.functions import Words, speaks_python
from ncz.errors import NczError, StoreExists
from ncz.formats.kinds import GivenDataset
from ncz.late import numpy as np
from ncz.model.tree import Dataset, Dimension, Group, Provenance
from ncz.model.types import Atomic
from ncz.zmap.location import Path, path_of

if TYPE_CHECKING:
    from typing import Unpack

    from ncz.commands.keyword_groups import CopyKeywords


class NewGroup(AttributeOwner):
    """A group of a new dataset, with netCDF4's functions that create its members."""

    def __init__(self, path: str = "", above: NewGroup | None = None) -> None:
        super().__init__()
        self._path = path
        self._above = above
        self._chunks: list[str] = []
        self._codecs: list[str] = []
        self._shards: list[str] = []
        self._dimensions: dict[str, NewDimension] = {}
        self._variables: dict[str, NewVariable] = {}
        self._groups: dict[str, NewGroup] = {}
        self._taken: set[str] = set()

    @property
    def taken_names(self) -> set[str]:
        """Names that new members must not have."""
        return self._taken

    @property
    def dimensions(self) -> dict[str, NewDimension]:
        """The dimensions of the group, by name."""
        return self._dimensions

    @property
    def variables(self) -> dict[str, NewVariable]:
        """The variables of the group, by name."""
        return self._variables

    @property
    def groups(self) -> dict[str, NewGroup]:
        """The groups in the group, by name."""
        return self._groups

    def createDimension(self, dimname: str, size: int | None = None) -> NewDimension:
        """Create a dimension. Without a size, or with 0, it is unlimited."""
        _check_name(dimname, self._dimensions)
        self._dimensions[dimname] = NewDimension(dimname, size or 0, unlimited=not size)
        return self._dimensions[dimname]

    def createVariable(
        self,
        varname: str,
        datatype: Any,
        dimensions: str | Sequence[str] = (),
        *,
        compression: str | None = None,
        zlib: bool = False,
        complevel: int = 4,
        shuffle: bool = True,
        fletcher32: bool = False,
        contiguous: bool = False,
        chunksizes: Sequence[int] | None = None,
        endian: str = "native",
        fill_value: Any = None,
    ) -> NewVariable:
        """Create a variable.

        Parameters
        ----------
        varname
            The name; groups in a path are created.
        datatype
            Anything that numpy accepts as a dtype: ``"f4"``, ``float``, ``"S1"``; `str` for texts.
        dimensions
            The names of the dimensions, which are in this group or in one above it.
        compression
            A codec, such as "zlib", "zstd" or "blosc_lz4".
        zlib
            The same as ``compression="zlib"``.
        complevel
            The level of the codec.
        shuffle
            Whether the bytes of numbers are shuffled first.
        fletcher32
            Whether chunks have checksums.
        contiguous
            Whether the values are one piece, without chunks.
        chunksizes
            The shape of the chunks.
        endian
            Accepted for netCDF4; numbers are written in the usual order of bytes.
        fill_value
            The value of missing data, which becomes the attribute ``_FillValue``.

        Returns
        -------
        NewVariable
            The variable; ``variable[...] = values`` gives it values.

        Raises
        ------
        NczError
            If the name is taken, or a dimension does not exist.
        TypeError
            If netCDF has no such type.
        """
        folder, _, name = varname.strip("/").rpartition("/")
        group = self.createGroup(folder) if folder else self
        _check_name(name, {*group._variables, *group._taken})
        names = (dimensions,) if isinstance(dimensions, str) else tuple(dimensions)
        over = [group._dimension(each) for each in names]
        variable = NewVariable(name, _type_of(datatype), over, fill_value)
        codec = "zlib" if zlib else compression
        steps = []
        if codec:
            if shuffle and variable.record_type.size > 1:
                steps.append("shuffle")
            level = "" if codec == "szip" else f":{complevel}"
            steps.append(codec.replace("blosc_", "blosc:") + level)
        if fletcher32:
            steps.append("fletcher32")
        if steps:
            group._codecs.append(f"{group._path}/{name}={'+'.join(steps)}")
        if contiguous and over:
            group._chunks.append(f"{group._path}/{name}:contiguous")
        elif chunksizes and over:
            group._chunks.append(f"{group._path}/{name}:{','.join(map(str, chunksizes))}")
        group._variables[name] = variable
        return variable

    def create_dataset(
        self,
        name: str,
        shape: Sequence[int] | int | None = None,
        dtype: Any = None,
        data: Any = None,
        *,
        chunks: Sequence[int] | Literal["auto"] | int | None = None,
        compression: str | None = None,
        compression_opts: int = 4,
        compressors: Any = "auto",
        shuffle: bool = False,
        fletcher32: bool = False,
        shards: Sequence[int] | None = None,
        fillvalue: Any = None,
        fill_value: Any = None,
        dimension_names: Sequence[str] | None = None,
        maxshape: Sequence[int | None] | None = None,
        attributes: Mapping[str, Any] | None = None,
        overwrite: bool = False,
    ) -> NewVariable:
        """Create a variable from an array, as h5py and zarr-python do.

        Dimensions without names get the names that netCDF-C shows: ``phony_dim_0``.

        Parameters
        ----------
        name
            The name of the variable.
        shape, dtype
            The shape and the dtype; by default the same as in `data`.
        data
            The values.
        chunks
            The shape of the chunks.
        compression, compression_opts
            A codec and its level.
        compressors
            Codecs of zarr-python or numcodecs.
        shuffle, fletcher32
            Whether the bytes of numbers are shuffled, and whether chunks have checksums.
        shards
            The shape of the shards, in Zarr V3.
        fillvalue
            The value of missing data.
        fill_value
            The value of elements that are never written; 0 by default, as in h5py and zarr-python.
        dimension_names
            The names of the dimensions.
        maxshape
            None for each dimension that is unlimited.
        attributes
            The attributes.
        overwrite
            Whether a variable of the same name is replaced.

        Returns
        -------
        NewVariable
            The variable.
        """
        if overwrite:
            self._taken.discard(name)
            self._variables.pop(name, None)
        values = None if data is None else np.asarray(data)
        if isinstance(shape, int):
            shape = (shape,)
        if isinstance(chunks, int) and not isinstance(chunks, bool):
            chunks = (chunks,) * len(shape or ())
        lengths = tuple(shape if shape is not None else () if values is None else values.shape)
        unused = (n for n in itertools.count() if f"phony_dim_{n}" not in self._dimensions)
        names = dimension_names or [f"phony_dim_{next(unused)}" for _ in lengths]
        for one, length in zip(names, lengths, strict=True):
            if one not in self._dimensions:
                self.createDimension(one, length)
        for one, most in zip(names, maxshape or (), strict=False):
            self._dimensions[one].unlimited |= most is None
        variable = self.createVariable(
            name, dtype or ("f4" if values is None else values.dtype), tuple(names),
            compression="zlib" if compression == "gzip" else compression,
            complevel=compression_opts, shuffle=shuffle, fletcher32=fletcher32,
            fill_value=fillvalue,
            chunksizes=None if isinstance(chunks, str | bool | int) else chunks,
        )  # fmt: skip
        if compressors not in ("auto", None):
            self._codecs += [f"{self._path}/{name}={text}" for text in texts_of_codecs(compressors)]
        if shards is not None:
            self._shards.append(f"{self._path}/{name}:{','.join(map(str, shards))}")
        if fill_value is not None:
            variable.fill_unwritten(fill_value)
        elif fillvalue is None and variable.dtype.kind in "iuf":
            variable.fill_unwritten(0)
        variable.setncatts(attributes or {})
        if values is not None:
            variable[...] = values
        return variable

    def createGroup(self, groupname: str, attributes: Mapping[str, Any] | None = None) -> NewGroup:
        """Create a group and the groups in its path; an existing group is returned."""
        name, _, rest = groupname.strip("/").partition("/")
        if name not in self._groups:
            _check_name(name, {*self._variables, *self._taken})
            self._groups[name] = NewGroup(f"{self._path}/{name}", self)
        if rest:
            return self._groups[name].createGroup(rest, attributes)
        self._groups[name].setncatts(attributes or {})
        return self._groups[name]

    create_group = createGroup
    create_array = create_dataset

    def __getitem__(self, path: str) -> NewGroup | NewVariable:
        name, _, rest = path.strip("/").partition("/")
        if rest or name in self._groups:
            return self._groups[name][rest] if rest else self._groups[name]
        return self._variables[name]

    def _dimension(self, name: str) -> tuple[str, NewDimension]:
        """Return the FQN and the dimension of a name. Raises `NczError` if it does not exist."""
        if name in self._dimensions:
            return f"{self._path}/{name}", self._dimensions[name]
        if self._above is not None:
            return self._above._dimension(name)
        raise NczError(
            f"no dimension is named {name!r}", hint=f"create it: createDimension({name!r}, LENGTH)"
        )

    def _settings(self) -> dict[str, list[str]]:
        """Return the chunks, codecs and shards of the variables in the group and below it."""
        found = {"chunks": [*self._chunks], "codecs": [*self._codecs], "shards": [*self._shards]}
        for group in self._groups.values():
            for name, more in group._settings().items():
                found[name] += more
        return found

    def _record(self) -> Group:
        """Return the group of the model."""
        return Group(
            name=self._path.rpartition("/")[2],
            dimensions=tuple(
                Dimension(name=each.name, size=each.size, unlimited=each.unlimited)
                for each in self._dimensions.values()
            ),
            variables=tuple(each.record() for each in self._variables.values()),
            attributes=self.attribute_records(),
            groups=tuple(group._record() for group in self._groups.values()),
        )


class NewDataset(NewGroup):
    """A new dataset: nothing is written before `close`, or the end of the ``with`` block.

    If the block raises, nothing is written at all.
    """

    def __init__(self, path: Path, options: dict[str, Any]) -> None:
        super().__init__()
        self._target = path
        self._options = options
        self._is_open = True

    def filepath(self) -> str:
        """Return the path or the URL of the dataset."""
        return path_of(self._target)

    def isopen(self) -> bool:
        """Return whether the dataset is still to be written."""
        return self._is_open

    def sync(self) -> None:
        """Do nothing: a dataset is written whole, when it is closed."""

    def close(self) -> None:
        """Write the dataset. Closing it again does nothing.

        Raises
        ------
        NczError
            If it cannot be written. Then nothing is, and it stays open.
        """
        if not self._is_open:
            return
        from ncz.commands.copy.command import copy

        name = os.path.basename(self.filepath().rstrip("/"))
        dataset = Dataset(
            name=os.path.splitext(name)[0],
            root=self._record(),
            provenance=Provenance(is_object=True),
        )
        source = GivenDataset(name=name, open=lambda *_: contextlib.nullcontext(dataset))
        copy(source, self._target, **{**self._settings(), **self._options})
        self._is_open = False

    def __enter__(self) -> NewDataset:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        self._is_open = False

    def __del__(self) -> None:
        if self.__dict__.get("_is_open") and not sys.is_finalizing():
            import warnings

            from ncz.commands.functions import NczWarning

            text = f"{self.filepath()}: was not written, because it was not closed"
            warnings.warn(NczWarning(f"{text}; call close(), or use a with block"), stacklevel=2)


@speaks_python
def create(path: Path, *, modes: Words = (), **options: Unpack[CopyKeywords]) -> NewDataset:
    """Begin a new dataset, to be filled as with netCDF4, and written whole when it is closed.

    Its values are in memory until then. ``ncz.Dataset(path, "w")`` does the same with
    ``overwrite=True``.

    Parameters
    ----------
    path
        The path or the URL of the new store or file.
    modes
        Form of the new store: zarr, nczarr, v3, zip, ...
    **options
        Options of its storage, as for `copy`: with `overwrite`, it replaces an existing dataset.

    Returns
    -------
    NewDataset
        The dataset. It has `createDimension`, `createVariable`, `createGroup` and `close`.

    Raises
    ------
    StoreExists
        If something exists there.

    Examples
    --------
    >>> with ncz.create("heights.nc") as ds:
    ...     time = ds.createDimension("time")
    ...     height = ds.createVariable("height", "f4", ("time",))
    ...     height.units = "m"
    ...     height[:] = [1.5, 2]
    >>> ncz.open("heights.nc")["height"].shape
    (2,)
    """
    if not options.get("overwrite") and os.path.lexists(path_of(path)):
        raise StoreExists("already exists", path_of(path), "use overwrite=True to replace it")
    return NewDataset(path, {**options, "modes": modes})


def _check_name(name: str, taken: Collection[str]) -> None:
    """Raise `NczError` for a name that is empty, or that something has."""
    if not name or "/" in name:
        raise NczError(f"{name!r} is not a name")
    if name in taken:
        raise NczError(f"{name!r} already exists")


def _type_of(datatype: Any) -> Atomic:
    """Return the type of netCDF for a dtype. Raises `TypeError` if none exists."""
    if datatype is str:
        return Atomic.STRING
    dtype = np.dtype("S1" if datatype in ("c", "char") else datatype)
    if dtype.kind in "UO":
        return Atomic.STRING
    if dtype == np.dtype("S1"):
        return Atomic.CHAR
    nc_type = number_type(dtype)
    if nc_type is None:
        raise TypeError(f"netCDF has no type for {datatype!r}; use a number, 'S1' or str")
    return nc_type
