"""The source that an argument means: a path, a URL, or standard input."""

from __future__ import annotations

from typing import BinaryIO

from ncz.cli.options import S3Options
from ncz.cli.terminal import Terminal, standard_input


def located(text: str, s3: S3Options, terminal: Terminal) -> str | BinaryIO:
    """Return a path or URL with the options of remote stores, or standard input for ``-``."""
    from ncz.commands.sources import is_cdl

    if text == "-":
        return standard_input()
    return text if is_cdl(text) else s3.locate(terminal, text)
