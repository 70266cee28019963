"""The commands whose growth is measured, as typed, with names in place of the inputs.

`{cdl}` is a text; `{zarr}`, `{v3}`, `{nc}`, `{classic}`, `{zip}` and `{refs}` are other forms of
the same dataset, which `FORMS` makes. `{made}` is a target, removed before each run, and a name in
`COPIED` is a copy of another form, since the command changes it.
"""

from __future__ import annotations

FORMS = {
    "zarr": ("s.zarr", "gen -q {cdl} -o {zarr}"),
    "nc": ("s.nc", "gen -q -k netCDF-4 {cdl} -o {nc}"),
    "classic": ("s.cdf", "gen -q -k cdf5 {cdl} -o {classic}"),
    "v3": ("s3.zarr", "copy -q {zarr} {v3} --mode zarr,v3,consolidated --allow-loss"),
    "zip": ("s.zip", "copy -q {zarr} {zip}"),
    "refs": ("s.json", "copy -q {nc} {refs} --mode reference --allow-loss"),
}
"""The file and the command of each form of a dataset; each command needs only files above it."""

COPIED = {
    "changed": "s.zarr", "first": "first.zarr", "master": "all.nca", "removed": "stores",
}  # fmt: skip
"""The targets of changing commands: a copy of this file or folder."""

COMMANDS = """
gen --check {cdl}
gen {cdl} -o {made}.zarr
gen -k netCDF-4 {cdl} -o {made}.nc
gen -k cdf5 {cdl} -o {made}.cdf
gen --zarr-format 3 {cdl} -o {made}.zarr
dump {zarr}
dump {nc}
dump {classic}
dump -h {v3}
dump -h {zip}
dump -h {refs}
dump -hs {nc}
dump -t {zarr}
dump -v v0 {nc}
dump --json {zarr}
dump --csv --vars v0 {zarr}
dump --summary {nc}
dump -x {zarr}
ls {zarr}
ls -rl {zarr}
ls -r --tree {zarr}
ls --totals {zarr}
ls -r --contents {v3}
ls -r {zip}
ls -r {refs}
info --stats {zarr}
info --json {nc}
info --storage {classic}
info --html - {zarr}
copy {zarr} {made}.zarr
copy {nc} {made}.zarr
copy {nc} {made}.zarr --mode nczarr
copy {classic} {made}.zarr
copy {zarr} {made}.nc
copy {zip} {made}.zip
copy {zarr} {made}.cdf -k cdf5
copy {zarr} {made}.zarr --mode zarr,v3,consolidated --allow-loss
copy {zarr} {made}.zarr --codec zstd:5
copy {zarr} {made}.zarr --verify
copy {zarr} {made}.zarr --digest --mode zarr,consolidated --allow-loss
copy {zarr} {made}.zarr --verbatim
copy {zarr} {made}.cdl
copy {refs} {made}.zarr
copy {nc} {made}.json --mode reference --allow-loss
copy {nc} {made}.parq --mode reference --allow-loss
copy --vars v* {nc} {made}.zarr
copy --isel x=0:2 {nc} {made}.zarr
check --data {zarr}
check --census {v3}
check {refs}
diff {zarr} {nc}
diff --storage {zarr} {zip}
digest --all {nc}
consolidate {changed}
edit {changed} :history=done
edit {changed} --rename v0=renamed
edit {changed} --remove v0
edit {changed} --zarr-format 3
rm {changed}
""".strip().splitlines()
"""The commands for one dataset of many things."""

OF_SOURCES = """
copy --concat t {ncs} {made}.zarr
copy --concat t {classics} {made}.zarr
copy --concat t {stores} {made}.zarr
copy --concat t {ncs} {made}.nc
copy --concat t {ncs} {made}.json --mode reference
copy --concat t {ncs} {made}.parq --mode reference
copy --concat t {packed} {made}.zarr --repack short
copy --concat t {packed} {made}.zarr --unpack
copy --concat t {ncs} {made}.zarr --sort
copy --concat t {ncs} {made}.zarr --overlap first
copy --new-dimension run {alike} {made}.zarr
copy --each {ncs} {made}
copy --append t {ncs} {first}
copy --append t {last} {changed}
copy {zarr} {made}-{{}}.zarr --split t=1
aggregate {made}.nca {ncs} --axis t
aggregate {made}.nca {classics} --axis t
aggregate --rebuild {made}.nca {ncs}
aggregate --move {folder}/moved {master}
copy --append t {last} {master}
dump {nca}
info --sources {nca}
info --stats {nca}
digest {nca}
diff {nca} {refs}
ls -rl {nca}
copy {nca} {made}.zarr
dump {refs}
check --data {refs}
copy {refs} {made}.zarr
info --sources {refs}
ls {folder}/stores
ls -r {folder}/stores
rm -r -y {removed}
""".strip().splitlines()
"""Commands for many sources that follow each other along t, and for the joined dataset.

`{ncs}`, `{classics}` and `{stores}` are the sources in three forms; the sources in `{packed}` have
different packing, and the sources in `{alike}` are equal. `{last}` is one that follows them.
`{zarr}`, `{nca}` and `{refs}` are all of them joined.
"""
