"""Write values as the chunks of one array, without a dataset."""

from ncz.formats.chunks import write_chunks as write_chunks_of
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.model.tree import Variable
from ncz.zmap.key import ChunkKeys

PLAIN = ChunkKeys()


def write_chunks(zmap, key, source, layout, encoding, fill, keys=PLAIN):
    """Write the chunks of the array at `key`, and return their number."""
    array = ArrayPlan(
        fqn=f"/{key}",
        variable=Variable(name=key, type=encoding.type),
        layout=layout,
        encoding=encoding,
        fill=fill,
        keys=keys,
    )
    return write_chunks_of(zmap, source, array)
