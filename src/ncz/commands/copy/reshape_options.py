"""The options of a copy that change chunks, codecs, dimensions or variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ncz.record import record

if TYPE_CHECKING:
    from ncz.commands.chunkspec import ChunkSpec
    from ncz.commands.copy.codec_specs import CodecSpec, FilterSpec
    from ncz.commands.shards import Shards


@record(kw_only=True)
class Reshape:
    """The changes; () or None changes nothing."""

    only: tuple[str, ...] | None = None
    data_of: tuple[str, ...] | None = None
    only_groups: tuple[str, ...] | None = None
    data_of_groups: tuple[str, ...] | None = None
    drop_attributes: tuple[str, ...] = ()
    chunkspecs: tuple[ChunkSpec, ...] = ()
    chunk_size: int | None = None
    chunking: Literal["balanced", "netcdf"] = "balanced"
    least_chunk: int | None = None
    shards: tuple[Shards, ...] = ()
    fixed: bool = False
    unlimited: tuple[str, ...] = ()
    transpose: tuple[str, ...] = ()
    deflate: int | None = None
    shuffle: bool = False
    filters: tuple[FilterSpec, ...] = ()
    codecs: tuple[CodecSpec, ...] = ()
    plain_codec: CodecSpec | None = None
    """Codec of variables whose source has neither chunks nor filters, if no other is chosen."""

    @property
    def chooses(self) -> bool:
        """Whether some variables, or the data of some, are not copied."""
        options = self.data_of, self.only, self.data_of_groups, self.only_groups
        return any(names is not None for names in options)

    @property
    def changes_codecs(self) -> bool:
        """Whether other codecs are requested."""
        return bool(self.deflate is not None or self.shuffle or self.filters or self.codecs)
