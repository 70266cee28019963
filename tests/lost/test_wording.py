"""Messages of copies about losses of a target: each loss has a name and a place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run

CDL = b"""netcdf a {
types: byte enum kind { a = 1 } ;
dimensions: x = 2 ; u = UNLIMITED ; unused = 3 ;
variables:
  int v(x) ; v:small = 1b ; v:text = "kept" ;
  char c(x) ;
  double t(u) ;
  kind k ;
  uint64 big ;
  :mine = 3b ;
data: v = 1, 2 ; c = "ab" ; t = 1 ; k = a ; big = 1 ;
group: g { variables: int v(x) ; v:short = 4s ; :own = 5s ; data: v = 3, 4 ; }
}
"""
ANY = (
    "unlimited dimensions become fixed in pure Zarr: /u;",
    "char variables are |S1 in pure Zarr, and read as strings of one byte: /c;",
    "user-defined types, and readers see the stored types: /kind;",
    "the type of attributes, which readers will infer: :mine, v:small, /g/:own, /g/v:short;",
)
XARRAY = (
    *ANY,
    "pure Zarr has no place for dimensions that no variable uses: /unused;",
    "pure Zarr repeats dimensions of an outer group in each group that uses them: /x;",
)
CLASSIC = ("the user-defined type /kind;", "group /g;", "variable /k of the user-defined type")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["t.zarr", "--mode", "zarr", "--no-annotations"], XARRAY),
        (["t.zarr", "--mode", "zarr,v3", "--no-consolidated"], XARRAY),
        (
            ["t.zarr", "--mode", "zarr,noxarray", "--no-annotations"],
            (*ANY, "names of dimensions are not written (noxarray): /x, /u, /unused;"),
        ),
        (["t.nc", "--kind", "classic"], (*CLASSIC, "variable /big of the type uint64;")),
        (["t.nc", "--kind", "cdf5"], CLASSIC),
    ],
)
def test_a_copy_names_everything_that_is_lost(run: Run, folder: Path, words, told):
    assert run("gen", "-q", "-", "-o", "a.zarr", stdin=CDL).code == 0
    ran = run("copy", "a.zarr", *words)
    assert (ran.code, ran.stderr.count("\n")) == (1, 1)
    assert [text for text in told if text not in ran.stderr] == []
    assert "v:text" not in ran.stderr
    assert ran.stderr.endswith("(nothing was written)\n")
    assert not Path(words[0]).exists()
    ran = run("copy", "a.zarr", *words, "--allow-loss")
    if words[0] == "t.zarr":
        assert ran.code == 0
        assert [text for text in told if text.removesuffix(";") not in ran.stderr] == []
    else:  # --allow-loss does not write groups and types in another form
        assert (ran.code, Path(words[0]).exists()) == (1, False)


def test_more_than_a_few_names_are_counted(run: Run, folder: Path):
    names = [f"n{number}" for number in range(8)]
    text = f"netcdf b {{ dimensions: {' '.join(f'{name} = 2 ;' for name in names)} }}"
    assert run("gen", "-q", "-", "-o", "b.zarr", stdin=text.encode()).code == 0
    ran = run("copy", "b.zarr", "t.zarr", "--mode", "zarr", "--no-annotations")
    assert ran.code == 1
    assert "dimensions that no variable uses: /n0, /n1, /n2, /n3, /n4 and 3 more;" in ran.stderr
