"""Write a changed store in place of the old one: all of the changes, or none.

`revision` says what changes. `rewrite` chooses how it is written: documents are replaced in place;
a store with new names is built beside the old one (`rebuild`), or changed on its server behind a
journal (`ncz.zmap.revision`).
"""

from ncz.commands.rewriting.revision import NewObjects, Revision
from ncz.commands.rewriting.rewrite import rewrite

__all__ = ["NewObjects", "Revision", "rewrite"]
