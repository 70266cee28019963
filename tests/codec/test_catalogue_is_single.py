"""No other module lists codecs."""

from __future__ import annotations

import ast

from tests.codec.test_catalogue import CODECS
from tests.conftest import ROOT

ALLOWED = {
    "cli/plain_words.py": "astype is a word of xarray for a type of numbers",
    "cli/programs/gdal.py": "translates the words of GDAL for compressors",
    "cli/programs/hdf5.py": "translates the words of h5repack for filters",
    "cli/programs/cdo.py": "translates the words of CDO for compressors",
    "cli/programs/nco_options.py": "translates the words of NCO for compressors",
    "formats/zarr/readers/programs.py": "lists the codecs that each other program decodes",
    "model/chunks.py": "says which codecs the parts of a layout are",
    "model/filters.py": "names the registered filters of HDF5 in messages",
    "model/hdf5_filters.py": "chooses codecs in place of filters without an equal one",
    "formats/zarr/writing/array_planner.py": "knows the codecs that ncz writes for text and bytes",
    "codec/catalogue.py": "names the families; some have the name of a codec",
    "api/new_dataset.py": "zlib, gzip and fletcher32 are arguments of netCDF4 and h5py",
    "api/variable_names.py": "names the filters of HDF5 as netCDF4 and h5py do",
    "api/xarray_encoding.py": "zlib and fletcher32 are members of the encodings of xarray",
    "formats/zarr/documents/codecs_v3.py": "ncz writes crc32c for the index of a shard",
    "commands/copy/codec_specs.py": "blosc is what --cloud writes",
    "commands/copy/filters.py": "blosc, which stores have by default, becomes zlib in HDF5",
    "formats/xarray/codecs.py": "zlib, blosc and others are members of the encodings of xarray",
    "formats/zarr/readers/chunk_forms.py": "a checksum of zstd excludes some readers",
    "formats/zarr/types/user_types.py": "vlen-array and vlen-utf8 hold values of vlen types",
    "formats/zarr/readers/audience.py": "a checksum of zstd excludes some readers",
    "zmap/location.py": "names the compressions of files that a chain opens",
    "zmap/remote/http_body.py": "names the content codings of HTTP",
    "zmap/remote/checksums.py": "names a checksum that Google Cloud Storage states",
    "_version.py": "zfpy is a package",
    "commands/foreign_keywords.py": "zlib is an argument of other libraries",
    "commands/xarray_encodings.py": "zlib is a setting of encodings",
    "commands/number_types/options.py": "bitround is an algorithm of netCDF-C's quantize",
    "commands/serve/passed_filters.py": "names the chunks that a netCDF file contains unchanged",
    "zmap/foreign.py": "names the compressions of other formats",
    "zmap/local/zip.py": "lzma is a compression method of zip files",
}
"""Modules that may name a codec, and why."""

WORDS = {"base64", "bytes", "json", "quantize", "shuffle", "transpose"}
"""Ids that are also words of options and JSON members."""


def test_no_other_module_lists_codecs():
    ids = {codec.id for codec in CODECS}
    families = {f"{type(codec).__module__[4:].replace('.', '/')}.py" for codec in CODECS}
    found = set()
    for path in (ROOT / "src" / "ncz").rglob("*.py"):
        name = path.relative_to(ROOT / "src" / "ncz").as_posix()
        if name in families:
            continue
        text = path.read_text()
        if not any(f'{id}"' in text for id in ids):  # to parse takes a hundred times as long
            continue
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, (ast.Set, ast.Dict)):
                parts = node.elts if isinstance(node, ast.Set) else node.keys
                words = {p.value for p in parts if isinstance(p, ast.Constant)}
                is_table = name == "formats/zarr/readers/programs.py"
                assert len(words & (ids - WORDS)) < 2 or is_table, (
                    f"{name}:{node.lineno} lists codecs"
                )
            value = node.value if isinstance(node, ast.Constant) else None
            if isinstance(value, str) and value.removeprefix("numcodecs.") in ids - WORDS:
                found.add(name)
    assert found == set(ALLOWED)
