"""Values of options that name variables, chunk shapes and shards."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from ncz.errors import SHOW_NAMES, UrlError, counted, did_you_mean, option
from ncz.model.tree import (
    Dataset,
    Dimension,
    Group,
    StorageClass,
    Variable,
    base_name,
    dimensions_by_fqn,
    each_variable,
    variables_by_fqn,
)
from ncz.model.user_types import fixed_size
from ncz.record import record, replace


class OptionError(UrlError):
    """An option that is not valid."""

    exit_code = 2


class UnknownName(OptionError):
    """An option that names something the dataset does not have, which only reading it tells.

    The exit code is that of all errors in reading, for every command and option.
    """

    exit_code = 1


def is_named(fqn: str, name: str) -> bool:
    """Return whether `name` means `fqn`; a name without a slash means variables in any group."""
    return fqn in (name, f"/{name}") or base_name(fqn) == name


def is_in_group(fqn: str, name: str) -> bool:
    """Return whether `fqn` is in a group that `name` means."""
    group = fqn.rpartition("/")[0] or "/"
    return group in (name, f"/{name}") or base_name(group) == name != ""


def hint_for(name: str, fqns: Iterable[str]) -> str:
    """Return a hint for the name of something that does not exist among `fqns`."""
    known = [*fqns]
    if not name.startswith("/"):
        known = [fqn.lstrip("/") for fqn in known] + [base_name(fqn) for fqn in known]
    return did_you_mean(name, known, f"list the names with {SHOW_NAMES}")


def chosen_variables(
    root: Group, names: Sequence[str], means: Callable[[str, str], bool]
) -> frozenset[str]:
    """Return the FQNs of the variables that `names` mean; each name must mean at least one."""
    variables: set[str] = set()
    for name in names:
        found = {fqn for fqn, _ in variables_by_fqn(root) if means(fqn, name)}
        if not found:
            fqns = [fqn for fqn, _ in variables_by_fqn(root)]
            if means is is_named:
                what, known = "variable", fqns
            else:
                what, known = "group with variables", [f.rpartition("/")[0] or "/" for f in fqns]
            raise UnknownName(f"no {what} is named {name!r}", hint=hint_for(name, known))
        variables |= found
    return frozenset(variables)


def named(root: Group, names: Sequence[str]) -> frozenset[str]:
    """Return the FQNs of the variables that `names` mean. Raises `UnknownName`."""
    return chosen_variables(root, names, is_named)


# Chunkspecs: lengths of chunks or shards by dimension, or of one variable, as nccopy's -c.
#
# As there, ``//`` is the same as ``/``: shells of Windows take the latter for a path.

_DIMENSION_LENGTH = re.compile(r"(.*)/(\d*)|([^/]+)=(\d+)")
"""A length as nccopy writes it, or as xarray's users do."""

WHOLE = 0
"""The length that stands for a whole dimension."""

_STORAGE_CLASSES: dict[str, StorageClass] = {
    name: name for name in ("contiguous", "compact", "chunked")
}


CHUNKS = option("chunks")


@record
class Chunkspec:
    """One chunkspec; without lengths and variable, it means whole variables.

    `option` is the option that has it, as messages name it. `storage_class` is the class of HDF5
    that it asks for: variables without chunks are contiguous.
    """

    option: str
    lengths: dict[str, int]
    variable: str | None = None
    of_variable: tuple[int, ...] = ()
    storage_class: StorageClass = "chunked"

    @staticmethod
    def parse(spec: str, root: Group, option: str = CHUNKS) -> Chunkspec:
        """Parse ``dim/length,dim/,...``, ``var:length,...``, ``var:contiguous`` or ``/``.

        Raises `OptionError`.
        """
        if spec in ("/", "//"):
            return Chunkspec(option, {}, storage_class="contiguous")
        name, colon, tail = spec.rpartition(":")
        tail = tail.strip()
        if colon and tail.lower() in _STORAGE_CLASSES:
            named(root, (name,))
            return Chunkspec(option, {}, name, storage_class=_STORAGE_CLASSES[tail.lower()])
        if colon and re.fullmatch(r"[\d,]*", tail):
            named(root, (name,))
            numbers = [n for n in tail.split(",") if n]
            lengths = tuple(_length(n, option, spec) for n in numbers)
            storage_class: StorageClass = "chunked" if lengths else "contiguous"
            return Chunkspec(option, {}, name, lengths, storage_class)
        known = dimensions_by_fqn(root)
        by_dimension: dict[str, int] = {}
        for part in spec.split(","):
            match = _DIMENSION_LENGTH.fullmatch(part)
            if match is None:
                raise OptionError(
                    f"{option} {spec!r} is not a valid chunkspec",
                    hint="write dim/length,dim/,..., var:length,... or var:contiguous",
                )
            dimension, length = match[3] or match[1], match[4] or match[2]
            if not any(_names_dimension(dimension, fqn) for fqn in known):
                raise UnknownName(
                    f"{option} {spec!r}: no dimension is named {dimension!r}",
                    hint=hint_for(dimension, known),
                )
            by_dimension[dimension] = _length(length, option, spec) if length else WHOLE
        return Chunkspec(option, by_dimension)

    def lengths_of(self, fqn: str, variable: Variable) -> tuple[int | None, ...] | None:
        """Return the length along each dimension of a variable, None where it is not given.

        Returns None for a variable that the chunkspec does not mean. Raises `OptionError`.
        """
        rank = len(variable.dimensions)
        if self.variable is not None:
            if not is_named(fqn, self.variable):
                return None
            if self.of_variable and len(self.of_variable) != rank:
                raise OptionError(
                    f"{self.option} gives {len(self.of_variable)} lengths for {fqn}, which has"
                    f" {counted(rank, 'dimension')}"
                )
            return self.of_variable or (WHOLE,) * rank
        if not self.lengths:
            return (WHOLE,) * rank
        if variable.dimensions == (fqn,):
            return None  # a coordinate in many chunks would be slow to read
        found = tuple(
            next((n for name, n in self.lengths.items() if _names_dimension(name, fqn)), None)
            for fqn in variable.dimensions
        )
        return None if all(length is None for length in found) else found

    def chunks(
        self,
        fqn: str,
        variable: Variable,
        shape: tuple[int, ...],
        chunks: tuple[int, ...] | None,
        grows: tuple[bool, ...],
    ) -> tuple[int, ...] | None:
        """Return the new chunk shape of a variable whose present one is `chunks`.

        Along an unlimited dimension, one that `grows`, a chunk may exceed the present length.
        """
        lengths = self.lengths_of(fqn, variable)
        if lengths is None:
            return chunks
        whole = tuple(max(1, n) for n in shape)
        is_exact = self.variable is not None
        return tuple(
            old if n is None else full if n == WHOLE else n if grow or is_exact else min(n, full)
            for n, old, full, grow in zip(lengths, chunks or whole, whole, grows, strict=True)
        )


def _names_dimension(name: str, fqn: str) -> bool:
    return fqn == name or fqn == f"/{name}" or base_name(fqn) == name


def _length(text: str, option: str, spec: str) -> int:
    if not 0 < int(text) < 2**31:
        raise OptionError(f"{option} {spec!r}: {text} is not a valid chunk length")
    return int(text)


# The option ``--shards``: the shards in which the chunks of Zarr V3 are stored.
#
# Only the description of the dataset changes here; data are converted when they are written.

OPTION = option("shards")

NONE = "none"
"""The value that removes shards."""


def check_shards(specs: Sequence[str], zarr_format: int | None) -> None:
    """Raise `OptionError` if shards are asked for in a format that has none."""
    if zarr_format != 3 and any(spec != NONE for spec in specs):
        target = f"Zarr V{zarr_format}" if zarr_format is not None else "not a Zarr store"
        raise OptionError(
            f"{OPTION} needs Zarr V3, and the target is {target}",
            hint=f"add {option('zarr_format', 3)}",
        )


def with_shards(dataset: Dataset, specs: Sequence[str]) -> Dataset:
    """Return the dataset with other shards.

    Parameters
    ----------
    dataset
        The dataset to store.
    specs
        Chunkspecs of shards, or "none", in the order in which they apply.

    Returns
    -------
    Dataset
        The changed description, with the data of `dataset`.

    Raises
    ------
    OptionError
        If a chunkspec is not valid, or a shard would not hold a whole number of chunks.
    """
    if not specs:
        return dataset
    root = dataset.root
    dimensions = dimensions_by_fqn(root)
    known = [None if spec == NONE else Chunkspec.parse(spec, root, OPTION) for spec in specs]

    def change(fqn: str, variable: Variable) -> Variable:
        for spec in known:
            axes = [dimensions[name] for name in variable.dimensions]
            if spec is None:
                storage = replace(variable.storage, shards=None)
                variable = replace(variable, storage=storage)
            elif axes:
                variable = _sharded(fqn, variable, axes, spec)
        return variable

    return each_variable(dataset, change)


def _sharded(fqn: str, variable: Variable, axes: Sequence[Dimension], spec: Chunkspec) -> Variable:
    lengths = spec.lengths_of(fqn, variable)
    if lengths is None:
        return variable
    chunks = _chunks(variable, axes)
    now = variable.storage.shards or chunks
    shards = tuple(
        _up(old, chunk) if length is None else _shard_length(fqn, axis, chunk, length)
        for length, old, chunk, axis in zip(lengths, now, chunks, axes, strict=True)
    )
    if shards == chunks and variable.storage.shards is None and spec.variable is None:
        return variable  # a shard of one chunk is of no use
    storage = replace(variable.storage, chunks=chunks, shards=shards, storage_class="chunked")
    return replace(variable, storage=storage)


def _chunks(variable: Variable, axes: Sequence[Dimension]) -> tuple[int, ...]:
    """Return the variable's chunk shape, or the one that it gets by default."""
    from ncz.model.chunks import default_chunks

    storage = variable.storage
    if storage.chunks is not None and len(storage.chunks) == len(axes):
        return storage.chunks
    if storage.storage_class in ("contiguous", "compact"):
        return tuple(max(1, axis.size) for axis in axes)
    return default_chunks(axes, fixed_size(variable.type))


def _shard_length(fqn: str, axis: Dimension, chunk: int, length: int) -> int:
    """Return the length of a shard along one axis: a multiple of that of a chunk."""
    is_whole = not axis.unlimited and max(length, chunk) >= axis.size
    if length == WHOLE or is_whole:
        return _up(max(1, axis.size), chunk)
    if length % chunk:
        below = [str(length - length % chunk)] if length > chunk else []
        fitting = " or ".join([*below, str(_up(length, chunk))])
        raise OptionError(
            f"{OPTION}: a shard of {length} along {axis.name} is not a whole number of"
            f" chunks of {fqn}, which have {chunk}",
            hint=f"use {fitting}, or other chunks",
        )
    return length


def _up(length: int, step: int) -> int:
    return -(-length // step) * step
