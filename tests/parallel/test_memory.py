"""The default memory limit: the least free memory of the computer and of limits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ncz.parallel.memory import LEAST_MEMORY, MOST_MEMORY, default_memory, free_memory

GB = 1 << 30


def system(folder: Path, groups: str, files: dict[str, str]) -> tuple[str, str]:
    """Create the files of Linux for a computer with 8 GB of free memory, and control groups."""
    proc, cgroups = folder / "proc", folder / "cgroup"
    (proc / "self").mkdir(parents=True)
    (proc / "meminfo").write_text(f"MemTotal: 99 kB\nMemAvailable: {8 * GB // 1024} kB\n")
    (proc / "self/cgroup").write_text(groups)
    for name, text in files.items():
        path = cgroups / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(proc), str(cgroups)


@pytest.mark.parametrize(
    ("groups", "files", "free"),
    [
        ("", {}, 8 * GB),
        ("0::/a/b\n", {"a/b/memory.current": "1", "a/b/memory.max": "max\n"}, 8 * GB),
        (
            "0::/a/b\n",
            {
                "a/memory.current": f"{GB}\n", "a/memory.max": f"{4 * GB}\n",
                "a/memory.stat": f"anon 1\nactive_file 100\ninactive_file {GB // 2}\n",
                "a/b/memory.current": f"{GB}\n", "a/b/memory.max": "max\n",
                "a/b/memory.high": f"{6 * GB}\n",
            },
            3 * GB + GB // 2 + 100,
        ),
        ("0::/\n", {"memory.current": f"{3 * GB}", "memory.max": f"{2 * GB}"}, 0),
        # A container sees its own group as the root, but its name in the whole system.
        ("0::/x/y\n", {"memory.current": "0", "memory.max": f"{2 * GB}"}, 2 * GB),
        (
            "5:cpu,cpuacct:/\n4:memory:/job\n",
            {
                "memory/job/memory.usage_in_bytes": f"{GB}",
                "memory/job/memory.limit_in_bytes": f"{3 * GB}",
                "memory/job/memory.stat": f"inactive_file 7\ntotal_inactive_file {GB}\n",
            },
            3 * GB,
        ),
        ("0::/a\n", {"a/memory.current": "damaged", "a/memory.max": "1"}, 8 * GB),
    ],
    ids=["none", "no limit", "nested", "full", "container", "version 1", "unreadable"],
)  # fmt: skip
def test_the_least_that_a_group_leaves_is_free(tmp_path, groups, files, free):
    assert free_memory(*system(tmp_path, groups, files)) == free


def test_a_system_that_does_not_say_gets_the_least(tmp_path, monkeypatch):
    assert free_memory(str(tmp_path), str(tmp_path)) is None
    for free, limit in (
        (None, LEAST_MEMORY),
        (0, LEAST_MEMORY),
        (4 * GB, GB),
        (99 * GB, MOST_MEMORY),
    ):
        monkeypatch.setattr("ncz.parallel.memory.free_memory", lambda free=free: free)
        assert default_memory() == limit


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not report the used memory")
@pytest.mark.parametrize("limit", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_limits_of_the_process_count(limit):
    program = (
        "import resource\nfrom ncz.parallel.memory import free_memory\n"
        f"resource.setrlimit(resource.{limit}, (1 << 30, resource.RLIM_INFINITY))\n"
        "print(free_memory())"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert (3 << 28) < int(ran.stdout) < 1 << 30
