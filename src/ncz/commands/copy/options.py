"""The options of a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from ncz.commands.copy.reshape_options import Reshape
from ncz.commands.joining.options import JoinOptions
from ncz.commands.number_types.options import NumberTypes
from ncz.commands.sources import Source, threads_for
from ncz.formats.create_options import AS_DEFAULT, CreateOptions
from ncz.record import record, replace
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ncz.formats.edits import Request
    from ncz.model.selection import Index, Selection
    from ncz.transfer.move import RawOptions

PROGRAM_MEMORY = 96 << 20
"""Bytes that Python, numpy and the codecs take before any data is read."""

CLOUD_CHUNK = 16_000_000
"""Bytes of a chunk for object stores."""

_LEAST = 16 << 20
"""Least memory for data, in bytes, however low the limit is."""

_SMALL = 256 << 10
"""Smallest chunk size, in bytes, of files that several threads create."""

_MOST_THREADS = 32


@record(kw_only=True)
class CopyOptions:
    """The source and the target of a copy, and its options.

    `source` and `target` are locations or streams of CDL text; a target can be the path of CDL
    text, too, and a source an object of a program.
    `modes` are added to the modes in the target's fragment, and `create` has the options of the
    target's storage. If its `consolidated` is None, consolidated metadata are written if the source
    has them. If it is False, the source's are not used either, unless the source cannot be listed.
    """

    source: Source
    target: Location | str | BinaryIO
    more_sources: tuple[Source, ...] = ()
    """Further sources, which are joined to `source` along `concat` or `append`, or merged."""
    subset: Selection | None = None
    edits: tuple[Request, ...] = ()
    """Changes of attributes and names, in their order."""
    reshape: Reshape = Reshape()
    join: JoinOptions = JoinOptions()
    numbers: NumberTypes = NumberTypes()
    concat: str | None = None
    new_dimension: str | None = None
    members: tuple[str, ...] = ()
    """Values of a new dimension, one for each source."""
    append: str | None = None
    into: Mapping[str, Index] | None = None
    add: bool = False
    """The region of the target to write; a dimension without indices is placed by coordinates."""
    resume: bool | None = None
    """None continues a copy that was interrupted, where sources are known to be the same."""
    verify: bool = False
    digest: bool = False
    check_data: bool = False
    keep_going: bool = False
    verbatim: bool = False
    dry_run: bool = False
    cloud: bool = False
    modes: tuple[str, ...] = ()
    create: CreateOptions = AS_DEFAULT
    memory: int | None = None
    threads: int | None = None
    dask: str | None = None
    inline: int | None = None
    record_size: int | None = None
    relative_to: str | None = None
    """"ref" for targets relative to the reference set; None for absolute ones."""
    prefix: str | None = None
    """The folder or URL where the sources of a reference set will be; None if they stay."""

    @property
    def joins(self) -> bool:
        """Whether sources are joined or merged."""
        along = self.concat is not None or self.new_dimension is not None
        return along or bool(self.more_sources)

    @property
    def sources(self) -> tuple[Source, ...]:
        """All sources."""
        return self.source, *self.more_sources

    @property
    def data_memory(self) -> int:
        """Bytes that data may take: few in a worker of a cluster, which shares its computer."""
        from ncz.parallel.memory import LEAST_MEMORY, default_memory

        usual = default_memory() if self.dask is None else LEAST_MEMORY
        return max(_LEAST, (self.memory or usual) - PROGRAM_MEMORY)

    @property
    def raw(self) -> RawOptions:
        """The checks of chunks that are copied raw."""
        from ncz.transfer.move import RawOptions

        return RawOptions(
            decodes=self.check_data,
            keep_going=self.keep_going,
            in_turn=_SMALL if self.threads is None else 0,
        )


def for_cloud(options: CopyOptions) -> CopyOptions:
    """Return the options of a copy for object stores, as defaults of missing options."""
    from ncz.commands.copy.codec_specs import cloud_codec

    reshape = options.reshape
    if not (reshape.chunk_size or reshape.chunkspecs):
        reshape = replace(reshape, chunk_size=CLOUD_CHUNK)
    if not reshape.changes_codecs:
        reshape = replace(reshape, codecs=(cloud_codec(),))
    modes = options.modes
    if not {"nczarr", "zarr"} & set(modes):
        modes = (*modes, "zarr")
    if not {"v2", "v3"} & set(modes):
        modes = (*modes, "v3")
    create = replace(options.create, names_axes=True)
    if create.consolidated is None:
        create = replace(create, consolidated=True)
    return replace(options, reshape=reshape, modes=modes, create=create)


def thread_count(location: Location, options: CopyOptions) -> int:
    """Return the number of threads that write to `location`."""
    return options.threads or min(_MOST_THREADS, threads_for(location, options.source))
