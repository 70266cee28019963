"""Options of an aggregation."""

from __future__ import annotations

import pytest

from ncz.commands.aggregate.options import AggregateOptions
from ncz.commands.joining.options import JoinOptions
from ncz.zmap.location import parse_location


def options(**more: object) -> AggregateOptions:
    target = parse_location("all.nca")
    return AggregateOptions(target=target, sources=(), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mode", "form"),
    [("cfa", "CFA"), ("cfa0.4", "CFA-0.4"), ("cfa0.5", "CFA-0.5"), ("cf", "CF-1.13")],
)
def test_each_mode_has_its_form(mode: str, form: str):
    assert options(mode=mode).form.name.startswith(form)


def test_nothing_is_replaced_or_lost_by_default():
    default = options()
    assert (default.mode, default.overwrite, default.allow_loss) == ("cfa", False, False)
    assert default.how == JoinOptions()
    with pytest.raises(KeyError):
        options(mode="other").form  # noqa: B018
