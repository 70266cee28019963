"""The result of a copy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ncz.errors import CodecError, quantity
from ncz.text.sizes import format_size

if TYPE_CHECKING:
    from collections.abc import Callable

    from ncz.errors import Progress
    from ncz.transfer.move import MoveResult, Way


@dataclass(slots=True, kw_only=True, repr=False)
class Summary:
    """The result of a copy."""

    variables: int = 0
    chunks: int = 0
    """Number of chunks written."""
    size: int = 0
    """Their size in bytes, as stored."""
    resumable: int = 0
    """Number of the chunks written that the same copy would keep if this one were interrupted."""
    kept: int = 0
    """Number of chunks that an interrupted run had written."""
    ways: dict[Way, int] = field(default_factory=dict)
    """Number of variables copied in each way."""
    compared: int = 0
    """Number of values compared, with `verify`."""
    read_by: list[str] = field(default_factory=list)
    """The programs that read the same values as ncz, with `verify` and `audience`."""
    damaged: list[CodecError] = field(default_factory=list)
    """The errors of damaged chunks that were copied unchanged, with `keep_going`."""
    targets: dict[str, Summary] = field(default_factory=dict)
    """The results of several targets, by path or URL, with `each` or `split`."""
    source: str = ""
    """The source of one of several targets."""

    def __repr__(self) -> str:
        return f"<{self._title}>"

    def _repr_html_(self) -> str:
        from ncz.views.notebook import table_html

        rows = [(name, *one.counts) for name, one in self.targets.items()]
        columns = ("target", "variables", "chunks", "written")
        return table_html(self._title, columns, rows or [("", *self.counts)])

    @property
    def counts(self) -> tuple[str, str, str]:
        """The numbers of variables and chunks, and the bytes that were written, for people."""
        return str(self.variables), str(self.chunks), format_size(self.size)

    @property
    def _title(self) -> str:
        done = [quantity(self.variables, "variable"), quantity(self.chunks, "chunk")]
        done.append(f"{format_size(self.size)} written")
        if self.targets:
            done.insert(0, quantity(len(self.targets), "target"))
        if self.compared:
            done.append(f"{self.compared:,} values are equal")
        if self.damaged:
            done.append(quantity(len(self.damaged), "damaged chunk"))
        return f"ncz.Summary: {', '.join(done)}"

    def add(self, target: str, other: Summary) -> None:
        """Add the summary of one of several targets."""
        self.targets[target] = other
        self.variables += other.variables
        self.chunks += other.chunks
        self.size += other.size
        self.resumable += other.resumable
        self.kept += other.kept
        self.compared += other.compared
        self.damaged += other.damaged
        self.read_by = [*dict.fromkeys((*self.read_by, *other.read_by))]
        for way, count in other.ways.items():
            self.ways[way] = self.ways.get(way, 0) + count

    def count(self, chunks: int, size: int) -> None:
        """Count chunks that were written, with their size in bytes."""
        self.chunks += chunks
        self.size += size

    def reporter(self, fqn: str, progress: Progress) -> Callable[[MoveResult], None]:
        """Return a function that counts the chunks of a variable that were written."""

        def report(step: MoveResult) -> None:
            self.count(step.chunks, step.size)
            progress.advance(fqn, step.chunks, step.size)

        return report

    def refuse_damage(self, location: str) -> None:
        """Raise `CodecError` if damaged chunks were copied to the target at `location`."""
        if self.damaged:
            count = len(self.damaged)
            were, them = ("was", "it") if count == 1 else ("were", "them")
            raise CodecError(
                f"{quantity(count, 'damaged chunk')} {were} copied unchanged",
                location,
                f"restore {them} from another copy",
            )
