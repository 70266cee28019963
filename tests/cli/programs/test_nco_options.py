"""Options of NCO's operators as options of ncz."""

from __future__ import annotations

import pytest

from tests.cli.programs.lines import check_line


@pytest.mark.parametrize(
    ("line", "ours"),
    [
        ("ncks -v t,u in.nc out.nc", "copy --vars t,u in.nc out.nc"),
        ("ncks -O -x -v t in.nc out.nc", "copy --exclude t --overwrite in.nc out.nc"),
        ("ncks -C -v t in.nc -o out.nc", "copy -V t in.nc out.nc"),
        ("ncks -d time,0,1 -d lat,50.,53.5 in.nc out.nc",
         "copy --isel time=0:2 --sel lat=50:53.5 in.nc out.nc"),
        ("ncks -d time,3 in.nc out.nc", "copy --isel time=3:4 in.nc out.nc"),
        ("ncks -d time,,,2 in.nc out.nc", "copy --isel time=::2 in.nc out.nc"),
        ("ncks -4 -L 5 in.nc out.nc", "copy -4 -d 5 in.nc out.nc"),
        ("ncks -m in.nc", "dump -h in.nc"),
        ("ncks -v t in.nc", "dump --vars t in.nc"),
        ("ncks -H -C -v t in.nc", "dump --vars t -v t in.nc"),
        ("ncks -H -v t -d lat,5. -d x,2 in.nc",
         "dump --vars t --nearest --sel lat=5 --isel x=2:3 in.nc"),
        ("ncks -x -v t in.nc", "dump --exclude t in.nc"),
        ("ncks -4 in.nc", None),
        ("ncrcat -h a.nc b.nc c.nc", "copy --concat time a.nc b.nc c.nc"),
        ("ncecat -u member a.nc b.nc c.nc", "copy --new-dimension member a.nc b.nc c.nc"),
        ("ncpdq -a x,-y in.nc out.nc", "copy --isel y=::-1 --transpose x,y in.nc out.nc"),
        ("ncpdq -a -lat in.nc out.nc", "copy --isel lat=::-1 in.nc out.nc"),
        ("ncpdq -P all_new in.nc out.nc", "copy --pack short in.nc out.nc"),
        ("ncpdq -U in.nc out.nc", "copy --unpack in.nc out.nc"),
        ("ncrename -v a,b -d x,y in.nc", "edit in.nc --rename 'variable a=b' --rename"
         " 'dimension x=y'"),
        ("ncrename -v x,y -d x,y in.nc", "edit in.nc --rename x=y"),
        ("ncrename -O -h -v a,b in.nc", "edit in.nc --rename 'variable a=b'"),
        ("ncrename -4 -v a,b in.nc", None),
        ("ncrename -O -v a,b in.nc out.nc", "edit in.nc -o out.nc --overwrite --rename 'variable"
         " a=b'"),
        ("ncatted -a n,t,d,, in.nc out.nc", "edit in.nc -o out.nc --delete t:n"),
        ("ncrename -a t@units,unit in.nc", "edit in.nc --rename t:units=t:unit"),
        ("ncatted -a units,t,o,c,K -a title,global,d,, in.nc", "edit in.nc t:units=K --delete"
         " :title"),
        ("ncatted -O -a n,t,d,, in.nc", "edit in.nc --delete t:n"),
        ("ncatted -a n,t,o,c,2 in.nc", "edit in.nc 't:n=\"2\"'"),
        ("ncatted -a n,t,o,f,1.5,2 in.nc", "edit in.nc 'float t:n=1.5, 2'"),
        ("ncks -4 -L 5 --cnk_dmn time,1 --cnk_dmn lat,5 in.nc out.nc",
         "copy -4 -d 5 -c time/1,lat/5 in.nc out.nc"),
        ("ncrcat -O --cnk_dmn time,9 in.nc in2.nc out.nc",
         "copy --concat time -c time/9 --overwrite in.nc in2.nc out.nc"),
        ("ncra in.nc out.nc", None),
        ("ncks -A in.nc out.nc", "copy --add in.nc out.nc"),
        ("ncks --unknown in.nc out.nc", None),
        ("ncatted -a n,t,a,c,more in.nc", None),
    ],
)  # fmt: skip
def test_options_of_nco(line: str, ours: str | None):
    check_line(line, ours)
