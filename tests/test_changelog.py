"""The changelog and its fragments."""

from __future__ import annotations

import re
import tomllib

from tests.conftest import ROOT
from tools.release import problems

TEXT = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_changelog_the_citation_and_the_recipe_name_the_same_version():
    version = re.findall(r"^## \[(.+?)\]", TEXT, re.MULTILINE)[0]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    recipe = (ROOT / "tools" / "conda" / "meta.yaml").read_text(encoding="utf-8")
    assert f'{{% set version = "{version}" %}}' in recipe


def test_pages_that_the_changelog_names_exist():
    links = re.findall(r"\]\((docs/[^)#]+)", TEXT)
    assert links
    assert [link for link in links if not (ROOT / link).is_file()] == []


def test_fragments_have_a_kind_and_are_a_sentence():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    kinds = {kind["directory"] for kind in project["tool"]["towncrier"]["type"]}
    for path in (ROOT / "changes").iterdir():
        if path.name != "README.md":
            name, kind, suffix = path.name.rsplit(".", 2)
            assert name, path.name
            assert (kind in kinds, suffix) == (True, "md"), path.name
            assert path.read_text(encoding="utf-8").rstrip().endswith("."), path.name


def test_a_release_needs_a_clean_tree_and_the_tag_of_its_version(tmp_path):
    import subprocess

    def git(*arguments: str) -> None:
        author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *author, *arguments], cwd=tmp_path, check=True, capture_output=True)

    pages = {
        "CHANGELOG.md": "## [1.2.3] - 2026-01-01\n",
        "CITATION.cff": "version: 1.2.3\n",
        "tools/conda/meta.yaml": '{% set version = "1.2.3" %}\n',
    }
    for name, text in pages.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "changes").mkdir()
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "Begin")
    give = "give it one with git tag -a vX.Y.Z"
    assert problems(tmp_path) == [f"the commit has no tag of a version: {give}"]
    git("tag", "v1.2.3")
    git("tag", "later")
    assert problems(tmp_path) == []
    git("tag", "v1.2.4")
    assert problems(tmp_path) == [f"the commit has the tags v1.2.3 and v1.2.4: {give}"]
    git("tag", "-d", "v1.2.4")
    (tmp_path / "CHANGELOG.md").write_text("## [1.2.3] - unreleased\n")
    (tmp_path / "CITATION.cff").write_text("version: 1.2.2\n")
    (tmp_path / "changes" / "faster.added.md").write_text("It is faster.\n")
    assert problems(tmp_path) == [
        "the tree is not clean: commit or remove CHANGELOG.md",
        "CHANGELOG.md has no line '## [1.2.3] - YYYY-MM-DD'",
        "CITATION.cff has no line 'version: 1.2.3'",
        "changes/ has fragments: run towncrier build --version 1.2.3",
    ]
