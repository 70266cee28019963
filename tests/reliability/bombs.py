"""Memory of ncz and its peers for each bomb."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.reliability.page import Form, Row, grouped
from tests.reliability.reading import Program, judge, printed
from tests.servers.bodies import Answer
from tests.stores.bombs import (
    BOMBS,
    BYTES,
    SERVED,
    array,
    serve_store,
    served_bomb,
    sharded,
    store,
    zipped,
)

LIMIT = 64
"""Memory beyond the size of the chunk, in MiB; chunks have at most 1 KiB."""


def _join(rows: Iterable[Row]) -> Iterator[Row]:
    """Join rows with the same result of each reader."""
    for words, group in grouped(rows, lambda row: tuple(map(_word, row[2:]))).items():
        readers = zip(*(row[2:] for row in group), strict=True)
        yield "; ".join(row[0] for row in group), *map(_span, words, readers)


def _word(cell: str) -> str:
    return cell.partition(", ")[0]


def _span(word: str, cells: Iterable[str]) -> str:
    """Return the results of a reader for some bombs, and its memory from least to most."""
    memory = [int(n) for cell in cells for n in re.findall(r"\d+", cell)]
    if not memory:
        return word
    ends = dict.fromkeys((str(min(memory)), str(max(memory))))
    return f"{word}, {' to '.join(ends)} MiB"


FORM = Form(("bombs", "ncz", "zarr-python", "netCDF-C"), _join)
"""A row before it is joined: the bomb, its bytes, and the result of each reader."""

READERS = {
    "ncz": Program(
        """
code = run(ncz.cli.ncz, "ncz", ["dump", sys.argv[1]])
sys.exit(code)
""",
        "import aiohttp, fsspec, obstore.store, s3fs, ncz.cli\nfrom ncz.cli.terminal import run",
    ),
    "zarr-python": Program(
        """
place, _, mode = sys.argv[1].partition("#")
options = None
if mode:
    server, _, path = place.removeprefix("http://").partition("/")
    place = f"s3://{path}"
    options = {"endpoint_url": f"http://{server}"}
if place.endswith(".zip"): place = zarr.storage.ZipStore(place, mode="r")
print(zarr.open_group(place, mode="r", storage_options=options)["v"][:].tolist())
""",
        "import aiohttp, fsspec, s3fs, zarr",
    ),
    "netCDF-C": Program(
        """
place, _, mode = sys.argv[1].partition("#")
kind = "s3" if mode else "zip" if place.endswith(".zip") else "file"
place = place if "://" in place else f"file://{place}"
d = netCDF4.Dataset(f"{place}#mode=zarr,{kind}"); d.set_auto_mask(False)
print(d["v"][:].tolist())
""",
        "import netCDF4",
    ),
}
"""Programs that print the values of v."""

_ACCESS = {"AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "thing"}


def rows(jobs: int) -> Iterator[Row]:
    """Yield a row for each bomb; one at a time, because peers take much memory."""
    os.environ.update(_ACCESS)
    able = {name: frozenset(_abilities(program)) for name, program in READERS.items()}
    for name in (*BOMBS, *SERVED):
        with _bomb(name) as (place, kind, size):
            cells = []
            for reader, program in READERS.items():
                if kind not in able[reader]:
                    cells.append("does not read this")
                    continue
                seen = judge(program, place, None)
                word = "read" if seen.word == "wrong" else seen.word
                is_known = word in ("read", "refused")
                cells.append(f"{word}, {seen.memory} MiB" if is_known else word)
        yield name, size, *cells


def is_right(row: Row) -> bool:
    """Return whether ncz refused a bomb, in the memory that it may have."""
    return _word(row[2]) == "refused" and int(re.findall(r"\d+", row[2])[-1]) < LIMIT


@contextmanager
def _bomb(name: str) -> Iterator[tuple[str, str, str]]:
    """Make a bomb; yield its place, the kind of the store, and its size."""
    if name in SERVED:
        kind = "S3" if name.endswith("S3") else "HTTP"
        with served_bomb(name) as url:
            yield url, kind, "a chunk of 64"
        return
    with tempfile.TemporaryDirectory() as folder:
        path = BOMBS[name](Path(folder))
        files = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
        version = "3" if (path / "zarr.json").exists() else "2"
        kind = "zip" if path.is_file() else version
        yield str(path), kind, f"{sum(p.stat().st_size for p in files):,}"


def _abilities(program: Program) -> Iterator[str]:
    """Yield the kinds of stores that a reader can read without damage."""
    document = array("|u1", [64], None, None)
    with tempfile.TemporaryDirectory() as folder:
        whole = {
            "2": store(Path(folder, "s"), document, bytes(64)),
            "3": sharded(Path(folder, "3"), [BYTES], 64, bytes(64), "uint8"),
            "zip": zipped(Path(folder, "s"), Path(folder, "s.zip")),
        }
        for kind, path in whole.items():
            if printed(program, str(path)):
                yield kind
    for kind, fragment in (("HTTP", ""), ("S3", "#mode=s3")):
        length = {"Content-Length": "64"}
        with serve_store(Answer(length, [bytes(64)]), fragment) as url:
            if printed(program, url):
                yield kind
