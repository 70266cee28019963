"""Coastlines, as answers to the page of the view command."""

from __future__ import annotations

from ncz.commands.view.answer import Answer
from ncz.commands.view.request import Request
from ncz.views.coastlines import Detail, coastlines
from ncz.views.map_window import WORLD, Window

_DETAILS: dict[bool, Detail] = {True: "fine", False: "coarse"}


def coast(request: Request) -> Answer:
    """Return the coastlines in the box of a request: alternating longitudes and latitudes."""
    window = Window(*request.box) if request.box else WORLD
    detail = None if request.fine is None else _DETAILS[request.fine]
    return coast_in(window, detail)


def coast_in(window: Window, detail: Detail | None = None) -> Answer:
    """Return the coastlines in a window, as `coast` does."""
    lines = coastlines(window, detail)
    return {"lines": [line.round(2).reshape(-1).tolist() for line in lines]}
