"""Findings of a check: a code, a severity, a key, a message and advice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Literal

from ncz.errors import in_command_line, quantity
from ncz.record import field, record
from ncz.zmap import Zmap

Severity = Literal["error", "warning", "note"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""All severities, the gravest first."""

CODES: Mapping[str, Severity] = MappingProxyType(
    {
        # reported by the reader, with the code of its notice
        "annotation-damaged": "error",
        "annotation-missing": "warning",
        "annotation-outdated": "warning",
        "attribute-hidden": "note",
        "attribute-type-inferred": "warning",
        "chunk-misplaced": "error",
        "consolidated-damaged": "error",
        "consolidated-stale": "error",
        "dimension-inferred": "warning",
        "dimension-left-out": "error",
        "fill-value-type": "warning",
        "group-left-out": "error",
        "object-left-out": "error",
        "object-missing": "error",
        "object-unlisted": "error",
        "stray-document": "warning",
        "variable-left-out": "error",
        # metadata documents
        "attribute-not-text": "warning",
        "attribute-six-digits": "note",
        "attributes-orphaned": "warning",
        "document-damaged": "error",
        "document-not-strict": "warning",
        "document-not-finite": "note",
        "dtype-byte-order": "warning",
        "elementsize-zero": "error",
        "group-missing": "error",
        "store-unreadable": "error",
        "name-unknown": "note",
        # keys and chunks
        "chunk-damaged": "error",
        "chunk-empty": "error",
        "chunk-length": "error",
        "chunk-orphaned": "error",
        "chunk-outside": "warning",
        "codec-missing": "warning",
        "digest-mismatch": "error",
        "key-unowned": "warning",
        "not-listed": "note",
        "piece-unreadable": "error",
        "position-outside": "warning",
        "reference-broken": "error",
        "source-changed": "error",
        "zip-duplicate": "warning",
        "zip-entry-damaged": "error",
        "zip-name-unsafe": "warning",
        # values that xarray shows as NaN
        "coordinate-missing": "warning",
        "chunk-missing": "note",
        "values-masked": "warning",
        # netCDF files and other datasets that are not stores
        "data-unreadable": "error",
        "file-truncated": "error",
        # other programs
        "reader-misread": "warning",
        "reader-unopened": "error",
    }
)
"""Every code, with its usual severity. ``docs/reference/check.md`` explains them."""


@record(kw_only=True)
class Finding:
    """Something that is wrong or suspicious.

    `key` is the key of an object, or of the first of several, without a leading slash; it is empty
    for the store as a whole.
    """

    code: str
    severity: Severity
    key: str
    message: str
    advice: str | None = None

    def __str__(self) -> str:
        advice = f"; {self.advice}" if self.advice else ""
        return f"{self.severity}: {self.code}: /{self.key}: {self.message}{advice}"


def finding(
    code: str,
    key: str,
    message: str,
    advice: str | None = None,
    *,
    severity: Severity | None = None,
) -> Finding:
    """Return a finding with the usual severity of its code, unless another is given."""
    return Finding(
        code=code,
        severity=severity or CODES[code],
        key=key,
        message=in_command_line(message),
        advice=advice and in_command_line(advice),
    )


@record(kw_only=True)
class ArrayCensus:
    """The stored chunks of an array: their largest number, their number, and their bytes.

    Of shards, the chunks in them are counted. `empty` chunks are objects without a single byte.
    """

    key: str
    expected: int
    present: int
    empty: int
    bytes: int

    @property
    def missing(self) -> int:
        """The number of chunks that are not stored, and are read as the fill value."""
        return self.expected - self.present


@record(kw_only=True)
class Repair:
    """A document that is written to repair a store: its key, the change, and its new bytes."""

    key: str
    what: str
    document: bytes


def _is_none(_: Zmap) -> bool:
    return False


@record(kw_only=True)
class CheckRequest:
    """The scope of a check.

    With `data` every chunk is decoded. `readers` are the programs that must read the store. With
    `repairs` the report has the documents that would repair it. `names_master` says whether an open
    store may be a master.
    """

    data: bool = False
    readers: tuple[str, ...] = ()
    repairs: bool = False
    names_master: Callable[[Zmap], bool] = _is_none


@record(kw_only=True)
class CheckReport:
    """The result of a check: its findings, the gravest first, and the census of chunks.

    The census is None if the store cannot be listed, or no array can be read. `repairs` are the
    actual or possible repairs; the findings are the ones after them. `may_be_master` says whether
    the store may be a master, whose pieces are checked too.
    """

    store: str
    findings: tuple[Finding, ...]
    arrays: tuple[ArrayCensus, ...] | None
    repairs: tuple[Repair, ...] = ()
    may_be_master: bool = field(default=False, compare=False, repr=False)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    @property
    def is_clean(self) -> bool:
        """Whether only notes were found."""
        return all(f.severity == "note" for f in self.findings)

    def count(self, severity: Severity) -> int:
        """Return the number of findings of a severity."""
        return sum(f.severity == severity for f in self.findings)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.findings), self.total])

    @property
    def total(self) -> str:
        """The number of findings of each severity, in words."""
        return ", ".join(quantity(self.count(severity), severity) for severity in SEVERITIES)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings by severity and key, each once."""
    once = {(f.code, f.key, f.message): f for f in findings}
    return tuple(sorted(once.values(), key=lambda f: (SEVERITIES.index(f.severity), f.key, f.code)))
