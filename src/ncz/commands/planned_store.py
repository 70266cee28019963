"""A dataset as the pure Zarr store that a copy would write; its objects are made when read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.errors import Notify, ignore_notice
from ncz.formats.write_plan import refuse_losses_of
from ncz.zmap.location import parse_location

if TYPE_CHECKING:
    from ncz.model.tree import Dataset
    from ncz.transfer.planned_zmap import PlannedZmap


def planned_store(
    dataset: Dataset,
    notify: Notify = ignore_notice,
    *,
    zarr_format: int | None = None,
    allow_loss: bool = False,
    memory: int,
) -> PlannedZmap:
    """Return a dataset as a store.

    Parameters
    ----------
    dataset
        The dataset, which must stay open.
    notify
        Receives notices.
    zarr_format
        The version of Zarr (default: the version of the dataset, or 2).
    allow_loss
        Whether parts that pure Zarr cannot represent are left out, with a notice.
    memory
        Bytes that chunks take while they are made.

    Raises
    ------
    LossError
        If pure Zarr cannot represent the dataset.
    """
    from ncz.commands.copy.codec_specs import cloud_codec
    from ncz.commands.copy.reshape import apply_reshape
    from ncz.commands.copy.reshape_options import Reshape
    from ncz.transfer.planned_zmap import PlannedZmap, plan_served_store

    version = f",v{zarr_format}" if zarr_format else ""
    location = parse_location(f"memory://served#mode=zarr{version}")
    # As a copy does, large variables of files without chunks are compressed.
    plain_codec = cloud_codec() if dataset.provenance.is_file else None
    plan = plan_served_store(
        apply_reshape(dataset, Reshape(plain_codec=plain_codec)), location, notify
    )
    refuse_losses_of("pure Zarr", plan.losses, dataset, notify, allowed=allow_loss, use="leave out")
    return PlannedZmap(plan, memory=memory)
