"""Programs of Unix after ncz: the equivalent lines of ncz, and their results."""

from __future__ import annotations

import shlex
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ncz
from ncz.cli.programs.operators import line_of
from ncz.cli.programs.unix import PROGRAMS, pipe_line
from ncz.errors import ignore_notice
from tests.conftest import Run

FILE = """netcdf a {
dimensions: time = UNLIMITED ; lat = 8 ; length = 9 ;
variables: int time(time) ; int lat(lat) ; char name(lat, length) ; int v(time, lat) ;
data: time = 1, 2, 3 ; lat = 1, 2, 3, 4, 5, 6, 7, 8 ;
  name = "one", "two", "three", "four", "five", "six", "seven", "eight" ;
  v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24 ;
}
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.cdl").write_text(FILE)
    for name in ("a.nc", "b.nc"):
        ncz.gen("a.cdl", name, kind="netCDF-4", notify=ignore_notice)
    for name in ("s.zarr", "t.zarr"):
        ncz.gen("a.cdl", name, notify=ignore_notice)
    for folder in ("days", "years"):
        (tmp_path / folder).mkdir()
    for name in ("1.nc", "2.nc"):
        shutil.copyfile("a.nc", f"years/{name}")
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("head a.nc", "dump -t --isel lat=0:5 a.nc"),
        ("head -n 2 a.nc", "dump -t --isel time=0:2 a.nc"),
        ("head -2 a.nc v", "dump -t --vars v -v v --isel time=0:2 a.nc"),
        ("head -n 2 -v v,lat a.nc", "dump -t --vars v,lat -v v,lat --isel time=0:2 a.nc"),
        ("head -n 2 a.nc lat", "dump -t --vars lat -v lat --isel lat=0:2 a.nc"),
        ("head -n2 a.nc time", "dump -t --vars time -v time --isel time=0:2 a.nc"),
        ("head --lines=99 a.nc", "dump -t a.nc"),
        ("tail -n 2 a.nc", "dump -t --isel time=-2: a.nc"),
        ("split -l 2 a.nc part_", "copy --split time=2 a.nc part_{}.nc"),
        ("split --lines=2 a.nc days", "copy --split time=2 a.nc days"),
        ("split a.nc part_", None),
        ("head -n x a.nc", None),
        ("head none.nc", None),
        ("head -c 5 a.nc", None),
        ("cp -r s.zarr n.zarr", "copy s.zarr n.zarr"),
        ("cp -rpv s.zarr n.zarr", "copy --preserve-time s.zarr n.zarr"),
        ("cp -rp s.zarr s3://b/n.zarr", "copy s.zarr s3://b/n.zarr"),
        ("cp -v a.nc n.nc", "copy a.nc n.nc"),
        ("cp -v time a.nc n.nc", "copy -v time a.nc n.nc"),
        ("cp -d 5 -c time/1 a.nc n.nc", "copy -d 5 -c time/1 a.nc n.nc"),
        ("cp -rf s.zarr t.zarr", "copy --overwrite s.zarr t.zarr"),
        ("cp -n a.nc b.nc", "copy a.nc b.nc"),
        ("cp -u a.nc n.nc", "copy a.nc n.nc"),
        ("cp a.nc days", "copy a.nc days/a.nc"),
        ("cp a.nc b.nc days", "copy --each a.nc b.nc days/{}.nc"),
        ("cp a.nc b.nc new/", "copy --each a.nc b.nc new/{}.nc"),
        ("cp -t days a.nc", "copy a.nc days/a.nc"),
        ("cp s.zarr t.zarr", "copy s.zarr t.zarr"),
        ("du -sh s.zarr", "ls --sum --human s.zarr"),
        ("du -h -d 1 s.zarr", "ls --totals --human s.zarr"),
        ("du --max-depth=1", "ls --totals ."),
        ("du -z s.zarr", None),
        ("tree -L 2 s.zarr", "dump --tree s.zarr"),
        ("tree -L 1 -a s.zarr", "ls s.zarr"),
        ("tree", "ls --tree ."),
        ("zip -r new.zip s.zarr", "copy s.zarr new.zip"),
        ("cp a.nc b.nc s3://b/new/", "copy --each a.nc b.nc s3://b/new/{}.nc"),
        ("cp years s3://b/new --recursive", "copy --each years/1.nc years/2.nc s3://b/new/{}.nc"),
        (
            "cp years s3://b/new --recursive --exclude * --include [2-9].nc",
            "copy --each years/2.nc s3://b/new/{}.nc",
        ),
        ("cp -r years days --exclude=1.nc", "copy --each years/2.nc days/{}.nc"),
        ("cp -r years days --include * --exclude *", None),
        ("cp a.nc days --exclude *", None),
        ("sync years new --include 1*", "copy --verify --each years/1.nc new/{}.nc"),
        (
            "rsync -a --include=1.nc --exclude=* years/ new",
            "copy --verify --each years/1.nc new/{}.nc",
        ),
        (
            "rsync -a --filter '- 1*' years/ new",
            "copy --verify --each years/2.nc new/{}.nc",
        ),
        ("rsync -a --exclude=x s.zarr n.zarr", None),
        ("cp -r years new", "copy --each years/1.nc years/2.nc new/{}.nc"),
        ("cp -r years days", "copy --each years/1.nc years/2.nc days/years/{}.nc"),
        ("cp -r days new", None),
        ("scp s.zarr host:n.zarr", None),
        ("tree a.nc", "dump --tree a.nc"),
        ("tree -a s.zarr", "ls --tree s.zarr"),
        ("rsync -avz --progress s.zarr n.zarr", "copy --verify s.zarr n.zarr"),
        ("rsync -a s.zarr days", "copy --verify --each s.zarr days/{}.zarr"),
        ("rsync -a s.zarr/ days", "copy --verify s.zarr/ days"),
        ("rsync -a years/ new", "copy --verify --each years/1.nc years/2.nc new/{}.nc"),
        ("rsync -a years new", "copy --verify --each years/1.nc years/2.nc new/years/{}.nc"),
        ("sync years s3://b/new", "copy --verify --each years/1.nc years/2.nc s3://b/new/{}.nc"),
        ("rsync -n -av s.zarr n.zarr", "copy --dry-run s.zarr n.zarr"),
        ("rsync -a --delete s.zarr n.zarr", None),
        ("rsync -a s.zarr host:n.zarr", None),
        ("rename s.zarr n.zarr", "mv s.zarr n.zarr"),
        ("concat a.nc b.nc n.nc", "copy --concat time a.nc b.nc n.nc"),
        ("concat lat a.nc b.nc n.nc", "copy --concat lat a.nc b.nc n.nc"),
        ("concat -d lat a.nc b.nc n.nc", "copy --concat lat a.nc b.nc n.nc"),
        ("join a.nc b.nc n.nc lat", "copy --concat lat a.nc b.nc n.nc"),
    ],
)
def test_a_line_of_unix_becomes_one_of_ncz(here, typed: str, line: str | None):
    word, *rest = shlex.split(typed)
    found = line_of(word, rest)
    assert found == (None if line is None else shlex.split(line))


def test_the_newer_of_two_files_is_not_chosen(here, run: Run):
    before = (here / "b.nc").read_bytes()
    done = run("cp", "-u", "a.nc", "b.nc")
    assert done.code != 0
    assert (here / "b.nc").read_bytes() == before


def test_head_prints_the_first_values_and_whole_texts(here, run: Run):
    text = run("head", "a.nc").text
    assert "time = 1, 2, 3 ;" in text
    assert '"one", "two"' in text.replace("\n", "").replace("  ", " ")
    assert "v =\n  1, 2, 3, 4, 5,\n  9, 10, 11, 12, 13,\n" in text


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("grep -i units a.nc", "type: ncz dump -h a.nc | grep -i units"),
        ("wc -l a.nc", "type: ncz dump a.nc | wc -l"),
        (
            "grep -l v a.nc b.nc",
            'type: for f in a.nc b.nc; do ncz dump -h "$f" | grep v -q && echo $f; done',
        ),
        (
            "grep -ril two years",
            "find years -name '*.zarr' -prune -o -name '*.nc' | while read f; do"
            ' ncz dump -h "$f" | grep -i -q two && echo "$f"; done',
        ),
        ("grep v a.nc b.nc", 'type: for f in a.nc b.nc; do ncz dump -h "$f" | grep v; done'),
        ("sed s/time/t/ a.nc", "type: ncz edit a.nc --rename time=t"),
        ('sed -i s/title="x"/title="y"/ a.nc', "type: ncz edit a.nc VAR:title=y"),
        ("sed -n 1,5p a.nc", "type: ncz dump -h a.nc | sed -n 1,5p"),
        ("rsync -a s.zarr host:x", "not over ssh; use rsync -a s.zarr host:x"),
        ("scp s.zarr host:x", "not over ssh; use scp s.zarr host:x"),
        (
            "rsync -a --delete s.zarr n.zarr",
            "ncz copy removes nothing; type: ncz copy --verify s.zarr n.zarr",
        ),
        (
            "ls s.zarr a.cdl days",
            "days is no dataset, nor a key of one; type: ncz ls s.zarr",
        ),
        ("du -h a.cdl a.nc s.zarr", "nor a key of one; type: ncz ls --totals --human a.nc s.zarr"),
        ("vi a.nc", "type: ncz edit a.nc VAR:ATT=VALUE; to edit all as text, ncz dump a.nc >"),
        ("ls -ltr s.zarr", "type: ncz ls -l s.zarr; ncz ls lists keys in their order"),
        ("rm -i s.zarr", "ncz rm asks on a terminal"),
        ("rm -rf days", "--recursive needs --yes"),
        ("true s.zarr", "'true' is another program; type true s.zarr without ncz"),
    ],
)
def test_a_program_that_ncz_lacks_names_a_line(here, run: Run, line: str, answer: str):
    done = run(*line.split())
    assert done.code == 2
    assert answer in done.stderr


@pytest.mark.parametrize(
    "line", ["rm -r s.zarr", "rm -rf s.zarr", "rm -f -v s.zarr", "rm -fr a.nc"]
)
def test_a_store_is_removed_with_the_options_of_unix(here, run: Run, line: str):
    done = run(*line.split())
    assert (done.code, done.stderr) == (0, "")
    assert not (here / line.split()[-1]).exists()
    assert (here / "t.zarr").exists()


@pytest.mark.parametrize("line", ["ls", "ls -1", "ls -a"])
def test_without_a_path_the_folder_is_listed(here, run: Run, line: str):
    assert "/s.zarr" in run(*line.split()).text


@pytest.mark.parametrize("options", ["-la", "-lah", "-alh", "-l -a"])
def test_letters_of_ls_may_stand_together(here, run: Run, options: str):
    done = run("ls", *options.split(), "s.zarr")
    human = ["--human"] if "h" in options else []
    assert (done.code, done.text) == (0, run("ls", "-l", *human, "s.zarr").text)


def test_several_stores_are_listed_one_after_the_other(here, run: Run):
    text = run("ls", "s.zarr", "t.zarr").text
    assert text == f"s.zarr:\n{run('ls', 's.zarr').text}t.zarr:\n{run('ls', 't.zarr').text}"
    assert run("ls", "s.zarr", "lat").text == "/lat/.zarray\n/lat/.zattrs\n/lat/0\n"


@pytest.mark.parametrize("line", ["diff -qr s.zarr t.zarr", "diff -ru s.zarr t.zarr"])
def test_options_of_diff_that_say_how_text_looks(here, run: Run, line: str):
    assert run(*line.split()).code == 0


@pytest.mark.parametrize(
    "words",
    [
        ("copy", "\u2014overwrite", "a.nc", "b.nc"),
        ("copy", "\u2013overwrite", "a.nc", "b.nc"),
        ("copy", "-overwrite", "\u201ca.nc\u201d", "b.nc"),
    ],
)
def test_characters_of_word_processors_are_understood(here, run: Run, words: tuple[str, ...]):
    assert run(*words).code == 0


@given(st.sampled_from([*PROGRAMS]), st.lists(st.sampled_from(
    ["-n", "3", "-r", "-h", "-L", "-t", "x.nc", "y.zip", "-", "--", "-d", "é"]
), max_size=5))  # fmt: skip
def test_any_words_after_a_program_are_a_line_or_none(word: str, typed: list[str]):
    found = PROGRAMS[word]("", typed)
    assert found is None or all(isinstance(each, str) for each in found)
    assert pipe_line(word, typed) is None


def test_files_that_filters_leave_keep_their_format_on_a_server(here, run: Run, s3, monkeypatch):
    server, _, path = s3.removeprefix("http://").partition("/")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{server}")
    done = run("cp", "years", f"s3://{path}", "--recursive", "--exclude", "*", "--include", "1.*")
    assert (done.code, done.stderr) == (0, "")
    assert run("dump", "-k", f"s3://{path}/1.nc").text == "netCDF-4\n"
    assert run("dump", "-k", f"s3://{path}/2.nc").code == 1
