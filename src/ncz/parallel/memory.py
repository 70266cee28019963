"""The memory that this process may use by default."""

from __future__ import annotations

from collections.abc import Iterator

LEAST_MEMORY = 256 << 20
"""Default memory limit for data, in bytes, if little is free or the system does not say."""

MOST_MEMORY = 4 << 30
"""Largest default memory limit for data, in bytes."""


def default_memory() -> int:
    """Return a quarter of the bytes that are free, within `LEAST_MEMORY` and `MOST_MEMORY`."""
    return min(MOST_MEMORY, max(LEAST_MEMORY, (free_memory() or 0) // 4))


def free_memory(proc: str = "/proc", cgroups: str = "/sys/fs/cgroup") -> int | None:
    """Return the bytes that this process may still take; None if the system does not say.

    It is the least of the computer's memory, the memory that the control groups (cgroups) of the
    process leave, and the memory that its own limits leave.

    Parameters
    ----------
    proc, cgroups
        Where Linux shows processes and control groups.
    """
    amounts = [*_available(proc), *_left_in_groups(proc, cgroups), *_left_to_process(proc)]
    return max(0, min(amounts)) if amounts else None


def _numbers(path: str) -> dict[str, int]:
    """Return the numbers of a file with a name and a number in each line, with kB as bytes."""
    numbers = {}
    for line in _read(path).splitlines():
        name, *rest = line.replace(":", " ").split()
        if rest and rest[0].isdecimal():
            numbers[name] = int(rest[0]) << (10 if rest[1:] == ["kB"] else 0)
    return numbers


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _available(proc: str) -> Iterator[int]:
    available = _numbers(f"{proc}/meminfo").get("MemAvailable")
    if available is not None:
        yield available


def _left_in_groups(proc: str, cgroups: str) -> Iterator[int]:
    """Yield the free memory in each control group of this process, of version 2 or 1.

    Files that a group keeps in memory count as free, because the system drops it when it is needed.
    """
    for line in _read(f"{proc}/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        kinds, _, path = rest.partition(":")
        if number == "0" and not kinds:
            mount, limits, usage_file, prefix = cgroups, ["max", "high"], "current", ""
        elif "memory" in kinds.split(","):
            mount, limits = f"{cgroups}/memory", ["limit_in_bytes"]
            usage_file, prefix = "usage_in_bytes", "total_"
        else:
            continue
        parts = [part for part in path.split("/") if part]
        for depth in range(len(parts) + 1):  # a container may see its own group as the root
            folder = "/".join([mount, *parts[:depth]])
            usage = _read(f"{folder}/memory.{usage_file}").strip()
            if not usage.isdecimal():
                continue
            statistics = _numbers(f"{folder}/memory.stat")
            files = sum(
                statistics.get(f"{prefix}{name}_file", 0) for name in ("active", "inactive")
            )
            for limit in limits:
                text = _read(f"{folder}/memory.{limit}").strip()
                if text.isdecimal():  # "max" is no limit
                    yield int(text) - int(usage) + min(files, int(usage))


def _left_to_process(proc: str) -> Iterator[int]:
    """Yield the free memory within the limits of this process, such as `ulimit -v`."""
    try:
        import resource
    except ImportError:  # Windows
        return
    status = _numbers(f"{proc}/self/status")
    for limit, name in ((resource.RLIMIT_AS, "VmSize"), (resource.RLIMIT_DATA, "VmData")):
        most, _ = resource.getrlimit(limit)
        if most != resource.RLIM_INFINITY:
            yield most - status.get(name, 0)
