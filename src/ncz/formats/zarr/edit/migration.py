"""Migration in place: a store of Zarr V2 gets the documents of Zarr V3, and keeps its chunks.

Zarr V3 can name chunks as V2 does (Zarr V3 specification, section "Chunk key encoding", encoding
"v2"), so that only documents change.
"""

from __future__ import annotations

from collections.abc import Iterator

from ncz.errors import FormatError, LossError, Notify, ignore_notice, list_names
from ncz.formats.create_options import CreateOptions
from ncz.formats.zarr.documents.document_v2 import ZARRAY, ZATTRS, ZGROUP, ZMETADATA
from ncz.formats.zarr.documents.hierarchy import Root
from ncz.formats.zarr.edit.zarr_draft import editable_root
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.formats.zarr.readers.forms import Flavour, Form
from ncz.formats.zarr.readers.target_modes import with_consolidated, with_form
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.formats.zarr.writing.plan import plan_dataset
from ncz.formats.zarr.writing.target import ZarrWritePlan, planned_documents, write_options
from ncz.model.tree import Provenance
from ncz.record import replace
from ncz.zmap import Zmap
from ncz.zmap.journal import Changes
from ncz.zmap.key import join_key
from ncz.zmap.location import Location


def migrate(zmap: Zmap, location: Location, notify: Notify) -> Changes | None:
    """Plan the migration of a store of Zarr V2 to V3.

    Parameters
    ----------
    zmap, location
        The store.
    notify
        Receives a notice of parts that other programs read only in the old store.

    Returns
    -------
    Changes or None
        The documents to write and to delete; None if the store has Zarr V3 already.

    Raises
    ------
    FormatError
        If the store cannot be edited, or chunks of a variable would have to be encoded again.
    LossError
        If Zarr V3 cannot represent everything.
    """
    root = editable_root(zmap, location)
    if root.metadata.zarr_format == 3:
        return None
    dataset = open_dataset(zmap, name=location.dataset_name(), modes=location.modes, notify=notify)
    place = _as_v3(location, dataset.provenance)
    plan = plan_dataset(dataset, _options(place, dataset.provenance), notify)
    if plan.losses:
        raise LossError("; ".join(loss.message for loss in plan.losses), zmap.url)
    complete = {array.fqn for array in plan.arrays if _is_complete(array)}
    encoded_again = [a.fqn for a in plan.arrays if not _keeps_chunks(a, a.fqn in complete)]
    if encoded_again:
        raise FormatError(
            f"chunks would have to be encoded again ({list_names(encoded_again)})",
            zmap.url,
            "use 'ncz copy' with --zarr-format 3, which writes another store",
        )
    target = ZarrWritePlan(location=place, plan=plan, source=dataset, audience=())
    for remark in target.remarks(location):
        notify(remark)
    return Changes(
        documents=planned_documents(plan, complete),
        deleted=frozenset(_documents_of(zmap, root)),
        is_structural=True,
    )


def _as_v3(location: Location, source: Provenance) -> Location:
    """Return the location with the modes of the same store in Zarr V3."""
    flavour: Flavour = "nczarr" if source.superblock else "zarr"
    place = with_form(location, Form(flavour=flavour, zarr_format=3))
    consolidated = None if source.consolidated else False
    return with_consolidated(place, source, consolidated, annotates=not source.is_unannotated_zarr)


def _options(place: Location, source: Provenance) -> WriteOptions:
    annotates = not source.is_unannotated_zarr
    options = write_options(place, CreateOptions(), (), None, source, annotates=annotates)
    return replace(options, keeps_keys=True, avoided=frozenset())


def _is_complete(array: ArrayPlan) -> bool:
    """Return whether all chunks of an array are stored."""
    source = array.source
    if source is None:
        return False
    indices = source.present()
    if not source.is_listed:
        indices = (index for index in indices if source.stored_size(index) is not None)
    return sum(1 for _ in indices) == source.layout.grid.size


def _keeps_chunks(array: ArrayPlan, is_complete: bool) -> bool:
    """Return whether the documents of Zarr V3 describe the chunks that an array has."""
    source = array.source
    if source is None or (array.fills_missing and not is_complete):
        return False
    ours, new = source.layout, array.layout
    return (
        source.stored_dtype == array.stored_dtype
        and source.keys == array.keys
        and (ours.chunks, ours.order, ours.codecs) == (new.chunks, new.order, new.codecs)
    )


def _documents_of(zmap: Zmap, root: Root) -> Iterator[str]:
    """Yield the keys of the documents of Zarr V2 in a store."""
    tree = root.metadata.load("", root.superblock, ignore_notice)
    keys = [join_key(node.key, name) for node in tree.nodes() for name in (ZARRAY, ZATTRS, ZGROUP)]
    yield from (key for key in (*keys, ZMETADATA) if zmap.size(key) is not None)
