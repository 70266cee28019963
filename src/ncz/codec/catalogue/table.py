"""The catalogue of codecs: everything ncz knows about a codec, in one table.

To add a codec, add an entry to `CODECS`. The readers, the writers, the command-line options and the
special attributes of CDL all use this table, through `ncz.codec.catalogue.lookup`. It is pure data:
neither numpy nor numcodecs is imported.

Sources: numcodecs 0.15 and later; the Zarr specifications of codecs; the HDF5 list of registered
filters, and netcdf-c's plugins (H5Z*.c) for the parameters of those filters.
"""

from __future__ import annotations

from ncz.codec.catalogue.entry import (
    Codec,
    Hdf5Parameter,
    Hdf5Spelling,
    Json,
    Parameter,
    V3Parameter,
    V3Spelling,
)


def _integer(name: str, default: int | None, least: int, most: int) -> Parameter:
    return Parameter(name, "integer", default, least, most)


def _flag(name: str, default: bool, *, is_recent: bool = False) -> Parameter:
    return Parameter(name, "boolean", default, is_recent=is_recent)


def _choice(name: str, default: Json, *choices: Json) -> Parameter:
    return Parameter(name, "any", default, None, None, choices)


def _numcodecs(codec_id: str) -> V3Spelling:
    return V3Spelling(f"numcodecs.{codec_id}")


_LARGEST = 2**31 - 1
_LEVEL = (Hdf5Parameter("level", 1),)
_DTYPE = Parameter("dtype", "text", required=True)
_ASTYPE = Parameter("astype", "text")
_LOCATION = _choice("location", None, "start", "end")
_XZ_EXTREME = 2**31
_XZ_PRESETS = (*range(10), *(_XZ_EXTREME | preset for preset in range(10)))

CODECS = (
    # --- compressors ------------------------------------------------------------------------------
    Codec(
        id="zlib",
        kind="compressor",
        parameters=(_integer("level", 1, 0, 9),),
        hdf5=Hdf5Spelling(1, _LEVEL),
        v3=_numcodecs("zlib"),
        short=(("level", 1),),
        deflate_window=15,
    ),
    Codec(
        id="gzip",
        kind="compressor",
        parameters=(_integer("level", 1, 0, 9),),
        v3=V3Spelling("gzip", (V3Parameter("level", 5),)),
        short=(("level", 5),),
        deflate_window=31,
    ),
    Codec(
        id="bz2",
        kind="compressor",
        parameters=(_integer("level", 1, 1, 9),),
        hdf5=Hdf5Spelling(307, _LEVEL),
        v3=_numcodecs("bz2"),
        short=(("level", 5),),
    ),
    Codec(
        id="zstd",
        kind="compressor",
        parameters=(
            _integer("level", 0, -131072, 22),
            _flag("checksum", False, is_recent=True),
        ),
        hdf5=Hdf5Spelling(32015, (Hdf5Parameter("level", 0, signed=True),)),
        v3=V3Spelling("zstd", (V3Parameter("level", 0), V3Parameter("checksum", False))),
        short=(("level", 3),),
    ),
    Codec(
        id="lz4",
        kind="compressor",
        # The library takes 0 for 1, and larger numbers for 65537.
        parameters=(_integer("acceleration", 1, 0, 65537),),
        v3=_numcodecs("lz4"),
        short=(("acceleration", 1),),
    ),
    Codec(
        id="lzma",
        kind="compressor",
        parameters=(
            _choice("format", 1, 1, 2, 3),
            _choice("check", -1, -1, 0, 1, 4, 10),
            _choice("preset", None, *_XZ_PRESETS),
            Parameter("filters"),
        ),
        v3=_numcodecs("lzma"),
        short=(("preset", 6),),
    ),
    Codec(
        id="blosc",
        kind="compressor",
        parameters=(
            _integer("clevel", 5, 0, 9),
            _integer("blocksize", 0, 0, _LARGEST),
            _choice("cname", "lz4", "blosclz", "lz4", "lz4hc", "zlib", "zstd"),
            _integer("shuffle", 1, -1, 2),
            Parameter("typesize", "integer", None, 1, 255, is_recent=True),
        ),
        hdf5=Hdf5Spelling(
            32001,
            (
                Hdf5Parameter(),
                Hdf5Parameter(),
                Hdf5Parameter(),
                Hdf5Parameter("blocksize", 0),
                Hdf5Parameter("clevel", 5),
                Hdf5Parameter("shuffle", 1),
                # numcodecs has no snappy; ncz can name it, but not write it.
                Hdf5Parameter("cname", 0, ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd")),
            ),
        ),
        v3=V3Spelling(
            "blosc",
            (
                V3Parameter("typesize", is_item_size=True),
                V3Parameter("cname", "zstd"),
                V3Parameter("clevel", 5),
                V3Parameter(
                    "shuffle",
                    "noshuffle",
                    ("noshuffle", "shuffle", "bitshuffle"),
                    ("bitshuffle", "shuffle"),
                ),
                V3Parameter("blocksize", 0),
            ),
        ),
        short=(("cname", "lz4"), ("clevel", 5), ("shuffle", 1)),
    ),
    Codec(
        id="zfpy",
        kind="compressor",
        parameters=(
            Parameter("mode"),
            Parameter("tolerance", "number", -1),
            Parameter("rate", "number", -1),
            Parameter("precision", "number", -1),
            Parameter("compression_kwargs"),
        ),
        v3=_numcodecs("zfpy"),
        needs_array=True,
        install="pip install zfpy",
    ),
    Codec(
        id="pcodec",
        kind="compressor",
        parameters=(
            _integer("level", 8, 0, 12),
            Parameter("mode_spec", "text", "auto"),
            Parameter("delta_spec", "text", "auto"),
            Parameter("paging_spec", "text", "equal_pages_up_to"),
            _integer("delta_encoding_order", None, 0, 7),
            _integer("equal_pages_up_to", 2**18, 1, _LARGEST),
        ),
        v3=_numcodecs("pcodec"),
        needs_array=True,
        install="pip install pcodec",
    ),
    Codec(id="snappy", kind="compressor", implemented=False),
    Codec(
        id="szip",
        kind="compressor",
        parameters=(
            _integer("mask", 0, 0, 2**32 - 1),
            _integer("pixels-per-block", 0, 0, 2**32 - 1),
        ),
        hdf5=Hdf5Spelling(4, (Hdf5Parameter("mask", 0), Hdf5Parameter("pixels-per-block", 0))),
        implemented=False,
    ),
    # --- filters of bytes -------------------------------------------------------------------------
    Codec(
        id="shuffle",
        kind="bytes filter",
        # The default is 4 in numcodecs; netcdf-c writes 0 for the size of an element.
        parameters=(Parameter("elementsize", "integer", 4, 0, _LARGEST, is_item_size=True),),
        hdf5=Hdf5Spelling(2),
        v3=_numcodecs("shuffle"),
        short=(),
        keeps_size=True,
    ),
    Codec(id="base64", kind="bytes filter"),
    # --- checksums --------------------------------------------------------------------------------
    Codec(
        id="fletcher32",
        kind="checksum",
        hdf5=Hdf5Spelling(3),
        v3=_numcodecs("fletcher32"),
        short=(),
        keeps_size=True,
        added_bytes=4,
    ),
    Codec(
        id="crc32",
        kind="checksum",
        parameters=(_LOCATION,),
        v3=_numcodecs("crc32"),
        short=(),
        keeps_size=True,
        added_bytes=4,
    ),
    Codec(
        id="crc32c",
        kind="checksum",
        parameters=(_LOCATION,),
        v3=V3Spelling("crc32c", (), (("location", "end"),)),
        keeps_size=True,
        added_bytes=4,
        install="pip install 'numcodecs[crc32c]'",
    ),
    Codec(
        id="adler32",
        kind="checksum",
        parameters=(_LOCATION,),
        v3=_numcodecs("adler32"),
        short=(),
        keeps_size=True,
        added_bytes=4,
    ),
    Codec(
        id="jenkins_lookup3",
        kind="checksum",
        parameters=(_integer("initval", 0, 0, 2**32 - 1), Parameter("prefix")),
        v3=_numcodecs("jenkins_lookup3"),
        keeps_size=True,
        added_bytes=4,
    ),
    # --- filters of arrays ------------------------------------------------------------------------
    Codec(
        id="delta",
        kind="array filter",
        parameters=(_DTYPE, _ASTYPE),
        v3=_numcodecs("delta"),
    ),
    Codec(
        id="fixedscaleoffset",
        kind="array filter",
        parameters=(
            Parameter("scale", "number", required=True),
            Parameter("offset", "number", required=True),
            _DTYPE,
            _ASTYPE,
        ),
        v3=_numcodecs("fixedscaleoffset"),
    ),
    Codec(
        id="quantize",
        kind="array filter",
        parameters=(
            Parameter("digits", "integer", None, -308, 308, required=True),
            _DTYPE,
            _ASTYPE,
        ),
        v3=V3Spelling("numcodecs.quantize", equal=("dtype", "astype")),
    ),
    Codec(
        id="bitround",
        kind="array filter",
        parameters=(Parameter("keepbits", "integer", None, 0, 52, required=True),),
        v3=_numcodecs("bitround"),
        keeps_size=True,
    ),
    Codec(
        id="astype",
        kind="array filter",
        parameters=(
            Parameter("encode_dtype", "text", required=True),
            Parameter("decode_dtype", "text", required=True),
        ),
        v3=_numcodecs("astype"),
    ),
    Codec(id="packbits", kind="array filter", v3=_numcodecs("packbits")),
    Codec(
        id="categorize",
        kind="array filter",
        parameters=(
            Parameter("labels", required=True),
            _DTYPE,
            Parameter("astype", "text", "u1"),
        ),
        dtype_of_objects="dtype",
    ),
    # --- codecs of objects ------------------------------------------------------------------------
    Codec(
        id="vlen-utf8",
        kind="object codec",
        v3=V3Spelling("vlen-utf8", ()),
        counts_objects=True,
    ),
    Codec(
        id="vlen-bytes",
        kind="object codec",
        v3=V3Spelling("vlen-bytes", ()),
        counts_objects=True,
    ),
    Codec(
        id="vlen-array",
        kind="object codec",
        parameters=(_DTYPE,),
        counts_objects=True,
    ),
    Codec(
        id="json2",
        kind="object codec",
        parameters=(
            Parameter("encoding", "text", "utf-8"),
            _flag("skipkeys", False),
            _flag("ensure_ascii", True),
            _flag("check_circular", True),
            _flag("allow_nan", True),
            _flag("sort_keys", True),
            Parameter("indent"),
            Parameter("separators"),
            _flag("strict", True),
        ),
    ),
    Codec(
        id="msgpack2",
        kind="object codec",
        parameters=(
            _flag("use_single_float", False),
            _flag("use_bin_type", True),
            _flag("raw", False),
        ),
        install="pip install 'numcodecs[msgpack]'",
    ),
    Codec(id="json", kind="object codec", parameters=(Parameter("encoding"),), implemented=False),
    Codec(
        id="msgpack", kind="object codec", parameters=(Parameter("encoding"),), implemented=False
    ),
    # ncz neither reads nor writes it: to decode a pickle runs the code of whoever wrote it.
    Codec(id="pickle", kind="object codec", parameters=(_integer("protocol", 5, 0, 5),)),
)
