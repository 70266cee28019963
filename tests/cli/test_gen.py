"""``ncz gen`` from end to end: files, pipes, and signals.

``make test`` takes a third of the examples.
"""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import EXAMPLES, ROOT, Run, with_signals_heeded
from tests.sampled import sampled

WEATHER = ROOT / "cdl_examples" / "weather.cdl"

SMALL = b"netcdf small { dimensions: x = 2 ; variables: int x(x) ; data: x = 1, 2 ; }"


def contents(store: Path) -> dict[str, bytes]:
    """Return the objects of a directory store."""
    return {
        path.relative_to(store).as_posix(): path.read_bytes()
        for path in sorted(store.rglob("*"))
        if path.is_file()
    }


def ncz(*arguments: object, **options: object) -> subprocess.CompletedProcess[bytes]:
    """Run ncz as a process, to test pipes and signals."""
    command = [sys.executable, "-m", "ncz", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, **options)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize("path", sampled(EXAMPLES, 3), ids=lambda p: p.stem)
@pytest.mark.parametrize("kind", ["zarr", "zip"])
def test_a_dump_of_the_result_makes_the_same_again(path, kind, run: Run, tmp_path):
    first, second = tmp_path / f"{path.stem}.{kind}", tmp_path / f"again/{path.stem}.{kind}"
    second.parent.mkdir()
    made = run("gen", path, "-o", first)
    assert made.code == 0, made.stderr
    # Quantizing a value again gives the same only if all of its digits are there.
    digits = ["-p", "9,17"] if path.stem == "quantize" else []
    text = run("dump", *digits, first)
    assert text.code == 0, text.stderr
    again = run("gen", "-", "-o", second, stdin=text.stdout)
    assert again.code == 0, again.stderr
    assert run("dump", *digits, second).text == text.text


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_every_example_passes_the_check(path, run: Run):
    done = run("gen", "--check", path)
    assert (done.code, done.stderr) == (0, "")


def test_same_input_same_bytes_in_a_directory(run: Run, tmp_path):
    for name in ("a.zarr", "b.zarr"):
        assert run("gen", WEATHER, "-o", tmp_path / name).code == 0
    assert contents(tmp_path / "a.zarr") == contents(tmp_path / "b.zarr")


def test_same_input_same_bytes_in_a_zip(run: Run, tmp_path):
    hashes = set()
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        target = tmp_path / folder / "weather.zip"
        assert run("gen", WEATHER, "-o", target).code == 0
        hashes.add(hashlib.sha256(target.read_bytes()).hexdigest())
    assert len(hashes) == 1


def test_a_zip_and_a_directory_contain_the_same_objects(run: Run, tmp_path):
    run("gen", WEATHER, "-o", tmp_path / "weather.zarr")
    run("gen", WEATHER, "-o", tmp_path / "weather.zip")
    with zipfile.ZipFile(tmp_path / "weather.zip") as archive:
        names = [i.filename for i in archive.infolist() if not i.is_dir()]
        held = {name: archive.read(name) for name in names}
    objects = {name.removeprefix("nczarr/"): value for name, value in held.items()}
    assert objects == contents(tmp_path / "weather.zarr")


def test_text_from_a_pipe(run: Run, tmp_path):
    run("gen", WEATHER, "-o", tmp_path / "a.zarr")
    done = run("gen", "-", "-o", tmp_path / "b.zarr", stdin=WEATHER.read_bytes())
    assert done.code == 0, done.stderr
    assert contents(tmp_path / "a.zarr") == contents(tmp_path / "b.zarr")


def test_a_real_pipe_and_a_half_read_file(tmp_path):
    script = (
        f"cat '{WEATHER}' | '{sys.executable}' -m ncz gen - -o '{tmp_path}/a.zarr' && "
        f"{{ read line; '{sys.executable}' -m ncz gen - -o '{tmp_path}/b.zarr'; }} <'{WEATHER}' && "
        f"'{sys.executable}' -m ncz dump '{tmp_path}/a.zarr' | "
        f"'{sys.executable}' -m ncz gen - -o '{tmp_path}/c.zarr'"
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "a.zarr") == contents(tmp_path / "b.zarr")
    assert (tmp_path / "c.zarr" / ".zgroup").exists()


def test_a_fifo_is_read_once(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    script = (
        f"cat '{WEATHER}' >'{fifo}' & '{sys.executable}' -m ncz gen '{fifo}' -o '{tmp_path}/a.zarr'"
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text", [b"", b" \n", b"// only a comment\n"])
def test_nothing_to_read(text, run: Run, tmp_path):
    done = run("gen", "-", "-o", tmp_path / "x.zarr", stdin=text)
    assert done.code == 1
    assert done.stderr.startswith("ncz: ")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file(run: Run, tmp_path):
    (tmp_path / "empty.cdl").touch()
    done = run("gen", tmp_path / "empty.cdl", "-o", tmp_path / "x.zarr")
    assert done.code == 1
    assert f"{tmp_path}/empty.cdl:1:1: " in done.stderr


def test_a_missing_file(run: Run, tmp_path):
    done = run("gen", tmp_path / "no.cdl", "-o", tmp_path / "x.zarr")
    assert done.code == 1
    assert done.stderr == (
        f"ncz: {tmp_path}/no.cdl: cannot read: No such file or directory; check the path\n"
    )


def test_a_directory_is_no_text(run: Run, tmp_path):
    done = run("gen", tmp_path, "-o", tmp_path / "x.zarr")
    assert done.code == 1
    assert done.stderr == f"ncz: {tmp_path}: cannot read: Is a directory; give a CDL file\n"


def test_quiet_has_no_notices(run: Run, tmp_path):
    text = b'netcdf c { dimensions: x = 2 ; variables: char c(x) ; data: c = "ab" ; }'
    assert run("gen", "-q", "-", "-o", tmp_path / "a", stdin=text).stderr == ""


def test_header_only(run: Run, tmp_path):
    assert run("gen", "-H", WEATHER, "-o", tmp_path / "x.zarr").code == 0
    assert not [key for key in contents(tmp_path / "x.zarr") if key[-1].isdigit()]
    assert "time = UNLIMITED ; // (0 currently)" in run("dump", "-h", tmp_path / "x.zarr").text


def test_no_fill(run: Run, tmp_path):
    run("gen", "-x", "-", "-o", tmp_path / "x.zarr", stdin=SMALL)
    assert b'"fill_value": null' in contents(tmp_path / "x.zarr")["x/.zarray"]


def test_check_reads_the_data_too(run: Run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("gen", "--check", "-", stdin=SMALL.replace(b"1, 2", b"1, 2x"))
    assert done.code == 1
    assert done.stderr.startswith("ncz: stdin:1:")
    assert list(tmp_path.iterdir()) == []


def test_a_reader_who_goes_away_is_no_error(run: Run, tmp_path):
    target = tmp_path / "section.zarr"
    run("gen", ROOT / "cdl_examples" / "ocean_section.cdl", "-o", target)
    script = f"'{sys.executable}' -m ncz dump '{target}' | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines()[0] == "netcdf section {"
    assert done.stdout.splitlines()[-1] in ("141", "0")  # 0: all of it fitted into the pipe


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_behind_standard_output(run: Run, tmp_path):
    target = tmp_path / "x.zarr"
    run("gen", "-", "-o", target, stdin=SMALL)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ncz", "dump", str(target)],
            stdout=full, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith(b"ncz: standard output: cannot write: ")
    assert done.stderr.count(b"\n") == 1


def test_python_m_ncz():
    done = ncz("--version")
    assert done.returncode == 0
    assert done.stdout.startswith(b"ncz ")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_run_in_one_line_and_leaves_nothing(number, code, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    command = [sys.executable, "-m", "ncz", "gen", str(fifo), "-o", str(tmp_path / "x.zarr")]
    # The other end of the pipe opens when ncz reads.
    with with_signals_heeded(command, stderr=subprocess.PIPE) as process, fifo.open("wb"):
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert process.returncode == code
    assert said.count(b"\n") == 1
    assert [p.name for p in tmp_path.iterdir()] == ["fifo"]


@pytest.mark.skipif(os.name != "posix", reason="this system has no pseudo-terminals")
def test_on_a_terminal_an_error_has_its_line_and_a_caret(tmp_path):
    import pty

    source = tmp_path / "x.cdl"
    source.write_text("netcdf x {\nvariables:\n\tint v(nowhere) ;\n}\n")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "ncz", "gen", "--check", str(source)]
    done = subprocess.run(
        command, stderr=theirs, env=os.environ | {"NO_COLOR": "1", "COLUMNS": "80"}, check=False
    )
    os.close(theirs)
    lines = os.read(ours, 4096).decode().splitlines()
    os.close(ours)
    assert done.returncode == 1
    assert lines[0].startswith(f"ncz: {source}:3:8: ")
    assert lines[1] == "          int v(nowhere) ;"
    assert lines[2].index("^") == lines[1].index("nowhere")


@pytest.mark.parametrize("options", [["-b"], ["-lb"], ["-4"], ["-k", "nc3"], ["-n"]])
def test_a_file_is_named_after_the_text_as_by_ncgen(run: Run, tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    text = "netcdf other { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }"
    (tmp_path / "texts/small.cdl").write_text(text)
    done = run("gen", *options, "texts/small.cdl")
    assert (done.code, done.stderr) == (0, "")
    assert "v = 1, 2" in run("dump", "small.nc").text
    again = run("gen", *options, "texts/small.cdl")
    assert (again.code, "already exists; use --overwrite" in again.stderr) == (1, True)
    nameless = run("gen", *options, "-", stdin=text.encode())
    assert (nameless.code, "use -o TARGET, as the text has no name" in nameless.stderr) == (2, True)
