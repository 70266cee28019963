"""Build and check the distributions of a release: ``make release``.

The tree must be clean, its commit must have the tag of the version or none, and the changelog must
have a section for the version. Nothing is published: the last lines say what to push.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.release_check import ROOT, checked_distributions

DIST = ROOT / "dist"


def main() -> int:
    """Build the distributions in ``dist``; return an exit code."""
    version = version_of(ROOT)
    wrong = problems(ROOT, version)
    if wrong:
        say(*(f"release: {problem}" for problem in wrong))
        return 1
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    with tempfile.TemporaryDirectory(prefix="ncz-release-") as name:
        built = [Path(shutil.copy2(path, DIST)) for path in checked_distributions(Path(name))]
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *built], check=True)
    say(*(f"release: {path.relative_to(ROOT)}" for path in built))
    if f"v{version}" not in tags(ROOT):
        say("release: to publish it, push the tag, which starts .github/workflows/release.yml:")
        say(f"  git tag -a v{version} -m 'ncz {version}'", f"  git push origin v{version}")
    return 0


def version_of(root: Path) -> str:
    """Return the version of the package."""
    text = (root / "src" / "ncz" / "_version.py").read_text(encoding="utf-8")
    match = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    assert match is not None
    return match[1]


def problems(root: Path, version: str) -> list[str]:
    """Return what keeps the tree from being released as a version."""
    found = []
    changed = git(root, "status", "--porcelain").splitlines()
    if changed:
        found.append(f"the tree is not clean: commit or remove {changed[0][3:]}")
    other = [tag for tag in tags(root) if tag != f"v{version}"]
    if other:
        found.append(f"the commit has the tag {other[0]}, but src/ncz/_version.py says {version}")
    pages = {
        "CHANGELOG.md": f"## [{version}]",
        "CITATION.cff": f"version: {version}\n",
        "tools/conda/meta.yaml": f'{{% set version = "{version}" %}}',
    }
    for name, words in pages.items():
        if words not in (root / name).read_text(encoding="utf-8"):
            found.append(f"{name} has no line {words.strip()!r}")
    if any((root / "changes").glob("*.*.md")):
        found.append(f"changes/ has fragments: run towncrier build --version {version}")
    return found


def tags(root: Path) -> list[str]:
    """Return the tags of the commit that are those of versions."""
    names = git(root, "tag", "--points-at", "HEAD").split()
    return [name for name in names if re.fullmatch(r"v\d+\.\d+\.\d+", name)]


def git(root: Path, *arguments: str) -> str:
    """Return what a command of git prints."""
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def say(*lines: object) -> None:
    """Print lines at once."""
    print(*lines, sep="\n", flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
