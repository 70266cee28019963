"""The commands that run on a disk that fails, and their sources and targets."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import ncz
from ncz.errors import ignore_notice
from ncz.model.netcdf_kinds import NetcdfKind
from ncz.zmap.local.build_names import claimed_name
from tests.reliability.command import run_ncz
from tests.reliability.judge import Case, values

CDL = b"""netcdf faulty {
dimensions: x = 8 ; y = 3 ;
variables:
  int v(x, y) ; v:_ChunkSizes = 4, 3 ; v:_DeflateLevel = 1 ;
  double w(x) ; w:units = "m" ;
data:
  v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24 ;
  w = 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5 ;
group: g { variables: short s(y) ; data: s = 1, 2, 3 ; }
}"""

PLAIN = CDL.partition(b"group:")[0] + b"}"
"""The same without the group, for netCDF's classic kinds."""

_OTHERS = ((b" = 1,", b" = 9,"), (b" 24 ;", b" 99 ;"), (b"7.5 ;", b"70.5 ;"), (b'"m"', b'"km"'))
"""A change of a source while it is read: a value of each chunk differs."""


def make(text: bytes, path: Path | str) -> None:
    """Write a dataset."""
    ncz.gen(io.BytesIO(text), path, notify=ignore_notice)


def make_source(path: Path) -> None:
    """Write the store that is copied."""
    make(CDL, path)


def disk_cases(folder: Path) -> dict[str, Case]:
    """Return the commands that write to the disk; their sources are made in `folder`."""
    (folder / "in.cdl").write_bytes(CDL)
    (folder / "plain.cdl").write_bytes(PLAIN)
    make_source(folder / "in.zarr")
    (folder / "out").mkdir()
    cases = (*_creating(folder), *_converting(folder), *_changing(folder))
    return {case.name: case for case in cases}


def _creating(folder: Path) -> tuple[Case, ...]:
    source, text, place = folder / "in.zarr", folder / "in.cdl", folder / "out"
    return (
        _case("gen", "gen", text, "-o", place / "o.zarr"),
        _case("gen zip", "gen", text, "-o", place / "o.zip"),
        _case("raw", "copy", source, place / "o.zarr", resumes=True),
        _case("zip", "copy", source, place / "o.zip", resumes=True),
        _case("rechunk", "copy", source, place / "o.zarr", "-c", "x/3", resumes=True),
        Case(
            "replace", ("copy", str(source), f"{place}/o.zarr", "--overwrite"), f"{place}/o.zarr",
            begin=lambda: _copy(source, place / "o.zarr"), replaces=True,
        ),
        _case("netCDF", "gen", folder / "plain.cdl", "-o", place / "o.nc", "--kind", "classic"),
    )  # fmt: skip


def _converting(folder: Path) -> tuple[Case, ...]:
    """Return the commands between kinds of sources and targets."""
    place = folder / "out"
    make(CDL, folder / "in.nc")
    ncz.gen(io.BytesIO(PLAIN), folder / "in3.nc", kind="classic", notify=ignore_notice)
    near = folder / "set"
    near.mkdir()
    shutil.copy(folder / "in.nc", near / "data.nc")
    refs = near / "refs.json"
    made = ("copy", "--mode", "reference", "--inline", "0")
    done = run_ncz(*made, "--relative-to", "ref", str(near / "data.nc"), str(refs))
    assert done.code == 0, done.error

    def read(target: str) -> str | None:
        return values(f"{target}#reference.allow_target={folder}")

    return (
        _case("from netCDF-4", "copy", folder / "in.nc", place / "o.zarr", resumes=True),
        _case("from classic", "copy", folder / "in3.nc", place / "o.zarr", resumes=True),
        _case("from references", "copy", refs, place / "o.zarr", watched=near, resumes=True),
        Case("references", (*made, str(folder / "in.nc"), f"{place}/o.json"), f"{place}/o.json",
             source=str(folder / "in.nc"), read=read),
        _case("netCDF-4", "copy", folder / "in.zarr", place / "o.nc"),
        _case("classic", "copy", folder / "in3.nc", place / "o.nc"),
    )  # fmt: skip


def _changing(folder: Path) -> tuple[Case, ...]:
    """Return the commands that change a store."""
    target = folder / "out" / "o.zarr"
    more = folder / "more.zarr"
    shutil.copytree(folder / "in.zarr", more)

    def copied() -> None:
        _copy(folder / "in.zarr", target)

    def broken() -> None:
        copied()
        (target / "g" / ".zgroup").unlink()
        (target / ".zmetadata").write_text('{"metadata": 1}')

    def killed() -> None:
        copied()
        _copy(folder / "in.zarr", target.with_name(claimed_name(str(target))))

    def findings(path: str) -> str | None:
        return f"{values(path)}is clean: {ncz.check(path).is_clean}"

    name = str(target)
    return (
        Case("consolidate", ("consolidate", name), name, begin=copied, changes=True),
        Case("edit", ("edit", name, "--set", 'w:units = "km"'), name, begin=copied, changes=True),
        Case("append", ("copy", "--append", "x", str(more), name), name, source=str(more),
             begin=copied, changes=True, repeats=False),
        Case("check --fix", ("check", "--fix", name), name, begin=broken, changes=True,
             read=findings, reports=True),
        Case("clean", ("clean", name), name, begin=killed, changes=True, cleans=True),
    )  # fmt: skip


def _case(
    name: str, *words: str | Path, resumes: bool = False, watched: Path | None = None
) -> Case:
    """Return a command that creates the last path of `words`, and reads the one before."""
    paths = [str(word) for word in words if isinstance(word, Path)]
    return Case(
        name, tuple(map(str, words)), paths[-1], source=str(watched or paths[0]),
        can_resume=resumes,
    )  # fmt: skip


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target)


def replace_source(path: str, *, in_place: bool) -> None:
    """Change a store or a file to other values: another in its place, or its files rewritten."""
    name = Path(path)
    text = PLAIN if name.name == "in3.nc" else CDL
    other = name.with_name(f"other-{name.name}")
    if not other.exists():
        kind: NetcdfKind | None = "classic" if text is PLAIN else None
        for old, new in _OTHERS:
            assert old in text
            text = text.replace(old, new)
        ncz.gen(io.BytesIO(text), other, kind=kind, notify=ignore_notice)
    if not in_place:
        name.rename(name.with_name(f"old-{name.name}"))
        (shutil.copytree if other.is_dir() else shutil.copy)(other, name)
        return
    files = [each for each in other.rglob("*") if each.is_file()] if other.is_dir() else [other]
    for each in files:
        (name / each.relative_to(other)).write_bytes(each.read_bytes())
