"""The version of ncz and the versions of its dependencies."""

from __future__ import annotations

import contextlib
import os
import sys


def _built_version() -> str:
    """Return the version in the file that the build writes; a source tree may have no such file.

    The loader reads it, because the package may be in a zip file.
    """
    path = os.path.join(os.path.dirname(__file__), "version.txt")
    try:
        data = __spec__.loader.get_data(path)  # type: ignore[union-attr]
    except OSError:
        return "0.0"
    return str(data, "ascii").strip()


__version__ = _built_version()


_DEPENDENCIES = (
    "numpy", "cftime", "numcodecs", "fsspec", "s3fs", "click", "rich", "deflate", "isal", "obstore",
)  # fmt: skip
_OPTIONAL = (
    "xarray", "zarr", "pyarrow", "icechunk", "cf-units", "ml-dtypes", "zfpy", "distributed",
    "tornado",
)  # fmt: skip
"""Packages of the extras, and zarr-python, whose objects ncz accepts."""


def versions(*, with_optional: bool = False) -> str:
    """Return the versions of ncz and of its dependencies, one per line.

    Parameters
    ----------
    with_optional
        Whether to add the packages of the extras.
    """
    system = os.uname().sysname if hasattr(os, "uname") else "Windows"
    lines = [f"ncz {__version__}", f"python {sys.version.split()[0]} on {system}"]
    installed = _installed_versions()
    for package in (*_DEPENDENCIES, *(_OPTIONAL if with_optional else ())):
        version = installed.get(package)
        lines.append(f"{package} {version}" if version else f"{package} is not installed")
    return "\n".join(lines)


def _installed_versions() -> dict[str, str]:
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
