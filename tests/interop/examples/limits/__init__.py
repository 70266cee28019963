"""Limits of the peers, by pair, case and part, with the reason.

The matrix asserts each row for each of its cases: the part must differ, or the store must fail to
open (`STORE`). So no row can become outdated.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.interop.examples.limits.limit import STORE, Limit, matches
from tests.interop.examples.limits.reading import READING
from tests.interop.examples.limits.v3 import V3
from tests.interop.examples.limits.writing import WRITING

__all__ = ["LIMITS", "STORE", "check"]

LIMITS: tuple[Limit, ...] = (*READING, *WRITING, *V3)


def check(who: str, case: str, wrong: Mapping[str, str]) -> None:
    """Fail for a difference without a limit, and for a part of a limit without a difference."""
    limits = [limit for limit in LIMITS if limit.who == who and case in limit.cases.split()]
    surprises = {p: text for p, text in wrong.items() if not any(li.covers(p) for li in limits)}
    assert not surprises, f"{who}, {case}:\n" + "\n".join(
        f"  {p} {t}" for p, t in surprises.items()
    )
    idle = [
        part for limit in limits for part in limit.parts if not any(matches(p, part) for p in wrong)
    ]
    assert not idle, f"{who}, {case}: a limit is gone, take it from the table: {idle}"
