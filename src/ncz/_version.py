"""The version of ncz, which the build reads from here, and the versions of its dependencies."""

from __future__ import annotations

import contextlib
import os
import sys

__version__ = "0.1.0"


def versions() -> str:
    """Return the versions of ncz and of its dependencies, one per line."""
    system = os.uname().sysname if hasattr(os, "uname") else "Windows"
    lines = [f"ncz {__version__}", f"python {sys.version.split()[0]} on {system}"]
    needed = ("numpy", "cftime", "numcodecs", "fsspec", "s3fs", "click", "rich")
    installed = _installed()
    for package in (*needed, "deflate", "isal", "obstore"):
        version = installed.get(package)
        lines.append(f"{package} {version}" if version else f"{package} is not installed")
    return "\n".join(lines)


def _installed() -> dict[str, str]:
    """Return the versions of the installed packages, from the names of their metadata folders.

    `importlib.metadata`, which reads the files in them, takes as long to import as click. It is
    used only if packages are installed in a zip file.
    """
    if any(map(os.path.isfile, sys.path)):
        from importlib import metadata

        return {_normal(each.name): each.version for each in metadata.distributions()}
    found: dict[str, str] = {}
    for folder in sys.path:
        with contextlib.suppress(OSError):
            for entry in os.listdir(folder or "."):
                name, _, version = entry.rpartition(".")[0].partition("-")
                if entry.endswith((".dist-info", ".egg-info")) and version:
                    found.setdefault(_normal(name), version.partition("-")[0])
    return found


def _normal(package: str) -> str:
    """Return the name of a package as ``pip`` compares it."""
    return package.lower().replace("_", "-").replace(".", "-")
