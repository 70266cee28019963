"""The coders of xarray, applied to as few values as they need."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np
import xarray
from xarray import conventions

from ncz.errors import LossError
from ncz.model.data import Values
from ncz.model.tree import join
from ncz.record import record


@record
class EncodedVariable:
    """A variable of xarray that is encoded.

    `head` has the attributes, the encoding and the dtype of encoded values. `values` are not
    encoded yet if `encode` is True.
    """

    head: xarray.Variable
    values: xarray.Variable
    encode: bool


def encoded_variables(
    dataset: xarray.Dataset, path: str
) -> tuple[dict[str, EncodedVariable], dict[str, Any]]:
    """Return the encoded variables of a group by name, and its attributes."""
    location = path or "/"
    try:
        variables, attributes = conventions.encode_dataset_coordinates(dataset)
        prepared = {
            name: _prepare(variable, join(path, str(name))) for name, variable in variables.items()
        }
        heads, attributes = conventions.cf_encoder(
            {name: head for name, (head, _) in prepared.items()}, attributes
        )
    except (ValueError, TypeError, NotImplementedError, OverflowError) as error:
        if isinstance(error, LossError):
            raise
        message = " ".join(str(error).split())
        raise LossError(f"xarray cannot encode a variable: {message}", location) from error
    found = {}
    for name, (_, values) in prepared.items():
        head = heads[name]
        found[str(name)] = EncodedVariable(
            head, head if values is None else values, values is not None
        )
    return found, dict(attributes)


def _prepare(variable: xarray.Variable, fqn: str) -> tuple[xarray.Variable, Any]:
    """Return the variables that the coders take immediately, and the values to encode later.

    Without such values, the coders get all values. These are times: their units follow from all of
    them, and Dask encodes one chunk at a time.
    """
    from xarray.core.common import contains_cftime_datetimes

    variable = variable.copy(deep=False)
    if variable.dtype.kind in "mM" or (
        variable.dtype.kind == "O" and contains_cftime_datetimes(variable)
    ):
        conventions.ensure_not_multiindex(variable, name=fqn.rpartition("/")[2])
        return (variable if variable.chunks is not None else variable.load()), None
    if variable.dtype.kind in "OUT" and variable.encoding.get("dtype") != "S1":
        variable.encoding.pop("dtype", None)  # how strings are stored follows from the target
    if variable.dtype.kind == "O" and variable.chunks is None and variable._in_memory:
        variable = variable.copy(data=_plain_objects(variable.to_numpy(), fqn))
    if variable.dtype.kind in "OT":  # text, which `text_values` checks when it is read
        stand_in = np.full((1,) * variable.ndim, "", "U1")
    else:
        stand_in = np.zeros((1,) * variable.ndim, variable.dtype)
    conventions.ensure_not_multiindex(variable, name=fqn.rpartition("/")[2])
    head = xarray.Variable(variable.dims, stand_in, variable.attrs, variable.encoding)
    return head, variable


def _plain_objects(values: Values, fqn: str) -> Values:
    """Return objects as text, bytes or numbers. Missing ones become empty, or NaN."""
    missing = missing_texts(values)
    kinds = set(map(type, values[~missing].ravel().tolist()))
    result = values.copy()
    if all(issubclass(kind, str) for kind in kinds):
        result[missing] = ""
        return result
    if all(issubclass(kind, bytes) for kind in kinds):
        result[missing] = b""
        return result.astype("S")
    result[missing] = math.nan
    with contextlib.suppress(ValueError, TypeError):
        numbers = np.array(result.tolist())
        if numbers.shape == values.shape and numbers.dtype.kind in "biuf":
            return numbers
    names = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise LossError(
        f"objects of type {names} cannot be stored",
        fqn,
        "convert them with astype, or leave the variable out with drop_vars",
    )


def missing_texts(values: Values) -> Values:
    """Return which objects mean that there is no value: None, NaN and their like in pandas."""
    flat = xarray.Variable(("i",), values.reshape(-1))
    return np.reshape(flat.isnull().to_numpy(), values.shape)


def text_values(values: Values, fqn: str) -> Values:
    """Return an array of `str`; missing strings are empty."""
    values = values.astype(object)
    missing = missing_texts(values)
    if missing.any():
        values[missing] = ""
    for kind in set(map(type, values.ravel().tolist())):
        if not issubclass(kind, str):
            raise LossError(
                f"an object of type {kind.__name__} is not text",
                fqn,
                "convert the variable with astype, such as astype('S10') for bytes",
            )
    return values
