"""Numbers of one variable as numbers of another."""

from __future__ import annotations

import functools
from collections.abc import Callable

from ncz.commands.joining.error import JoinError
from ncz.commands.joining.numbers import Numbers
from ncz.errors import option
from ncz.late import numpy as np
from ncz.model.data import Values, dtype_of
from ncz.model.types import Atomic
from ncz.text.time_conversion import convert_times


def converter(ours: Numbers, theirs: Numbers) -> Callable[[Values], Values] | None:
    """Return a function that converts stored numbers to numbers of another variable.

    The function raises `JoinError`, without a location, for a value that the other cannot
    represent. Returns None if equal numbers mean the same.
    """
    is_same = (ours.type, ours.read_as) == (theirs.type, theirs.read_as)
    is_alike = ours.mask_set == theirs.mask_set and ours.factors == theirs.factors
    if is_same and is_alike and not ours.differ_in_times(theirs):
        return None
    return functools.partial(_in_parts, ours=ours, theirs=theirs)


_AT_ONCE = 1 << 19
"""Numbers that are converted at a time, because several doubles are made of each."""


def _in_parts(values: Values, *, ours: Numbers, theirs: Numbers) -> Values:
    if values.size <= _AT_ONCE or not values.flags.c_contiguous:
        return _convert(values, ours=ours, theirs=theirs)
    flat = values.reshape(-1)
    result = np.empty(flat.shape, dtype_of(theirs.type))
    for start in range(0, flat.size, _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        result[part] = _convert(flat[part], ours=ours, theirs=theirs)
    return result.reshape(values.shape)


def _convert(values: Values, *, ours: Numbers, theirs: Numbers) -> Values:
    missing = ours.missing(values)
    present = values if missing is None else values[~missing]
    if not ours.mask_set and theirs.mask_set:
        _refuse_default_fill(present, ours.type)
    numbers = _of_present(present, ours, theirs)
    masked = theirs.missing(numbers)
    if masked is not None:
        raise JoinError(f"the value {numbers[masked].ravel()[0]} would become missing data")
    if missing is None:
        return numbers
    if theirs.fill is None:
        raise JoinError("it has missing data, and the first source has no _FillValue")
    result = np.full(values.shape, theirs.fill, dtype_of(theirs.type))
    result[~missing] = numbers
    return result


def _refuse_default_fill(values: Values, nc_type: Atomic) -> None:
    """Raise `JoinError` for a number that some programs take for missing, and others do not."""
    if nc_type.size > 1 and np.any(values == nc_type.default_fill):
        raise JoinError(
            f"it has netCDF's default fill value {nc_type.default_fill}, and no _FillValue that"
            " says whether it is missing",
            hint="add _FillValue with 'ncz edit --set'",
        )


def _of_present(values: Values, ours: Numbers, theirs: Numbers) -> Values:
    """Return numbers that are not missing as numbers of another variable."""
    signed = ours.packing.to_signed(values)
    if ours.differ_in_times(theirs):
        assert ours.times is not None
        assert theirs.times is not None
        numbers = ours.unpack(values) if ours.is_packed else signed
        dtype = "f8" if theirs.is_packed else dtype_of(theirs.type)
        try:
            numbers = convert_times(numbers, ours.times, theirs.times, dtype)
        except ValueError as error:
            raise JoinError(str(error)) from None
        return _pack(numbers, theirs) if theirs.is_packed else numbers
    if ours.factors == theirs.factors:
        return _exactly(signed, theirs)
    numbers = ours.unpack(values) if ours.is_packed else signed
    if not theirs.is_packed and not theirs.type.is_floating:
        return _exactly(numbers, theirs)
    return _pack(numbers.astype("f8"), theirs)


def _exactly(numbers: Values, theirs: Numbers) -> Values:
    """Return numbers in another type. Raise `JoinError` for one that the type does not have."""
    dtype, stored = dtype_of(theirs.read_as), dtype_of(theirs.type)
    if numbers.dtype == dtype:
        return numbers.view(stored)
    with np.errstate(all="ignore"):
        found = numbers.astype(dtype)
        wrong = found.astype(numbers.dtype) != numbers
    limits = theirs.read_as.limits
    if numbers.dtype.kind == "f" and not theirs.type.is_floating:
        wrong |= (numbers < limits[0]) | (numbers >= float(limits[1]) + 1)
    elif not theirs.type.is_floating:
        wrong |= (numbers < limits[0]) | (numbers > limits[1])
    if wrong.any():
        worst = numbers[wrong].ravel()[0]
        raise JoinError(f"the value {worst} cannot be represented as {theirs.type.word}")
    return found.view(stored)


def _pack(values: Values, numbers: Numbers) -> Values:
    """Return doubles as stored, rounded to the next packed number."""
    dtype = dtype_of(numbers.type)
    scale, offset = numbers.factors
    if numbers.is_packed:
        values = (values - offset) / scale
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            found = values.astype(dtype)
        if np.any(np.isinf(found) & np.isfinite(values)):
            raise JoinError(f"a value is too large for the type {numbers.type.word}")
        return found
    rounded = np.rint(values)
    stored = dtype_of(numbers.read_as)
    low_limit, high_limit = numbers.read_as.limits
    low, high = rounded.min(initial=0), rounded.max(initial=0)
    if not (low >= low_limit and high <= high_limit):
        worst = high if high > high_limit else low
        raise JoinError(
            f"the value {worst * scale + offset:g} cannot be packed as {numbers.type.word} with"
            f" scale_factor {scale:g} and add_offset {offset:g}",
            hint=f"join all with {option('concat')} to a new store, with {option('unpack', True)},"
            f" or with {option('repack', numbers.type.word)} and {option('headroom')} for later"
            " values",
        )
    return rounded.astype(stored).view(dtype)
