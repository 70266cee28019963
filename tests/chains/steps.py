"""The commands of a chain: each makes a dataset of another, and the expected numpy arrays."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

from ncz.record import record, replace
from tests.chains.datasets import SIZES, Held


@record
class State:
    """A dataset during a chain: its place, its contents, and the messages of commands so far."""

    path: Path
    held: dict[str, Held]
    said: tuple[str, ...] = ()

    @property
    def is_netcdf(self) -> bool:
        """Whether it is a netCDF file."""
        return self.path.suffix == ".nc"


class Refused(Exception):
    """A command ended with an error, which is an answer too."""


def run(state: State, *arguments: str) -> State:
    """Run a command; return the state with its messages. Raises `Refused`."""
    command = [sys.executable, "-m", "ncz", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    message = f"ncz {' '.join(arguments)}: {done.stderr.strip()}"
    if "Traceback" in done.stderr or "internal error" in done.stderr:
        raise AssertionError(message)
    if done.returncode:
        raise Refused(message)
    said = (message,) if done.stderr.strip() else ()
    return replace(state, said=(*state.said, *said))


FORMS = {
    "v2.zarr": ("--mode", "zarr"),
    "v3.zarr": ("--mode", "zarr,v3"),
    "nczarr2.zarr": ("--mode", "nczarr"),
    "nczarr3.zarr": ("--mode", "nczarr,v3"),
    "v3.zip": ("--mode", "zarr,v3,zip"),
    "cloud.zarr": ("--cloud",),
    "file.nc": (),
}
"""The last part of the name of a target, and the options that choose its form."""


def copy(state: State, random: Random, folder: Path) -> State:
    """Copy to another form, with or without other chunks and codecs."""
    name = random.choice(list(FORMS))
    options = [*FORMS[name]]
    used = sorted({d for each in state.held.values() for d in each.dimensions})
    if used and random.random() < 0.4:
        dimension = random.choice(used)
        options += ["-c", f"{dimension}/{random.randint(1, SIZES[dimension])}"]
    if random.random() < 0.3 and name != "file.nc":
        options += ["--codec", random.choice(("zstd:1", "zlib:2", "none", "shuffle+zlib:1"))]
    target = folder / name
    return replace(run(state, "copy", *options, str(state.path), str(target)), path=target)


def by_text(state: State, random: Random, folder: Path) -> State:
    """Print as CDL or JSON, and make a dataset of the text."""
    kind = random.choice(("cdl", "json"))
    options = ["--json"] if kind == "json" else ["-p", "9,17"]
    text = folder / f"x.{kind}"
    state = run(state, "dump", *options, "-o", str(text), str(state.path))
    name = random.choice(("gen2.zarr#mode=nczarr", "gen3.zarr#mode=zarr,v3", "gen.nc"))
    target = folder / name
    state = run(state, "gen", str(text), "-o", str(target), *_audience(name))
    return replace(state, path=Path(str(target).partition("#")[0]))


def _audience(name: str) -> tuple[str, ...]:
    return () if name.endswith(".nc") or "nczarr" in name else ("--for", "xarray")


def cut(state: State, random: Random, folder: Path) -> State:
    """Select indices along a dimension."""
    used = sorted({d for each in state.held.values() for d in each.dimensions})
    if not used:
        return state
    dimension = random.choice(used)
    length = next(
        each.values.shape[each.dimensions.index(dimension)]
        for each in state.held.values() if dimension in each.dimensions
    )  # fmt: skip
    if length < 2:
        return state
    start = random.randint(0, length - 2)
    stop = random.randint(start + 1, length)
    target = folder / random.choice(("cut.zarr", "cut.nc"))
    selected = f"{dimension}={start}:{stop}"
    state = run(state, "copy", "--isel", selected, str(state.path), str(target))
    held = {}
    for name, each in state.held.items():
        if dimension in each.dimensions:
            axis = each.dimensions.index(dimension)
            part = (slice(None),) * axis + (slice(start, stop),)
            held[name] = replace(each, values=each.values[part], chunks=None)
        else:
            held[name] = each
    return State(target, held, state.said)


def rename(state: State, random: Random, folder: Path) -> State:
    """Rename a variable of a store in place."""
    if state.is_netcdf or state.path.suffix == ".zip":
        return state
    name = random.choice([name for name in state.held if name != "time"] or ["time"])
    if name == "time":
        return state
    group, _, last = name.rpartition("/")
    new = f"{last}_renamed"
    state = run(state, "edit", str(state.path), "--rename", f"/{name}={new}")
    path = f"{group}/{new}" if group else new
    held = {path if each == name else each: found for each, found in state.held.items()}
    return replace(state, held=held)


def describe(state: State, random: Random, folder: Path) -> State:
    """Set an attribute of a variable of a store in place."""
    if state.is_netcdf or state.path.suffix == ".zip":
        return state
    name = random.choice(list(state.held))
    text = random.choice(("one", "two words"))
    state = run(state, "edit", str(state.path), "--set", f'/{name}:note = "{text}"')
    each = state.held[name]
    changed = replace(each, attributes=each.attributes | {"note": text})
    return replace(state, held=state.held | {name: changed})


Step = Callable[[State, Random, Path], State]

STEPS: tuple[Step, ...] = (copy, copy, copy, by_text, cut, rename, describe)
"""The steps; copies are the most frequent."""
