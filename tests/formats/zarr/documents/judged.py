"""Metadata documents, most of them not valid, which ncz and zarr-python judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tests.formats.zarr.documents.bases import BASES, DROP, WRONG, Change, Document
from tests.formats.zarr.documents.changes_v2 import V2_CHANGES
from tests.formats.zarr.documents.changes_v3 import V3_CHANGES

_GROUP_CHANGES: Mapping[str, Mapping[str, Change]] = {
    "v3-group": {
        "plain": {},
        "zarr_format 2": {"zarr_format": 2},
        "node_type missing": {"node_type": DROP},
        "attributes missing": {"attributes": DROP},
        "more": {"tiling": 5},
        "more that need not be understood": {"tiling": {"must_understand": False}},
        "consolidated null": {"consolidated_metadata": None},
        "consolidated empty": {
            "consolidated_metadata": {"kind": "inline", "must_understand": False, "metadata": {}}
        },
        "consolidated of another kind": {
            "consolidated_metadata": {"kind": "other", "must_understand": False, "metadata": {}}
        },
        "consolidated without metadata": {
            "consolidated_metadata": {"kind": "inline", "must_understand": False}
        },
    },
    "v2-group": {
        "plain": {},
        "zarr_format 3": {"zarr_format": 3},
        "zarr_format missing": {"zarr_format": DROP},
        "more": {"more": 1},
    },
}

_ATTRIBUTES = {
    "list": "[]",
    "null": "null",
    "text": '"x"',
    "no JSON": "{",
    "empty": "",
    "NaN": '{"a": NaN}',
    "object": '{"a": 1}',
}


def _documents() -> Iterator[Document]:
    for base, changes in (("v3", V3_CHANGES), ("v2", V2_CHANGES), *_GROUP_CHANGES.items()):
        for name, change in changes.items():
            yield Document(name=f"{base}: {name}", base=base, change=change)
        for member, right in BASES[base].items():
            if base.startswith("v2-") or member == "zarr_format":
                continue
            yield Document(name=f"{base}: {member} missing", base=base, change={member: DROP})
            for kind, wrong in WRONG.items():
                if type(wrong) is not type(right):
                    change = {member: wrong}
                    yield Document(name=f"{base}: {member} is {kind}", base=base, change=change)
    for base in ("v2", "v2-group"):
        for name, text in _ATTRIBUTES.items():
            yield Document(name=f"{base}: .zattrs of {name}", base=base, change={}, attributes=text)


DOCUMENTS = {document.name: document for document in _documents()}
