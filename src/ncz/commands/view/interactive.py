"""An interactive picture as one page, which bokeh draws: zoom, pan, and the value at the pointer.

The page holds the scripts of bokeh and the values, and asks for nothing from elsewhere. Names and
texts of a dataset are text on it, never markup, TeX or patterns of bokeh.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from ncz.commands.view.scene import Axis, Scene
from ncz.errors import NczError
from ncz.views.picture import palette

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

START = "<!DOCTYPE html>\n<!-- a picture by ncz -->\n"
"""How a page begins, by which an older one is recognised."""

_WIDTH, _HEIGHT = 900, 520
_UNEVEN = 1e-3
"""Part of a step by which coordinates may differ from even ones."""


def page_of(scene: Scene, low: float, high: float, colormap: str) -> str:
    """Return a page with a picture; `low` and `high` are the values of the end colours."""
    try:
        from bokeh.embed import file_html
        from bokeh.layouts import column
        from bokeh.models import ColorBar, Div, HoverTool, LinearColorMapper, PlainText
        from bokeh.plotting import figure
        from bokeh.resources import INLINE
    except ImportError:
        raise NczError(
            "an interactive picture needs the package bokeh", hint="pip install 'ncz[view]'"
        ) from None
    import numpy as np

    tools = "pan,wheel_zoom,box_zoom,reset"
    plot: Any = figure(width=_WIDTH, height=_HEIGHT, tools=tools, active_scroll="wheel_zoom")
    plot.toolbar.logo = None
    across, start, width = _place(scene.across)
    plot.xaxis.axis_label = PlainText(text=across)
    if scene.down is None:
        x = start + np.arange(scene.values.size) * (width / max(1, scene.values.size))
        plot.line(x, scene.values, name="line")
        plot.y_range.start, plot.y_range.end = low, high
        plot.add_tools(HoverTool(tooltips=[("at", "$x"), ("value", "@y")], mode="vline"))
    else:
        # Rows of bokeh go from the bottom to the top, and coordinates in either direction.
        rows: NDArray[np.float64] = scene.values[::-1]
        down, bottom, height = _place(_reversed(scene.down))
        plot.yaxis.axis_label = PlainText(text=down)
        if width < 0:
            rows, start, width = rows[:, ::-1], start + width, -width
        if height < 0:
            plot.y_range.flipped = True
            rows, bottom, height = rows[::-1], bottom + height, -height
        colors = [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in palette(colormap)]
        mapper = LinearColorMapper(palette=colors, low=low, high=high, nan_color="rgba(0,0,0,0)")
        plot.image([rows], x=start, y=bottom, dw=width, dh=height, color_mapper=mapper, name="map")
        plot.x_range.range_padding = plot.y_range.range_padding = 0
        plot.add_layout(ColorBar(color_mapper=mapper), "right")
        tips = [("value", "@image"), ("x", "$x"), ("y", "$y")]
        plot.add_tools(HoverTool(tooltips=tips))
    units = f" ({scene.units})" if scene.units else ""
    title = "" if scene.title == scene.name else f": {scene.title}"
    heading = f"<b>{escape(scene.name + title + units)}</b>"
    notes = "".join(f"<br>{escape(note)}" for note in scene.notes)
    head = Div(text=heading + notes, disable_math=True, name="head")
    page: str = file_html(column(head, plot), INLINE, title="ncz view")
    return START + page.lstrip().removeprefix("<!DOCTYPE html>").lstrip()


def _reversed(axis: Axis) -> Axis:
    """Return the vertical axis from the bottom to the top."""
    return Axis(
        name=axis.name,
        coordinates=axis.coordinates[::-1],
        texts=(axis.texts[1], axis.texts[0]),
        step=axis.step,
    )


def _place(axis: Axis) -> tuple[str, float, float]:
    """Return the label of an axis, where its first element begins, and how far all extend.

    Coordinates that are not even are replaced by numbers from 0.
    """
    import numpy as np

    at = axis.coordinates
    label = f"{axis.name}: {axis.texts[0]} to {axis.texts[1]}" if axis.name else ""
    steps = np.diff(at)
    step = float(steps.mean()) if at.size > 1 else 0.0
    if step and np.isfinite(step) and bool((abs(steps - step) <= _UNEVEN * abs(step)).all()):
        return label, float(at[0]) - step / 2, step * at.size
    return label, -0.5, float(at.size)
