"""Requests of the page of the view command."""

from __future__ import annotations

import json
from typing import Any, Literal, get_args

from ncz.record import record


class StaleRequest(Exception):
    """A request whose client no longer waits for the answer."""


class RequestError(ValueError):
    """A request that no page of this server sends."""


ExplorerName = Literal["", "a", "b"]
"""The dataset that is shown, or a difference; or the first or the second dataset of it."""


@record(kw_only=True)
class Request:
    """A request of a page.

    Attributes
    ----------
    variable
        The number of the variable.
    x, y
        The numbers of the horizontal and the vertical axis of a picture, or of a table.
    at
        The index of each axis that is not shown; empty for the first ones.
    xs, ys
        The part of an axis that is shown: the first index, and the index after the last one.
    pixels
        The most columns and rows of values that can be seen.
    stride
        The step of the shown indices, if it is larger than the pixels require.
    limit
        Bytes of chunks that may be read, if not the command's limit.
    coarse
        Whether a coarse picture is enough, if the requested one takes long.
    along
        The axis of a series.
    box
        A part of a map in degrees: west, south, east, north.
    fine
        Whether coastlines are fine, if that does not follow from the part of the map.
    of
        Which dataset of a difference is shown, if not the difference.
    """

    variable: int = 0
    x: int | None = None
    y: int | None = None
    at: tuple[int, ...] = ()
    xs: tuple[int, ...] = ()
    ys: tuple[int, ...] = ()
    pixels: tuple[int, ...] = (1024, 512)
    stride: int = 1
    limit: int | None = None
    coarse: bool = False
    along: int | None = None
    box: tuple[float, ...] = ()
    fine: bool | None = None
    of: ExplorerName = ""


_LARGEST = 1 << 62
_FARTHEST = 1080
"""Degrees of a box: a few times around the world."""


def parse_request(text: str) -> Request:
    """Return the request in a JSON document.

    Raises
    ------
    RequestError
        If it is not valid.
    """
    try:
        document = json.loads(text)
        fields = {
            name: _field(name, value) for name, value in document.items() if value is not None
        }
        return Request(**fields)
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise RequestError("this is not a request of the page") from None


def _field(name: str, value: object) -> Any:
    if name in ("coarse", "fine"):
        if not isinstance(value, bool):
            raise TypeError(name)
        return value
    if name in ("at", "xs", "ys", "pixels"):
        if not isinstance(value, list) or (name != "at" and len(value) != 2) or len(value) > 1024:
            raise TypeError(name)
        return tuple(_whole(each) for each in value)
    if name == "of":
        if value not in get_args(ExplorerName):
            raise ValueError(name)
        return value
    if name == "box":
        return _box(value)
    return _whole(value)


def _box(value: object) -> tuple[float, ...]:
    if not isinstance(value, list) or len(value) != 4:
        raise TypeError(value)
    if not all(type(each) in (int, float) and abs(each) <= _FARTHEST for each in value):
        raise ValueError(value)
    west, south, east, north = map(float, value)
    if not (west < east and south < north):
        raise ValueError(value)
    return west, south, east, north


def _whole(value: object) -> int:
    if type(value) is not int or not 0 <= value < _LARGEST:
        raise ValueError(value)
    return value


def never() -> bool:
    """Return False, for a request whose client waits for the answer."""
    return False
