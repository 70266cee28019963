"""Build and check the distributions of a release: ``make release``.

The version is the tag of the commit. The tree must be clean, and the changelog must have a section
for the version. Nothing is published: the last lines have the commands to push.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.release_check import ROOT, checked_distributions, version_of

DIST = ROOT / "dist"


def main() -> int:
    """Build the distributions in ``dist``; return an exit code."""
    wrong = problems(ROOT)
    if wrong:
        say(*(f"release: {problem}" for problem in wrong))
        return 1
    (tag,) = tags(ROOT)
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    with tempfile.TemporaryDirectory(prefix="ncz-release-") as name:
        distributions = checked_distributions(Path(name))
        if f"v{version_of(distributions[0])}" != tag:
            say(f"release: the tag is {tag}, but the build made {distributions[0].name}")
            return 1
        built = [Path(shutil.copy2(path, DIST)) for path in distributions]
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *built], check=True)
    say(*(f"release: {path.relative_to(ROOT)}" for path in built))
    say("release: to publish it, push the tag, which starts .github/workflows/release.yml:")
    say(f"  git push origin {tag}")
    return 0


def problems(root: Path) -> list[str]:
    """Return the reasons why the tree cannot be released as the version of its tag."""
    found = []
    changed = git(root, "status", "--porcelain").splitlines()
    if changed:
        found.append(f"the tree is not clean: commit or remove {changed[0][3:]}")
    named = tags(root)
    if len(named) != 1:
        has = f"the tags {' and '.join(named)}" if named else "no tag of a version"
        return [*found, f"the commit has {has}: give it one with git tag -a vX.Y.Z"]
    version = named[0].removeprefix("v")
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    dated = rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$"
    if not re.search(dated, changelog, re.MULTILINE):
        found.append(f"CHANGELOG.md has no line '## [{version}] - YYYY-MM-DD'")
    pages = {
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
    """Return the tags of versions that the commit has."""
    names = git(root, "tag", "--points-at", "HEAD").split()
    return [name for name in names if re.fullmatch(r"v\d+\.\d+\.\d+", name)]


def git(root: Path, *arguments: str) -> str:
    """Return the output of a command of git."""
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def say(*lines: object) -> None:
    """Print lines without buffering."""
    print(*lines, sep="\n", flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
