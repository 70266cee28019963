"""What peers cannot do by their own limits: by pair, by case, by part, with the reason.

Each row is asserted by the matrix for each of its cases: the part really differs there, or the
store cannot be opened at all (`STORE`). So the table cannot rot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

STORE = "(the store)"


@dataclass(frozen=True)
class Limit:
    """`part` is a path as in `tests.peers.view`, may have wildcards, or is `STORE`."""

    who: str
    cases: str
    part: str
    reason: str


LIMITS: tuple[Limit, ...] = ()


def check(who: str, case: str, wrong: Mapping[str, str]) -> None:
    """Fail for a difference that no limit explains, and for a limit that explains none."""
    limits = [limit for limit in LIMITS if limit.who == who and case in limit.cases.split()]
    explained = {path for path in wrong for limit in limits if fnmatchcase(path, limit.part)}
    surprises = {path: text for path, text in wrong.items() if path not in explained}
    assert not surprises, f"{who}, {case}:\n" + "\n".join(
        f"  {p} {t}" for p, t in surprises.items()
    )
    idle = [limit for limit in limits if not any(fnmatchcase(p, limit.part) for p in wrong)]
    assert not idle, f"{who}, {case}: a limit is gone, take it from the table: {idle}"
