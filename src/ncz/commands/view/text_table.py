"""Variables of text, as tables."""

from __future__ import annotations

import math

from ncz.commands.view.coordinates import Coordinates, decoded_numbers
from ncz.commands.view.cost import MOST_READ, check_size
from ncz.commands.view.error import ViewError
from ncz.commands.view.variables import find_variable
from ncz.model.data import Values, read_all
from ncz.model.subset import subset_source
from ncz.model.tree import Dataset, dimensions_by_fqn, shape_of, variables_by_fqn
from ncz.model.types import Atomic, readable_text


def text_variable(dataset: Dataset, name: str | None) -> str | None:
    """Return the FQN of the variable with a name if its values are text; otherwise None."""
    if name is None:
        return None
    fqn, variable = find_variable(dataset, name)
    return fqn if variable.type in (Atomic.CHAR, Atomic.STRING) else None


def text_table(
    dataset: Dataset, fqn: str, most: int, limit: int = MOST_READ
) -> tuple[list[tuple[str, str]], int]:
    """Return rows of text along the last dimension, each with its coordinate or its index.

    Chars are joined along their last dimension. Other dimensions are at their first index.

    Parameters
    ----------
    dataset, fqn
        The dataset, or a part of it, and a variable of text.
    most
        The most rows.
    limit
        Bytes of chunks that may be read.

    Returns
    -------
    tuple of list and int
        The rows, and the number of further ones.
    """
    variable = dict(variables_by_fqn(dataset.root))[fqn]
    shape = shape_of(variable, dimensions_by_fqn(dataset.root))
    if 0 in shape or variable.data is None:
        raise ViewError("it has no values", fqn)
    is_char = variable.type is Atomic.CHAR and bool(shape)
    rows = len(shape) - (2 if is_char else 1)
    ranges = [range(1)] * len(shape)
    if is_char:
        ranges[-1] = range(shape[-1])
    if rows >= 0:
        ranges[rows] = range(min(shape[rows], most))
    check_size(variable.data, ranges, [], fqn, limit)
    values = read_all(subset_source(variable.data, tuple(ranges)))
    if variable.type is Atomic.CHAR:
        texts = [readable_text(text) for text in texts_of_chars(values, "surrogateescape")]
    else:
        texts = [readable_text(text or "") for text in values.reshape(-1).tolist()]
    if rows < 0:
        return [("", texts[0])], 0
    dimension = variable.dimensions[rows]
    coordinates = Coordinates(dataset, decoded_numbers)
    labels = (
        map(str, ranges[rows])
        if coordinates.variable(dimension) is None
        else coordinates.texts(dimension, ranges[rows])
    )
    return [*zip(labels, texts, strict=True)], shape[rows] - len(texts)


def texts_of_chars(values: Values, errors: str = "replace") -> list[str]:
    """Return the texts of chars along the last dimension, without the nulls at their ends."""
    rows = values.reshape(math.prod(values.shape[:-1]), -1).tolist()
    return [b"".join(row).rstrip(b"\0").decode("utf-8", errors) for row in rows]
