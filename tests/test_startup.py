"""Limit the imports of each command, to keep start-up short."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

HEAVY = ("numpy", "cftime", "numcodecs", "rich", "fsspec", "s3fs")

PROGRAM = """
import sys
import ncz.cli
from ncz.cli.terminal import run
code = run(ncz.cli.ncz, "ncz", sys.argv[1:])
print("modules:", *sorted(set(sys.modules) & {names}), file=sys.stderr)
sys.exit(code)
"""


def imported(*arguments: str, among: tuple[str, ...] = HEAVY) -> set[str]:
    program = PROGRAM.replace("{names}", repr(set(among)))
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    line = done.stderr.splitlines()[-1]
    assert line.startswith("modules:")
    return set(line.split()[1:])


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import ncz
    from ncz.errors import ignore_notice

    target = tmp_path_factory.mktemp("startup") / "weather.zarr"
    ncz.gen(ROOT / "cdl_examples" / "weather.cdl", target, notify=ignore_notice)
    return target


def test_the_probe_sees_imported_modules(store):
    assert {"numpy"} <= imported("gen", "--check", str(ROOT / "cdl_examples/weather.cdl"))


def test_importing_ncz_costs_nothing():
    program = f"import sys, ncz; print(*sorted(set(sys.modules) & set({(*HEAVY, 'click')!r})))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


def test_one_dataset_is_opened_without_modules_for_joins(store):
    program = (
        "import sys, ncz; ncz.open(sys.argv[1]);"
        " print(*(name for name in sys.modules if name.startswith('ncz.commands.joining')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(store)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], *([name, "--help"] for name in ("gen", "dump", "ls", "copy"))],
    ids=str,
)
def test_help_and_versions_need_none_of_them(arguments):
    assert imported(*arguments) == set()


def test_versions_do_not_take_reading_the_metadata_of_packages():
    assert (
        imported("--version", among=("importlib.metadata", "email", "zipfile", "platform")) == set()
    )


def test_ls_of_a_directory(store):
    assert imported("ls", str(store)).isdisjoint({"numcodecs", "s3fs", "numpy", "fsspec"})


def test_dump_of_a_directorys_header(store):
    assert imported("dump", "-h", str(store)).isdisjoint({"rich", "s3fs", "fsspec"})


@pytest.mark.parametrize("kind", ["netCDF-4", "classic"])
def test_dump_of_the_header_of_a_netcdf_file(tmp_path, kind):
    import ncz

    path = tmp_path / "weather.nc"
    ncz.gen(ROOT / "cdl_examples" / "records.cdl", path, kind=kind)
    unused = ("h5py", "netCDF4", "concurrent.futures", "pickle", "tempfile", *HEAVY)
    assert imported("dump", "-h", str(path), among=unused) == set()


def test_a_raw_copy_of_small_chunks(store, tmp_path):
    unused = ("zipfile", "tempfile", "shutil", "concurrent.futures", *HEAVY)
    assert imported("copy", "-q", str(store), str(tmp_path / "t.zarr"), among=unused) == set()


def test_dump_of_a_directory(store):
    assert imported("dump", str(store)).isdisjoint({"rich", "s3fs", "fsspec"})


def test_a_header_on_a_web_server(store, web):
    files = [file for file in store.rglob("*") if file.is_file()]
    web.objects = {f"x.zarr/{f.relative_to(store)}": f.read_bytes() for f in files}
    unused = ("aiohttp", "asyncio", "fsspec", "obstore", "urllib.request", "http.cookiejar", *HEAVY)
    assert imported("dump", "-h", f"{web.endpoint}/x.zarr", among=unused) == set()


def test_pictures_without_labels_need_no_pillow(store, tmp_path):
    for form in (["--text"], ["--plain", "--png", str(tmp_path / "p.png")]):
        assert imported("view", str(store), *form, among=("PIL",)) == set()


def test_click_is_imported_without_modules_for_help(store):
    """inspect alone, with the compiler that it imports, takes longer than all modules of ncz."""
    unused = ("inspect", "ast", "dis", "tokenize", "difflib", "locale")
    assert imported("--version", among=unused) == set()
    assert imported("ls", "-q", str(store), among=unused) == set()
    assert imported("dump", "-h", str(store), among=unused) == set()


NOT_FOR_A_HEADER = (
    *("numpy", "cftime", "urllib.parse", "pickle", "unicodedata", "base64", "hashlib", "tempfile"),
    *("shutil", "subprocess", "concurrent.futures", "asyncio", "zipfile"),
    *(
        "ncz.views",
        "ncz.cdl.print_data",
        "ncz.cdl.rows",
        "ncz.text.times",
        "ncz.parallel.processes",
    ),
    *(
        "ncz.cdl.reader",
        "ncz.formats.zarr.documents.document_v3",
        "ncz.formats.zarr.documents.codecs_v3",
        "ncz.formats.zarr.writing.plan",
        "ncz.codec.sharding_indexed",
    ),
    *(
        "ncz.codec.chain",
        "ncz.codec.compressors",
        "ncz.codec.numbers",
        "ncz.zmap.local.content",
        "ncz.zmap.url",
        "ncz.zmap.remote.store",
        "ncz.zmap.local.zip",
        "ncz.commands.copy.command",
        "ncz.cli.copy",
    ),
)
"""Modules that no header of a directory needs: each costs a millisecond or more."""


def test_the_budget_of_a_header(store):
    assert imported("dump", "-h", str(store), among=NOT_FOR_A_HEADER) == set()


ALL = tuple(
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "src" / "ncz").rglob("*.py"))
)


@pytest.mark.parametrize(("arguments", "most"), [(["--help"], 7), (["--version"], 8)], ids=str)
def test_the_number_of_modules(arguments, most):
    """Finding and loading a module takes time, even if it is empty."""
    assert len(imported(*arguments, among=ALL)) <= most


def test_the_number_of_modules_for_a_header(store):
    most = 61  # 4 are packages within formats.zarr
    assert len(imported("dump", "-h", str(store), among=ALL)) <= most


def test_the_number_of_modules_for_a_list(store):
    assert len(imported("ls", str(store), among=ALL)) <= 34


def test_no_data_classes_are_made_for_a_list(store):
    """Data classes of the standard library cost more than all records."""
    assert imported("ls", str(store), among=("dataclasses", "copy")) == set()


def test_modules_of_dates_are_not_imported_without_dates(store):
    assert "cftime" not in imported("dump", str(store))
    assert "cftime" in imported("dump", "-t", str(store))
