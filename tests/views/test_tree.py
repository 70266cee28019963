"""``dump --tree``."""

from __future__ import annotations

from tests.conftest import Run

CDL = b"""netcdf t {
types: byte enum cloud { clear = 0, cloudy = 1 } ;
dimensions: time = UNLIMITED ; x = 2 ;
variables: double time(time) ; int crs ; data: time = 1, 2, 3 ; crs = 0 ;
group: one {
  variables: cloud c(time, x) ;
  group: deep { dimensions: y = 4 ; variables: string s(y, x) ; }
}
group: two { variables: float f(x) ; }
}
"""

EXPECTED = """{}
├── double time(time=3)
├── int crs
├── one/
│   ├── cloud c(time=3, x=2)
│   └── deep/
│       └── string s(y=4, x=2)
└── two/
    └── float f(x=2)
"""


def test_groups_and_variables_have_their_lengths(run: Run, tmp_path):
    for target in (tmp_path / "t.zarr", tmp_path / "t.nc"):
        assert run("gen", "-", "-o", target, stdin=CDL).code == 0
        assert run("dump", "--tree", target).text == EXPECTED.format(target)
        assert run("dump", "--tree", "-n", "other", target).text == EXPECTED.format("other")


def test_options_for_data_are_errors(run: Run, tmp_path):
    for option in (("-v", "x"), ("-p", "3"), ("-s",)):
        ran = run("dump", "--tree", *option, tmp_path / "t.zarr")
        assert (ran.code, f"{option[0]} cannot be used with --tree" in ran.stderr) == (2, True)
