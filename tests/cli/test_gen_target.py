"""Targets of ``ncz gen``: kept stores, refused ones, and their forms."""

from __future__ import annotations

import zipfile

import pytest

from tests.cli.test_gen import SMALL, WEATHER, contents
from tests.conftest import Run


def test_an_existing_target_needs_overwrite(run: Run, tmp_path):
    target = tmp_path / "x.zarr"
    assert run("gen", "-", "-o", target, stdin=SMALL).code == 0
    before = contents(target)
    refused = run("gen", WEATHER, "-o", target)
    assert refused.code == 1
    assert "overwrite" in refused.stderr
    assert contents(target) == before
    assert run("gen", WEATHER, "-o", target, "--overwrite").code == 0
    assert "temperature/.zarray" in contents(target)
    assert "x/.zarray" not in contents(target)
    assert [p.name for p in tmp_path.iterdir()] == ["x.zarr"]


def test_the_environment_replaces_a_store_and_nothing_else(run: Run, tmp_path, monkeypatch):
    target, text = tmp_path / "x.zarr", tmp_path / "x"
    run("gen", "-", "-o", target, stdin=SMALL)
    text.write_text("precious")
    monkeypatch.setenv("NCZ_OVERWRITE", "1")
    assert run("gen", WEATHER, "-o", target).code == 0
    assert "temperature/.zarray" in contents(target)
    refused = run("gen", WEATHER, "-o", text)
    assert refused.code == 1
    assert "will not be overwritten" in refused.stderr
    assert text.read_text() == "precious"
    monkeypatch.setenv("NCZ_OVERWRITE", "0")
    assert run("gen", WEATHER, "-o", target).code == 1
    monkeypatch.setenv("NCZ_OVERWRITE", "perhaps")
    assert run("gen", WEATHER, "-o", target).code == 2


LOSSY = b"""netcdf x { dimensions: t = UNLIMITED ; unused = 3 ;
variables: char c(t) ; short v(t) ; v:scale_factor = 0.5f ; data: c = "ab" ; v = 1, 2 ; }"""
ALIKE = [
    (), ("--mode", "zarr"), ("--mode", "zarr,v3"), ("--mode", "zarr", "--no-annotations"),
    ("--mode", "zarr,v3", "--no-consolidated"), ("--mode", "zarr,noxarray", "--no-annotations"),
    ("--for", "xarray"), ("--for", "xarray", "--no-annotations"), ("--for", "netcdf-c"),
    ("--mode", "zarr", "--no-consolidated", "--allow-loss"), ("--kind", "classic"),
]  # fmt: skip


@pytest.mark.parametrize("options", ALIKE, ids=" ".join)
def test_gen_has_the_same_losses_as_copy_and_writes_the_same(run: Run, tmp_path, options):
    """Exit 0 means that nothing was lost, or that the user allowed it."""
    for folder in ("gen", "copy"):
        (tmp_path / folder).mkdir()
    name = "x.nc" if "--kind" in options else "x.zarr"
    made = run("gen", "-", "-o", tmp_path / "gen" / name, *options, stdin=LOSSY)
    copied = run("copy", "-", tmp_path / "copy" / name, *options, stdin=LOSSY)
    assert (made.code, made.stderr) == (copied.code, copied.stderr)
    is_lossy = "--no-annotations" in options or "--no-consolidated" in options
    assert made.code == (1 if is_lossy and "--allow-loss" not in options else 0), made.stderr
    assert contents(tmp_path / "gen") == contents(tmp_path / "copy")
    assert ("use --allow-loss" in made.stderr) == (made.code == 1)


def test_a_loss_that_is_allowed_is_named(run: Run, tmp_path):
    lossy = ("--mode", "zarr", "--no-annotations")
    refused = run("gen", "-", "-o", tmp_path / "x.zarr", *lossy, stdin=LOSSY)
    assert (refused.code, list(tmp_path.iterdir())) == (1, [])
    for part in ("/t", "/unused", "/c", "v:scale_factor"):
        assert part in refused.stderr
    told = run("gen", "-", "-o", tmp_path / "x.zarr", *lossy, "--allow-loss", stdin=LOSSY)
    assert told.code == 0
    assert told.stderr.count("ncz: notice:") == 4


def test_strings_become_chars_in_a_classic_file_if_that_is_allowed(run: Run, tmp_path):
    text = b'netcdf x { variables: string s ; data: s = "abc" ; }'
    assert run("gen", "-", "-o", tmp_path / "x.nc", "-k", "classic", stdin=text).code == 1
    allowed = run("gen", "-", "-o", tmp_path / "x.nc", "-k", "classic", "--allow-loss", stdin=text)
    assert (allowed.code, "/s" in allowed.stderr) == (0, True)
    assert 's = "abc"' in run("dump", tmp_path / "x.nc").text


def test_an_error_in_the_text_leaves_the_old_store(run: Run, tmp_path):
    target = tmp_path / "x.zarr"
    run("gen", "-", "-o", target, stdin=SMALL)
    before = contents(target)
    bad = SMALL.replace(b"1, 2", b"1, 2, 3")
    done = run("gen", "-", "-o", target, "--overwrite", stdin=bad)
    assert done.code == 1
    assert done.stderr.startswith("ncz: stdin:1:")
    assert contents(target) == before
    assert [p.name for p in tmp_path.iterdir()] == ["x.zarr"]


def test_a_store_can_be_its_own_source(run: Run, tmp_path):
    target = tmp_path / "weather.zarr"
    run("gen", WEATHER, "-o", target)
    before = contents(target)
    text = run("dump", "-s", target).stdout
    assert run("gen", "-", "-o", target, "--overwrite", stdin=text).code == 0
    assert contents(target) == before


def test_the_text_is_not_overwritten_by_its_own_store(run: Run, tmp_path):
    source = tmp_path / "x.cdl"
    source.write_bytes(SMALL)
    done = run("gen", source, "-o", source, "--overwrite")
    assert done.code == 1
    assert source.read_bytes() == SMALL


def test_an_unwritable_target(run: Run, tmp_path):
    done = run("gen", "-", "-o", "/proc/no/x.zarr", stdin=SMALL)
    assert done.code == 1
    assert "/proc/no" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_target_below_a_file(run: Run, tmp_path):
    (tmp_path / "file").touch()
    done = run("gen", "-", "-o", tmp_path / "file" / "x.zarr", stdin=SMALL)
    assert done.code == 1
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("target", "word"),
    [("x.zarr#mode=zrr", "zrr"), ("file:///tmp/x#mode=zip,file", "contradicts"), ("", "empty")],
)
def test_a_target_that_cannot_be_understood(target, word, run: Run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("gen", "-", "-o", target, stdin=SMALL)
    assert done.code == 1
    assert word in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_bad_mode_lists_the_modes_there_are(run: Run, tmp_path):
    done = run("gen", "-", "-o", tmp_path / "x", "--mode", "zrr", stdin=SMALL)
    assert done.code == 2
    assert "unknown mode 'zrr'" in done.stderr
    assert "noxarray" in done.stderr


def test_mode_in_an_option_is_mode_in_the_url(run: Run, tmp_path):
    run("gen", "-", "-o", f"file://{tmp_path}/a#mode=zarr", stdin=SMALL)
    run("gen", "-", "-o", tmp_path / "b", "--mode", "zarr", stdin=SMALL)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    run("gen", "-", "-o", f"{tmp_path}/c#mode=zarr", "--consolidated", stdin=SMALL)
    assert set(contents(tmp_path / "c")) == {*contents(tmp_path / "a"), ".zmetadata"}


def test_a_zip_by_mode(run: Run, tmp_path):
    run("gen", "-", "-o", f"file://{tmp_path}/x#mode=nczarr,zip", stdin=SMALL)
    assert zipfile.is_zipfile(tmp_path / "x")


def test_noxarray_leaves_the_dimension_names_out(run: Run, tmp_path):
    run("gen", "-", "-o", tmp_path / "a", stdin=SMALL)
    run("gen", "-", "-o", tmp_path / "b", "--mode", "noxarray", stdin=SMALL)
    assert b"_ARRAY_DIMENSIONS" in contents(tmp_path / "a")["x/.zattrs"]
    assert b"_ARRAY_DIMENSIONS" not in contents(tmp_path / "b")["x/.zattrs"]
    assert b"_nczarr_array" in contents(tmp_path / "b")["x/.zattrs"]


def test_the_separator_of_chunk_keys(run: Run, tmp_path):
    text = b"netcdf s { dimensions: x = 2 ; variables: int v(x, x) ; data: v = 1, 2, 3, 4 ; }"
    run("gen", "-", "-o", tmp_path / "a", "--separator", "/", stdin=text)
    assert "v/0/0" in contents(tmp_path / "a")
    assert run("dump", tmp_path / "a").text.endswith("  1, 2,\n  3, 4 ;\n}\n")


def test_char_for_other_readers(run: Run, tmp_path):
    text = b'netcdf c { dimensions: x = 2 ; variables: char c(x) ; data: c = "ab" ; }'
    told = run("gen", "-", "-o", tmp_path / "a", stdin=text)
    assert "ncz: notice: " in told.stderr
    assert "--for xarray" in told.stderr
    silent = run("gen", "-", "-o", tmp_path / "b", "--char", "|S1", stdin=text)
    assert silent.stderr == ""
    assert b'"|S1"' in contents(tmp_path / "b")["c/.zarray"]
    assert (
        run("dump", "-n", "c", tmp_path / "b").text == run("dump", "-n", "c", tmp_path / "a").text
    )


@pytest.mark.parametrize(
    "kind", [["-4"], ["-k", "nc4"], ["-knc4"], ["-k", "netCDF-4"], ["-lb"], ["-b"]]
)
def test_ncgens_words_for_netcdf4_are_accepted(kind, run: Run, tmp_path):
    assert run("gen", *kind, "-", "-o", tmp_path / "x.zarr", stdin=SMALL).code == 0


@pytest.mark.parametrize(
    "kind", [["-3"], ["-5"], ["-6"], ["-7"], ["-k", "classic"], ["-k", "cdf5"], ["-lc"]]
)
def test_kinds_that_zarr_is_not_are_refused(kind, run: Run, tmp_path):
    done = run("gen", *kind, "-", "-o", tmp_path / "x.zarr", stdin=SMALL)
    assert done.code == 2
    assert "; omit -" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_a_target_the_text_is_only_checked(run: Run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("gen", WEATHER)
    assert (done.code, done.stdout) == (0, b"")
    assert "nothing was written; use -o TARGET" in done.stderr
    assert run("gen", WEATHER, "--check").stderr == ""
    assert run("gen", "-", stdin=SMALL.replace(b"1, 2", b"1, 2, 3")).code == 1
    assert list(tmp_path.iterdir()) == []


def test_what_to_do_must_be_said(run: Run):
    assert run("gen", WEATHER, "--check", "-o", "x").code == 2
    assert run("gen", WEATHER, WEATHER, "--check").code == 2
