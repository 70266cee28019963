"""Build the sdist and the wheel, and try each in an empty environment: ``make release-check``.

For each of the two, a virtual environment is made in a temporary folder, the distribution is
installed there by pip, and the demo of ``demo.sh`` is run with the installed ``ncz``: in another
folder, and without PYTHONPATH, so that nothing is imported from the source tree.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterable
from pathlib import Path

from tools.pages import Page

ROOT = Path(__file__).parents[1]

WHEEL = re.compile(
    r"ncz/.+\.py|ncz/cli/programs/(habits|cdo_operators)\.txt|ncz/py\.typed|ncz/version\.txt|ncz-[^/]+\.dist-info/.+"
    r"|ncz/commands/view/page/(page\.(css|html)|\w+\.js)|ncz/views/coast/(110|50)m\.bin"
    r"|ncz-[^/]+\.data/data/share/man/man1/ncz(-[a-z]+)?\.1"
)
"""Files that a wheel may contain."""

SDIST = re.compile(
    r"[^/]+/("
    r"(src/ncz|tests|benchmarks|changes|docs|tools|cdl_examples)/.+"
    r"|Makefile|README\.md|LICENSE|CHANGELOG\.md|CONTRIBUTING\.md|SECURITY\.md|CITATION\.cff|pyproject\.toml"
    r"|PKG-INFO|\.gitignore)"
)
"""Files that an sdist may contain."""

NEVER = re.compile(r"\.(pyc|whl|orig|log)$|(^|/)(__pycache__|\.venv|\.git|dist|build)(/|$)")
"""Files that neither may contain."""


NOBODY = 65534
"""The number of the user nobody on Linux."""


def main() -> int:
    """Build, check and try both distributions; return an exit code."""
    with tempfile.TemporaryDirectory(prefix="ncz-release-") as name:
        checked_distributions(Path(name))
    say("both distributions are complete")
    return 0


def checked_distributions(folder: Path) -> tuple[Path, Path]:
    """Build both distributions in a folder, check and try them; return their paths.

    Raises `SystemExit` if one of them contains a file that does not belong there.
    """
    sdist, wheel = build(folder)
    wrong = unexpected(wheel_members(wheel), WHEEL) + unexpected(sdist_members(sdist), SDIST)
    if wrong:
        say("these files do not belong in a distribution:", *wrong)
        raise SystemExit(1)
    for distribution in (wheel, sdist):
        say(f"{distribution.name}: install it and run the demo")
        try_installed(distribution, version_of(sdist), folder / f"try-{distribution.suffix[1:]}")
    say("the README from top to bottom, as a user without settings")
    follow_readme(wheel, folder / "readme")
    return sdist, wheel


def build(folder: Path) -> tuple[Path, Path]:
    """Build the sdist, and the wheel from it, in `folder`; return their paths."""
    builder = python_in(folder / "build-environment", "build>=1")
    target = folder / "dist"
    subprocess.run(
        [builder, "-m", "build", "--outdir", target, ROOT], check=True, stdout=subprocess.DEVNULL,
        env=clean_environment(),
    )  # fmt: skip
    (sdist,) = target.glob("*.tar.gz")
    (wheel,) = target.glob("*.whl")
    return sdist, wheel


def version_of(sdist: Path) -> str:
    """Return the version in the name of an sdist."""
    return sdist.name.removeprefix("ncz-").removesuffix(".tar.gz")


def wheel_members(path: Path) -> list[str]:
    """Return the names of the files in a wheel."""
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


def sdist_members(path: Path) -> list[str]:
    """Return the names of the files in an sdist."""
    with tarfile.open(path) as archive:
        return [member.name for member in archive.getmembers() if not member.isdir()]


def unexpected(names: Iterable[str], allowed: re.Pattern[str]) -> list[str]:
    """Return the names that do not match `allowed`, or match `NEVER`."""
    return [name for name in names if not allowed.fullmatch(name) or NEVER.search(name)]


def try_installed(distribution: Path, version: str, folder: Path) -> None:
    """Install a distribution in an empty environment, check its version and run the demo."""
    python = python_in(folder / "environment", str(distribution))
    work = folder / "work"
    shutil.copytree(ROOT / "cdl_examples", work / "cdl_examples")
    environment = clean_environment()
    environment["PATH"] = f"{python.parent}{os.pathsep}{environment['PATH']}"
    installed, where = subprocess.run(
        [python, "-c", "import ncz; print(ncz.__version__, ncz.__file__)"], cwd=work,
        env=environment, check=True, capture_output=True, text=True,
    ).stdout.strip().split(" ", 1)  # fmt: skip
    if not Path(where).is_relative_to(folder):
        raise SystemExit(f"release-check: ncz is imported from {where}, not from the environment")
    if installed != version:
        raise SystemExit(f"release-check: {distribution.name} installs version {installed}")
    if not (folder / "environment/share/man/man1/ncz-copy.1").exists():
        raise SystemExit("release-check: the manual pages are not installed")
    subprocess.run(
        ["bash", ROOT / "tools" / "demo.sh"], cwd=work, env=environment, check=True,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip


def follow_readme(wheel: Path, folder: Path) -> None:
    """Run every block of the README with an installed wheel and an empty home folder.

    If this process runs as root, the commands run as another user, who can write nowhere else,
    unless that user cannot run the Python of the environment.
    """
    python = python_in(folder / "environment", f"{wheel}[xarray]")
    home, work = folder / "home", folder / "work"
    folder.parent.chmod(0o755)
    user = NOBODY if os.geteuid() == 0 and is_run_by(python, NOBODY) else None
    for place in (home, work):
        place.mkdir()
    path = os.pathsep.join((str(python.parent), "/usr/local/bin", "/usr/bin", "/bin"))
    page = Page("README.md", work, {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8"}, user)
    page.copy("cdl_examples")
    if user is not None:
        for place in (home, work):
            os.chown(place, user, user)
    for block in page.blocks("console"):
        page.check_console(block)
    for block in page.blocks("python"):
        page.check_python(block)


def is_run_by(python: Path, user: int) -> bool:
    """Return whether a user can run a Python, whose library may be in a folder of another user."""
    try:
        done = subprocess.run([python, "-c", ""], user=user, capture_output=True, check=False)
    except PermissionError:
        return False
    return done.returncode == 0


def python_in(folder: Path, *requirements: str) -> Path:
    """Make a virtual environment with `requirements`; return its Python."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, *requirements], env=clean_environment(), check=True)
    return python


def clean_environment() -> dict[str, str]:
    """Return the environment without variables that let Python find the source tree."""
    names = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    return {key: value for key, value in os.environ.items() if key not in names}


def say(*lines: str) -> None:
    """Print lines without buffering."""
    print(*lines, sep="\n  ", flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
