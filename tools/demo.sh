#!/usr/bin/env bash
# The demo: gen, dump, ls, copy, diff, check and a round trip on cdl_examples, with `ncz` from the PATH.
# Run it in the folder that contains cdl_examples; it writes to the folder `demo`.
set -euo pipefail

show() {
    printf '\n$ %s\n' "$1"
    bash -o pipefail -c "$1"
}

# head closes its pipe early; ncz then exits with code 141, like a C program.
first() {
    printf '\n$ %s | head -n %s\n' "$1" "$2"
    { bash -c "$1" || [ $? = 141 ]; } | head -n "$2"
}

rm -rf demo
mkdir -p demo/again

show 'ncz gen cdl_examples/weather.cdl -o demo/weather.zarr'
show 'ncz dump -h demo/weather.zarr'
show 'ncz dump -v time,station demo/weather.zarr | tail -n 6'
first 'ncz ls -r -l demo/weather.zarr' 8
show 'ncz dump demo/weather.zarr | ncz gen - -o demo/again.zip'
show 'ncz dump demo/weather.zarr >demo/weather.cdl'
show 'ncz dump -n weather demo/again.zip | cmp - demo/weather.cdl && echo "the round trip gives the same bytes"'
show 'ncz copy --dry-run demo/weather.zarr demo/small.zip -c time/1 --codec zstd:5'
show 'ncz copy --verify demo/weather.zarr demo/small.zip -c time/1 --codec zstd:5 && echo "all values are equal"'
show 'ncz diff demo/weather.zarr demo/small.zip && echo "nothing differs"'
show 'ncz check --census demo/small.zip'
for name in groups filters ragged unicode; do
    ncz gen -q "cdl_examples/$name.cdl" -o "demo/$name.zip"
    ncz dump "demo/$name.zip" >"demo/$name.cdl"
    ncz gen -q "demo/$name.cdl" -o "demo/again/$name.zip"
    ncz dump "demo/again/$name.zip" | cmp - "demo/$name.cdl"
    echo "$name: the same bytes"
done
