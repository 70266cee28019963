"""Documents that no reader finds, and groups without a document."""

from __future__ import annotations

from collections.abc import Iterator

from ncz.formats.findings import Finding, finding
from ncz.formats.zarr.check.contents import StoreContents
from ncz.formats.zarr.check.document_names import DOCUMENTS_V2, NODES
from ncz.formats.zarr.documents.document_v2 import ZARRAY, ZATTRS, ZGROUP
from ncz.formats.zarr.opening.lost_root import CREATE_GROUP
from ncz.zmap.key import ZARR_JSON, ancestors, display, join_key


def unreached_documents(
    read: StoreContents, documents: list[str], reported: set[str]
) -> Iterator[Finding]:
    """Yield documents that no reader finds, and groups without a document."""
    here = set(documents)
    is_v3 = read.zarr_format == 3
    has_both = is_v3 and any(key in DOCUMENTS_V2 for key in documents)
    for key in read.groups:
        if not is_v3 and join_key(key, ZGROUP) not in here:
            yield no_group(key)
    missing: set[str] = set()
    above_nodes = {
        a for key in documents if key.rpartition("/")[2] in NODES for a in ancestors(key)
    }
    for key in documents:
        folder, _, name = key.rpartition("/")
        is_other = is_v3 != (name == ZARR_JSON)
        if folder in read.arrays or folder in read.groups:
            if is_other and folder and not has_both:
                yield _stray(key)
            continue
        if key in reported or any(k in reported for k in (folder, *ancestors(folder))):
            continue
        if is_other:
            if not has_both:
                yield _stray(key)
        elif name == ZATTRS and folder not in above_nodes:
            yield finding(
                "attributes-orphaned",
                key,
                "attributes without a group or an array",
                f"restore {ZARRAY} or {ZGROUP}, or delete it",
            )
        elif name in NODES:
            above = next((a for a in (*ancestors(folder), "") if a != folder), "")
            if above in read.groups and not read.dataset.provenance.superblock:
                continue  # left out for its content, which the reader reported
            if above in read.groups:
                yield finding(
                    "object-unlisted",
                    folder,
                    "not listed by its group; left out",
                    f"add {folder.rpartition('/')[2]} to the annotation of the group",
                )
            elif above not in missing and not _has_node(above, here):
                missing.add(above)
                yield no_group(above, ZARR_JSON if is_v3 else ZGROUP)


def _has_node(folder: str, documents: set[str]) -> bool:
    return any(join_key(folder, name) in documents for name in NODES)


def no_group(key: str, document: str = ZGROUP) -> Finding:
    """Return the finding of a group without a document."""
    return finding(
        "group-missing",
        key,
        f"the group has no document {display(join_key(key, document))}; many readers do not find"
        " its members",
        CREATE_GROUP,
    )


def _stray(key: str) -> Finding:
    return finding(
        "stray-document",
        key,
        "the document is of another version of Zarr than the store, and is not read",
        "delete it if nothing needs it",
    )
