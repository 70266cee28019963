"""One input of the fuzzer: the files of a source, and its name for ncz."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

from ncz.record import record


@record
class Case:
    """Files by their path, their subject, and the location of the source among them.

    An input of the subject ``urls`` has no files: its location changes.
    """

    subject: str
    source: str
    files: dict[str, bytes]

    @property
    def name(self) -> str:
        """A name that follows from the content."""
        return f"{self.subject}-{hashlib.sha256(to_json(self).encode()).hexdigest()[:10]}"


def write(case: Case, folder: Path) -> None:
    """Write the files below a folder."""
    for key, data in case.files.items():
        path = folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def read(subject: str, source: str, folder: Path) -> Case:
    """Return the case that the files of a folder are."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    return Case(subject, source, files)


def to_json(case: Case) -> str:
    """Return the case as JSON with readable text."""
    files = {key: _told(data) for key, data in case.files.items()}
    return json.dumps(
        {"subject": case.subject, "source": case.source, "files": files}, indent=1, sort_keys=True
    )


def from_json(text: str) -> Case:
    """Return the case that `to_json` wrote."""
    members = json.loads(text)
    files = {key: _data(told) for key, told in members["files"].items()}
    return Case(members["subject"], members["source"], files)


def _told(data: bytes) -> str | dict[str, str]:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def _data(told: str | dict[str, str]) -> bytes:
    return told.encode() if isinstance(told, str) else base64.b64decode(told["base64"])
