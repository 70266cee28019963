"""A dataset whose numbers have other types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from ncz.commands.joining.numbers import Numbers, numbers_of
from ncz.commands.number_types.change import Change, change_numbers
from ncz.commands.number_types.masks import change_mask
from ncz.commands.number_types.options import NumberTypes
from ncz.commands.number_types.packing import pack
from ncz.commands.number_types.rounding import with_rounding
from ncz.commands.number_types.type_conversion import change_type
from ncz.commands.number_types.unpacking import unpack
from ncz.commands.option_error import OptionError
from ncz.commands.variable_names import variables_of_names
from ncz.errors import Callbacks
from ncz.model.coordinate_variables import coordinate_variables
from ncz.model.tree import Dataset, Group, Variable, each_variable, variables_by_fqn
from ncz.model.types import Atomic

if TYPE_CHECKING:
    from ncz.parallel.threads import ThreadPool

_T = TypeVar("_T")


def with_number_types(
    dataset: Dataset, wanted: NumberTypes, name: str, pool: ThreadPool, callbacks: Callbacks
) -> Dataset:
    """Return a dataset whose numbers have other types; they are converted when they are read.

    Parameters
    ----------
    dataset
        The dataset.
    wanted
        The changes. Packed variables are unpacked first, then variables get the types of
        `wanted.types`, and the rest are packed or rounded. Missing data get their value last. The
        range of packed values is read now if a packing does not name a scale.
    name
        The path or the URL of the dataset, for messages.
    pool
        The threads that read values to find their range.
    callbacks
        Receives the values that are read, and a notice of the largest change by packing.

    Raises
    ------
    OptionError
        If no variable has a name of `wanted.types`, or it cannot be converted.
    NczError
        If the range of values to be packed cannot be read, or is infinite.
    """
    if wanted.unpack:
        dataset = unpacked_dataset(dataset, name)
    types = _types_by_fqn(dataset.root, wanted.types)
    if types:

        def with_type(fqn: str, variable: Variable, numbers: Numbers) -> Change | None:
            return change_type(fqn, variable, numbers, types[fqn]) if fqn in types else None

        dataset = change_numbers(dataset, name, with_type)
    masks = _by_fqn(dataset.root, wanted.masks)
    packings = _by_fqn(dataset.root, wanted.pack)
    if packings:

        def with_packing(fqn: str, variable: Variable, numbers: Numbers) -> Change | None:
            if fqn not in packings or fqn in types:
                return None
            return pack(fqn, variable, numbers, packings[fqn], name, pool, callbacks)

        dataset = change_numbers(dataset, name, with_packing)
    if masks:

        def with_mask(fqn: str, variable: Variable, numbers: Numbers) -> Change | None:
            return change_mask(fqn, variable, numbers, masks[fqn]) if fqn in masks else None

        dataset = change_numbers(dataset, name, with_mask)
    roundings = _by_fqn(dataset.root, wanted.quantize)
    if roundings:

        def as_rounded(fqn: str, variable: Variable) -> Variable:
            return with_rounding(fqn, variable, roundings[fqn]) if fqn in roundings else variable

        dataset = each_variable(dataset, as_rounded)
    return dataset


def unpacked_dataset(dataset: Dataset, name: str) -> Dataset:
    """Return a dataset whose packed variables are unpacked; `name` is its path or URL."""
    return change_numbers(dataset, name, lambda _, v, numbers: unpack(v, numbers))


def _floating_data(root: Group) -> frozenset[str]:
    """Return the FQNs of the variables with floating-point data that are not coordinates."""
    coordinates = coordinate_variables(root)
    return frozenset(
        fqn
        for fqn, variable in variables_by_fqn(root)
        if variable.type in (Atomic.FLOAT, Atomic.DOUBLE) and variable.dimensions
        if fqn not in coordinates
    )


def _types_by_fqn(root: Group, types: tuple[tuple[str, str], ...]) -> dict[str, Atomic]:
    """Return the new types of variables. Raises `OptionError` for one that has no numbers."""
    return {fqn: Atomic(word) for fqn, word in _by_fqn(root, types).items()}


def _by_fqn(root: Group, pairs: Iterable[tuple[str, _T]]) -> dict[str, _T]:
    """Return the values given for names of variables, or for "", by the FQNs of variables."""
    found: dict[str, _T] = {}
    numbers = numbers_of(root)
    by_fqn = dict(variables_by_fqn(root))
    for name, given in sorted(pairs, key=lambda pair: pair[0] != ""):
        for fqn in (
            variables_of_names(root, [name]) if name else _plain(_floating_data(root), numbers)
        ):
            if fqn not in numbers:
                word = getattr(by_fqn[fqn].type, "word", None) or by_fqn[fqn].type.name
                raise OptionError(f"{fqn} has no numbers that can be converted: its type is {word}")
            found[fqn] = given
    return found


def _plain(fqns: frozenset[str], numbers: dict[str, Numbers]) -> list[str]:
    return [fqn for fqn in fqns if not numbers[fqn].packing.is_packed]
