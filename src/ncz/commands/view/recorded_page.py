"""A page with one picture that needs no server: it contains the answers of a server."""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256

from ncz.commands.view.answer import Answer, packed_answer
from ncz.commands.view.axes import picture_axes
from ncz.commands.view.coast import coast_in
from ncz.commands.view.cost import large_picture
from ncz.commands.view.error import ViewError
from ncz.commands.view.explorer import Explorer
from ncz.commands.view.page_dataset import open_explorers, overview
from ncz.commands.view.page_files import markup, script, style
from ncz.commands.view.request import Request
from ncz.commands.view.variables import choose_variable
from ncz.commands.view.view_options import ViewOptions
from ncz.errors import Notify, ignore_notice
from ncz.views.map_window import Window

START = "<!DOCTYPE html>\n<!-- a picture by ncz -->\n"
"""The beginning of a page, which identifies an older one."""

_MOST_VALUES = (1024, 512)
"""Most columns and rows of values in a page."""


def recorded_page(options: ViewOptions, notify: Notify = ignore_notice) -> str:
    """Return a page with the picture of a variable.

    Raises
    ------
    NczError
        If the variable cannot be read, has no numbers, or needs too many chunks.
    """
    with open_explorers(options, notify) as explorers:
        answers = _answers(explorers[""], options)
    # No text of the dataset can end the element that contains the answers.
    document = json.dumps(answers).replace("<", "\\u003c")
    code = script()
    policy = (
        f"default-src 'none'; script-src {_hash_of(code)}; style-src {_hash_of(style())};"
        " img-src data:; base-uri 'none'; form-action 'none';"
        " require-trusted-types-for 'script'; trusted-types 'none'"
    )
    replaced = {
        "<!DOCTYPE html>\n": START,
        '<meta charset="utf-8">\n': '<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n',
        '<link rel="stylesheet" href="page.css">\n': f"<style>{style()}</style>\n",
        '<script src="page.js" defer></script>\n': "",
        "<body": '<body class="recorded"',
        "</body>": f'<script id="answers" type="application/json">{document}</script>\n'
        f"<script>{code}</script>\n</body>",
    }
    page = markup()
    for old, new in replaced.items():
        page = page.replace(old, new, 1)
    return page


def _answers(explorer: Explorer, options: ViewOptions) -> Answer:
    """Return the answers to the first requests of the page, by the paths of a server."""
    fqn, variable = choose_variable(explorer.dataset, options.variable)
    picture_axes(explorer.dataset, variable, options.axes)  # refuses names of other dimensions
    dataset = overview(explorer, options)
    number = dataset["first"]
    dataset["variables"] = [each for each in dataset["variables"] if each["number"] == number]
    described = explorer.descriptions.description(Request(variable=number), options.axes)
    answers = {"dataset": dataset, "variable": described}
    if described["x"] is None:
        return {**answers, "series": explorer.series(Request(variable=number))}
    stride = options.stride or 1
    window: Window | None
    if described["placed"] is not None:
        window = Window(*(described["placed"][axis][end] for end in (0, 1) for axis in "xy"))
        box = (window.west, window.south, window.east, window.north)
        request = Request(variable=number, box=box, pixels=window.fit(*_MOST_VALUES), stride=stride)
        picture, values, cells = explorer.placed.picture(request)
    else:
        request = Request(
            variable=number, x=described["x"], y=described["y"], pixels=_MOST_VALUES, stride=stride
        )
        (picture, values), cells = explorer.picture(request), None
        window = explorer.window(request, picture) if values is not None else None
    if "empty" in picture:
        raise ViewError(picture["empty"], fqn)
    if "tooLarge" in picture:
        large = picture["tooLarge"]
        raise large_picture(large["text"], fqn, large["need"], large["stride"])
    return {
        **answers,
        "picture": b64encode(packed_answer(picture, values, cells)).decode(),
        "coast": {"lines": []} if window is None else coast_in(window, "coarse"),
    }


def _hash_of(text: str) -> str:
    """Return the source expression of a script or a style sheet in a content security policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
