"""Text from a store cannot control the terminal that shows it, in any command."""

from __future__ import annotations

import json
import os
import re
import sys

import pytest

from tests.forked import forked

pytestmark = pytest.mark.skipif(os.name != "posix", reason="this system has no pseudo-terminals")

EVIL = "a\x9b2Jb\u202ec\u2066d\x1b[31me\u2028f\x07g\x85h\u061ci\x7f"
BAD = set(EVIL) - set("abcdefghi2J[31m")
OWN = r"\x1b\[(?:[0-9;]*m|\?25[lh]|2K|1A)"
"""The colours of ncz, and the codes of a progress bar, which a slow machine shows."""


def run_there(number, arguments):
    """Run ncz with a pseudo-terminal as its standard output and error."""
    import ncz.cli
    from ncz.cli.terminal import run

    os.dup2(number, 1)
    os.dup2(number, 2)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    code = run(ncz.cli.ncz, "ncz", arguments)
    sys.stdout.flush()
    os._exit(code)


def shown(*arguments):
    """Return the text of a command on a terminal."""
    import multiprocessing.reduction as reduction
    import pty

    ours, theirs = pty.openpty()
    with forked(run_in_child, reduction.DupFd(theirs), [os.fspath(a) for a in arguments]) as child:
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            parts.append(part)
        child.join()
    os.close(ours)
    return b"".join(parts).decode("utf-8", "surrogateescape")


def run_in_child(handle, arguments):
    run_there(handle.detach(), arguments)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with such text in values, attributes, names and documents."""
    folder = tmp_path_factory.mktemp("quiet") / "evil.zarr"
    (folder / "v").mkdir(parents=True)
    (folder / ".zgroup").write_text('{"zarr_format": 2}')
    (folder / ".zattrs").write_text(json.dumps({"title": EVIL, EVIL.replace("/", ""): 1}))
    array = {
        "zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "|S40", "compressor": None,
        "filters": None, "order": "C", "fill_value": None,
    }  # fmt: skip
    (folder / "v/.zarray").write_text(json.dumps(array))
    (folder / "v/.zattrs").write_text(json.dumps({"units": EVIL, "_ARRAY_DIMENSIONS": ["x"]}))
    (folder / "v/0").write_bytes(EVIL.encode()[:40].ljust(40, b"\0") + b"\x9b\xff".ljust(40, b"\0"))
    (folder / f"name{EVIL}").mkdir()
    (folder / f"name{EVIL}" / ".zarray").write_text("{")
    other = folder.with_name("other.zarr")
    (other / "v").mkdir(parents=True)
    (other / ".zgroup").write_text('{"zarr_format": 2}')
    (other / ".zattrs").write_text(json.dumps({"title": EVIL + EVIL}))
    return folder


@pytest.mark.parametrize(
    "arguments",
    [
        ["dump", "{}"],
        ["dump", "-h", "{}"],
        ["dump", "--json", "{}"],
        ["dump", "--ncml", "{}"],
        ["dump", "--summary", "{}"],
        ["ls", "-r", "{}"],
        ["ls", "-l", "{}"],
        ["ls", "--tree", "{}"],
        ["ls", "--json", "-r", "{}"],
        ["ls", "{}", "--cat", "/.zattrs"],
        ["ls", "{}", "--cat", "/v/0"],
        ["copy", "--dry-run", "{}", "{}.zip"],
        ["copy", "{}", "-"],
        ["copy", "{}", "{}/../b.zarr", "--mode", "nczarr"],
        ["clean", "{}"],
        ["check", "{}"],
        ["check", "--json", "{}"],
        ["check", "--fix", "--dry-run", "{}"],
        ["diff", "{}", "{}/../other.zarr"],
        ["diff", "--json", "{}", "{}/../other.zarr"],
        ["info", "{}"],
        ["info", "--stats", "{}"],
        ["info", "--json", "{}"],
        ["edit", "{}", "--set", ':title = "new"', "--dry-run"],
        ["edit", "{}/" + EVIL, "--set", ":a = 1"],
        ["consolidate", "{}/" + EVIL],
        ["copy", "{}", "{}/../refs.json"],
        ["copy", "{}", "{}/../c.nc", "--allow-loss"],
        ["gen", "{}/" + EVIL],
        ["dump", "{}/" + EVIL],
    ],
    ids=lambda each: " ".join(each[:2]),
)
def test_a_terminal_shows_nothing_that_controls_it(store, arguments):
    text = shown(*(part.format(store) for part in arguments))
    assert "\x1b[31me" not in text
    assert not BAD & set(re.sub(OWN, "", text))
    assert "internal error" not in text


def test_the_same_text_is_shown_escaped(store):
    text = shown("dump", "-h", store)
    assert "\\u202e" in text
    assert "\\u2066" in text


def test_output_to_a_file_is_not_changed(run, store):
    """Only a terminal needs escapes; a file gets the bytes of the store."""
    assert json.loads(run("dump", "--json", "-h", store).stdout)
    assert "\u202e" in run("dump", "-h", store).text
