"""Write the tables of what other programs read in docs/reference/check.md: ``make docs``.

A test compares them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ncz.formats.zarr.readers.chunk_forms import refused_chunks
from ncz.formats.zarr.readers.contents import FEATURE_WORDS, Contents
from ncz.formats.zarr.readers.forms import FORMS
from ncz.formats.zarr.readers.programs import READERS, Feature, Reader

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "check.md"
START = "<!-- the table of readers, by make docs -->\n"
END = "<!-- end of the table -->\n"


def table() -> str:
    """Return a table of features, those with the same outcomes in one row, and one of codecs."""
    rows: dict[str, list[str]] = {}
    for feature, words in _rows():
        outcomes = f"{_listed(feature, 'no')} | {_listed(feature, 'otherwise')}"
        if outcomes != " | ":
            rows.setdefault(outcomes, []).append(words)
    lines = [
        "| Feature | Not opened by | Shown as something else by |",
        "|---|---|---|",
        *(f"| {'; '.join(words)} | {outcomes} |" for outcomes, words in rows.items()),
        "",
        "| Program | Codecs of Zarr V2 | Codecs of Zarr V3 |",
        "|---|---|---|",
        *(f"| {', '.join(titles)} | {codecs} |" for codecs, titles in _programs().items()),
    ]
    return "\n".join(lines) + "\n"


def _programs() -> dict[str, list[str]]:
    """Return the titles of the programs that read the same codecs, by the cells of these."""
    found: dict[str, list[str]] = {}
    for reader in READERS.values():
        cells = " | ".join(f"{_codecs(reader, n)}{_refused(reader, n)}" for n in (2, 3))
        found.setdefault(cells, []).append(reader.title)
    return found


def _refused(reader: Reader, zarr_format: int) -> str:
    """Return the words for the forms of chunks that a reader does not decode."""
    forms = sorted(refused_chunks([reader], zarr_format))
    return "".join(f"; not {form}" for form in forms if _codecs(reader, zarr_format))


def _listed(feature: Feature, outcome: str) -> str:
    """Return the names of the readers for which a feature has this outcome."""
    names = [name for name, reader in READERS.items() if _cell(reader, feature) == outcome]
    return "all" if len(names) == len(READERS) else ", ".join(names)


def _rows() -> Iterator[tuple[Feature, str]]:
    """Yield features with their words."""
    flavours = {"nczarr": " (NCZarr)", "zarr": " (pure Zarr)"}
    for feature, words in FEATURE_WORDS.items():
        yield feature, words.replace("|", "\\|") + flavours.get(feature[1], "")


def _forms() -> Mapping[Feature, set[str]]:
    """Return in which forms of a store each feature is."""
    found: dict[Feature, set[str]] = {}
    examples = {subject: "" for subject, _ in FEATURE_WORDS} | dict.fromkeys(
        ("byte", "masked-char", "object"), ""
    )
    for kept in ({}, dict.fromkeys("SUO", "")):
        for form in FORMS:
            for feature in Contents(examples=examples, kept=kept).features(form):
                found.setdefault(feature, set()).add(form.name)
    return found


FORMS_WITH = _forms()


def _cell(reader: Reader, feature: Feature) -> str:
    forms = FORMS_WITH.get(feature, ())
    if feature[0] != "format" and forms and all(("format", f) in reader.unread for f in forms):
        return ""
    if feature in reader.unopened or (feature[0] == "format" and feature in reader.unread):
        return "no"
    return "otherwise" if feature in reader.unread | reader.unavoidable else "yes"


def _codecs(reader: Reader, zarr_format: int) -> str:
    if not any(("format", f"{f}-v{zarr_format}") not in reader.unread for f in ("nczarr", "zarr")):
        return ""
    known = reader.codecs_v2 if zarr_format == 2 else reader.codecs_v3
    return "all of numcodecs" if known is None else ", ".join(sorted(known))


def page() -> str:
    """Return the page with the table of today."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
